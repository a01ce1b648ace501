package pkg

import (
	"errors"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// checkLayout checks what held in every UE4 and UE5 package seen. Texts to
// gather may lie between names and imports, so those need not touch.
func (p modern) checkLayout() {
	s := &p.sum
	if s.Imports.Count > 0 && s.Names.End > s.Imports.Offset {
		p.found.add(codecs.ErrCorrupt, "names", s.Names.End, "runs into the imports, which start at 0x%x", s.Imports.Offset)
	}
	p.meets("imports", s.Imports.End, s.Exports.Offset)
	next := s.Depends.Offset
	if s.CellExports.Count > 0 || s.CellImports.Count > 0 {
		next = s.CellExports.Offset
	}
	p.meets("exports", s.Exports.End, next)
	if p.data.min > 0 {
		p.meets("header", p.facts.HeaderSize, p.data.min)
	}
	p.found.report(p.data.gaps, codecs.ErrNonStrict, "exports", "offset", len(p.facts.Exports), "data does not follow that of the export before")
}

// readPreload reads the order in which cooked exports are loaded.
func (p modern) readPreload() {
	t, f := &p.sum.Preload, p.facts
	if t.Count <= 0 {
		return
	}
	p.table(t, "preload", 4, 4, func(d *decoder) {
		refs := slices.Grow(f.Preload[:0], room(d, t.Count, 4))
		for range t.Count {
			r := unreal.ObjectRef(d.I32())
			if d.Err() != nil {
				break
			}
			refs = append(refs, r)
		}
		f.Preload = refs
	})
	if p.preloadInRange() {
		f.PreloadSpans = p.spans
		return
	}
	f.Preload = nil
	p.found.add(codecs.ErrCorrupt, "preload", t.Offset, "points outside of the tables")
}

func (p modern) preloadInRange() bool {
	b := p.bounds()
	for _, r := range p.facts.Preload {
		if !b.ref(r) {
			return false
		}
	}
	for _, s := range p.spans {
		end := int64(s.First)
		for _, n := range s.Counts {
			if n < 0 {
				return false
			}
			end += int64(n)
		}
		if s.First < -1 || s.First >= 0 && end > int64(len(p.facts.Preload)) {
			return false
		}
	}
	return true
}

// readSoftPackages reads the packages that are loaded on demand.
func (p modern) readSoftPackages() {
	t, f := &p.sum.SoftPackages, p.facts
	byName := p.v.ue4 >= ue4SoftNames
	least := int64(4)
	if byName {
		least = 8
	}
	var bad tally
	p.table(t, "soft_packages", least, 64, func(d *decoder) {
		bad = tally{}
		f.SoftPackages = slices.Grow(f.SoftPackages[:0], room(d, t.Count, least))
		for i := range t.Count {
			off, name := d.Off(), ""
			if byName {
				name = p.checkedName(d, &bad, i, off)
			} else {
				name = d.fstring(maxText)
			}
			if d.Err() != nil {
				break
			}
			f.SoftPackages = append(f.SoftPackages, unreal.SoftPackage{Name: name})
		}
	})
	p.found.report(bad, codecs.ErrCorrupt, "soft_packages", "name", t.Count, "points outside of the tables")
}

// checkedName reads a name; one outside the table is counted and "".
func (p modern) checkedName(d *decoder, bad *tally, i int, off int64) string {
	n := d.name()
	if d.Err() != nil || !p.bounds().name(n) {
		bad.hit(i, off)
		return ""
	}
	return p.facts.NameOf(n)
}

// readSoftObjects reads the paths that are loaded on demand. An absent asset
// is the name "None".
func (p modern) readSoftObjects() {
	t, f := &p.sum.SoftObjects, p.facts
	var bad tally
	p.table(t, "soft_objects", 20, 32, func(d *decoder) {
		bad = tally{}
		f.SoftObjects = slices.Grow(f.SoftObjects[:0], room(d, t.Count, 20))
		for i := range t.Count {
			off := d.Off()
			s := unreal.SoftObject{
				Package: noNone(p.checkedName(d, &bad, i, off)),
				Asset:   noNone(p.checkedName(d, &bad, i, off)),
				Sub:     d.fstring(maxText),
			}
			if d.Err() != nil {
				break
			}
			f.SoftObjects = append(f.SoftObjects, s)
		}
	})
	p.found.report(bad, codecs.ErrCorrupt, "soft_objects", "name", t.Count, "points outside of the tables")
}

func noNone(s string) string {
	if strings.EqualFold(s, "None") {
		return ""
	}
	return s
}

// readAssetRegistry reads which imports and soft packages the game uses; the
// rest is for the editor. Cooked packages have no such data.
func (p modern) readAssetRegistry() {
	at := p.sum.AssetRegistry
	if at <= 0 || p.sum.filtered || p.v.ue4 < ue4RegistryDepends {
		return
	}
	var depends, end int64
	_, err := p.sp.scan(p.ctx, p.lay, p.order, extent{at, max(p.facts.HeaderSize-at, 8)}, func(d *decoder) {
		depends = d.I64()
		skipAssets(d)
		end = d.Off()
	})
	if err != nil || depends <= at || depends > p.sp.size {
		p.found.add(codecs.ErrNonStrict, "asset_registry", at, "assets cannot be listed")
		return
	}
	p.meets("asset_registry", end, depends)
	var imports, soft bits
	end, err = p.sp.scan(p.ctx, p.lay, p.order, extent{depends, max(p.facts.HeaderSize-depends, 8)}, func(d *decoder) {
		imports, soft = readBits(d), readBits(d)
		if p.v.ue5 >= ue5RegistryBuildOnly {
			d.Skip(12 * count(d, 12))
		}
	})
	if err != nil {
		p.found.err("asset_registry", depends, err)
		return
	}
	p.meets("asset_registry", end, p.facts.HeaderSize)
	p.markEditor(imports, soft)
}

// skipAssets passes over the assets' names, classes and tags.
func skipAssets(d *decoder) {
	for range count(d, 12) {
		d.fstring(maxText)
		d.fstring(maxText)
		for range 2 * count(d, 8) {
			d.fstring(maxText)
			if d.Err() != nil {
				return
			}
		}
	}
}

// bits is an array of bits, the lowest of each word first.
type bits struct {
	n     int
	words []uint32
}

func readBits(d *decoder) bits {
	n := int64(d.I32())
	if n < 0 || n > maxEntries {
		d.CheckCount(n, 1)
		return bits{}
	}
	b := bits{n: int(n)}
	for range (n + 31) / 32 {
		w := d.U32()
		if d.Err() != nil {
			return bits{}
		}
		b.words = append(b.words, w)
	}
	return b
}

func (b bits) at(i int) bool { return b.words[i/32]>>(i%32)&1 != 0 }

// markEditor flags what the game does not use. Bits are as many as imports and
// soft packages, or say nothing.
func (p modern) markEditor(imports, soft bits) {
	f := p.facts
	if imports.n != len(f.Imports) || soft.n != len(f.SoftPackages) {
		p.found.add(codecs.ErrNonStrict, "asset_registry", p.sum.AssetRegistry, "%d and %d bits for %d imports and %d soft packages",
			imports.n, soft.n, len(f.Imports), len(f.SoftPackages))
		return
	}
	for i := range f.Imports {
		if f.Imports[i].Outer == 0 && !imports.at(i) {
			f.Imports[i].Flags |= unreal.ImportEditor
		}
	}
	for i := range f.SoftPackages {
		f.SoftPackages[i].Editor = !soft.at(i)
	}
}

// readDataResources reads where the data lies that is loaded on demand.
func (p modern) readDataResources() {
	at := p.sum.DataResources
	if at <= 0 {
		return
	}
	const entry = 44 // bytes, without what version 2 added
	var list []unreal.BulkData
	_, err := p.sp.scan(p.ctx, p.lay, p.order, extent{at, max(p.facts.HeaderSize-at, 8)}, func(d *decoder) {
		version := d.U32()
		if version < 1 || version > 2 {
			d.Fail(codecs.Errorf(errors.ErrUnsupported, "version %d of data resources", version))
			return
		}
		list = make([]unreal.BulkData, count(d, entry))
		for i := range list {
			b := &list[i]
			d.Skip(4)
			if version == 2 {
				b.Cooked = d.U8()
			}
			b.Offset = d.I64()
			d.Skip(8) // of a copy
			b.Stored, b.Size = d.I64(), d.I64()
			d.Skip(4) // the object that it belongs to
			b.Flags = d.U32()
		}
	})
	if err != nil {
		p.found.add(codecs.ErrNonStrict, "data_resources", at, "cannot be read: %v", err)
		return
	}
	p.facts.Bulk = list
}
