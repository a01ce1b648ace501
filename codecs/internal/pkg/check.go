package pkg

import (
	"bytes"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// bounds are the sizes of the tables that references point into.
type bounds struct{ names, imports, exports int }

func (p *parser) bounds() bounds {
	return bounds{len(p.facts.Names), p.sum.Imports.Count, p.sum.Exports.Count}
}

func (b bounds) name(n unreal.ObjectName) bool { return n.Index >= 0 && int(n.Index) < b.names }

func (b bounds) ref(r unreal.ObjectRef) bool {
	return int64(r) <= int64(b.exports) && -int64(r) <= int64(b.imports)
}

// outside is how findings name a reference that leads nowhere.
const outside = "points outside of the tables"

// importCheck counts the imports that point outside of the tables, by field.
type importCheck struct {
	bounds
	wrong [4]tally
}

func (c *importCheck) entry(e *unreal.PackageImport, i int, off int64) {
	for k, ok := range [...]bool{c.name(e.ClassPackage), c.name(e.Class), c.ref(e.Outer), c.name(e.Name)} {
		if !ok {
			c.wrong[k].hit(i, off)
		}
	}
}

// report adds findings and reports whether the table is garbage.
func (c *importCheck) report(f *findings, total int) (garbage bool) {
	for k, field := range []string{"class_package", "class", "outer", "object"} {
		f.report(c.wrong[k], codecs.ErrCorrupt, "imports", field, total, outside)
	}
	return isGarbage(f, "imports", total, c.wrong[:]...)
}

// isGarbage decides that a table was read by a wrong layout, or is encrypted:
// more than one entry in eight is impossible. A few bad ones are listed as
// they are.
func isGarbage(f *findings, table string, total int, ts ...tally) bool {
	worst := 0
	for _, t := range ts {
		worst = max(worst, t.n)
	}
	if worst <= total/8 {
		return false
	}
	f.add(codecs.ErrCorrupt, table, -1, "%d of %d entries are impossible: encrypted, or of an unknown layout", worst, total)
	return true
}

// exportCheck counts the exports that point outside of the tables, by field, those whose
// data lies at no place, and those whose data does not follow the one before.
type exportCheck struct {
	bounds
	wrong [6]tally

	gaps     tally // data that neither follows the one before nor is empty
	next     int64 // where contiguous data goes on; 0 before the first
	min, max int64 // of all data; min is 0 when there is none
}

func (c *exportCheck) entry(e *unreal.PackageExport, i int, off int64) {
	placed := e.Size >= 0 && e.Offset >= 0 && e.Offset <= 1<<62 && e.Size <= 1<<62
	for k, ok := range [...]bool{c.ref(e.Class), c.ref(e.Super), c.ref(e.Outer), c.ref(e.Archetype), c.name(e.Name), placed} {
		if !ok {
			c.wrong[k].hit(i, off)
		}
	}
	if placed {
		c.data(e, i, off)
	}
}

func (c *exportCheck) data(e *unreal.PackageExport, i int, off int64) {
	if e.Size == 0 && e.Offset == 0 {
		return
	}
	if c.min == 0 || e.Offset < c.min {
		c.min = e.Offset
	}
	if c.next != 0 && e.Offset != c.next {
		c.gaps.hit(i, off)
	}
	c.next = e.Offset + e.Size
	c.max = max(c.max, c.next)
}

func (c *exportCheck) report(f *findings, total int) (garbage bool) {
	for k, field := range []string{"class", "super", "outer", "archetype", "object"} {
		f.report(c.wrong[k], codecs.ErrCorrupt, "exports", field, total, outside)
	}
	f.report(c.wrong[5], codecs.ErrCorrupt, "exports", "size", total, "negative size or offset")
	return isGarbage(f, "exports", total, c.wrong[:]...)
}

func (p *parser) dependsInRange() bool {
	b := p.bounds()
	for _, r := range p.facts.Depends.Refs {
		if !b.ref(r) {
			return false
		}
	}
	return true
}

// meets checks that one part of the header ends where the next begins. Either
// may be absent, with an offset of 0 or below.
func (p *parser) meets(field string, end, next int64) {
	if end > 0 && next > 0 && end != next {
		p.found.add(codecs.ErrNonStrict, field, end, "ends here, what follows starts at 0x%x", next)
	}
}

// checkTables123 checks how UE1 to UE3 lay out the tables. In UE1 and UE2 the
// tables may be anywhere, so they must only keep out of each other's way.
func (p classic) checkTables123() {
	s := &p.sum
	if p.lay.version < verHeaderSize {
		p.checkOverlap()
		return
	}
	p.meets("names", s.Names.End, s.Imports.Offset)
	p.meets("imports", s.Imports.End, s.Exports.Offset)
	p.meets("exports", s.Exports.End, s.Depends.Offset)
}

func (p classic) checkOverlap() {
	s := &p.sum
	tables := []struct {
		name string
		*Table
	}{{"names", &s.Names}, {"imports", &s.Imports}, {"exports", &s.Exports}}
	for _, a := range tables {
		for _, b := range tables {
			if a.End > 0 && b.Count > 0 && a.Offset < b.Offset && b.Offset < a.End {
				p.found.add(codecs.ErrCorrupt, a.name, a.End, "runs into the %s, which start at 0x%x", b.name, b.Offset)
			}
		}
	}
}

// checks are what all generations of the engine have to pass, after a package was
// read.
type checks struct{ *parser }

// checkData checks that the data of exports lies in the package. It is only
// said, not held against the layout: packages cut short are listed.
func (p checks) checkData() {
	var beyond tally
	for i := range p.facts.Exports {
		e := &p.facts.Exports[i]
		if e.Size > 0 && (e.Offset > p.sp.size || e.Size > p.sp.size-e.Offset) {
			beyond.hit(i, e.Offset)
		}
	}
	p.found.report(beyond, codecs.ErrTruncated, "exports", "offset", len(p.facts.Exports), "data lies after the end of the package")
}

// checkOuters reports chains of outers that never end.
func (p checks) checkOuters() {
	var imports, exports tally
	for i := range p.facts.Imports {
		if p.facts.RootOf(unreal.ObjectRef(-i-1)) == 0 {
			imports.hit(i, p.sum.Imports.Offset)
		}
	}
	for i := range p.facts.Exports {
		if p.facts.RootOf(unreal.ObjectRef(i+1)) == 0 {
			exports.hit(i, p.sum.Exports.Offset)
		}
	}
	p.found.report(imports, codecs.ErrCorrupt, "imports", "outer", len(p.facts.Imports), "outers have no end")
	p.found.report(exports, codecs.ErrCorrupt, "exports", "outer", len(p.facts.Exports), "outers have no end")
}

// checkRoots reports imports that have no outer and are no package. None has
// been seen.
func (p checks) checkRoots() {
	var odd tally
	for i := range p.facts.Imports {
		if e := &p.facts.Imports[i]; e.Outer == 0 && p.facts.NameOf(e.Class) != "Package" {
			odd.hit(i, p.sum.Imports.Offset)
		}
	}
	p.found.report(odd, codecs.ErrNonStrict, "imports", "class", len(p.facts.Imports), "no outer, and not a Package")
}

// checkEnd checks that a UE4 or UE5 file ends with the tag.
func (p modern) checkEnd() {
	if p.facts.Split || p.sp.size < 8 {
		return
	}
	end, err := p.sp.window(p.sp.size-4, 4)
	if err != nil {
		p.found.err("end", p.sp.size-4, err)
		return
	}
	if !bytes.Equal(end, unreal.PackageTag()) {
		p.found.add(codecs.ErrNonStrict, "end", p.sp.size-4, "file ends in %x, not in the tag", end)
	}
}
