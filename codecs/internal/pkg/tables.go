package pkg

import (
	"context"
	"encoding/binary"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// maxEntries bounds the entries of one table. The largest known have about a
// million.
const maxEntries = 4 << 20

// parser reads one package under one layout: what all generations of the engine
// have in common. See [classic], [modern] and [checks].
type parser struct {
	ctx   context.Context // of the one call of Read that it lives in
	sp    *space
	order binary.ByteOrder
	lay   *layout
	facts *unreal.PackageFacts
	sum   Summary
	found findings

	v       versions             // UE4 and UE5: what to read it as
	numbers []place              // of the summary that a writer changes
	spans   []unreal.PreloadSpan // by export, until the list they cut up is known
	data    exportCheck          // of the exports, for the checks that follow
	noise   []unreal.Span        // met so far, also twice: see digest.go
}

// tableSpan guesses how long a table is: it ends where the next one begins,
// unless data lies between.
func (p *parser) tableSpan(t *Table, usual int64) extent {
	hint := int64(t.Count)*usual + 256
	for _, next := range p.offsets() {
		if next > t.Offset {
			hint = min(hint, next-t.Offset)
		}
	}
	return extent{t.Offset, hint}
}

func (p *parser) offsets() [15]int64 {
	s := &p.sum
	return [...]int64{p.facts.HeaderSize, s.Names.Offset, s.Imports.Offset, s.Exports.Offset, s.Depends.Offset,
		s.LevelGUIDs, s.Thumbnails, s.SoftPackages.Offset, s.SoftObjects.Offset, s.Preload.Offset,
		s.SearchableNames, s.AssetRegistry, s.Gatherable, s.MetaData, s.CellExports.Offset}
}

// table reads a table whose place the summary gives. least and usual are bytes
// of an entry. After an error the entries before it stay.
func (p *parser) table(t *Table, field string, least, usual int64, read func(*decoder)) bool {
	if t.Count == 0 {
		return true
	}
	switch remain := p.sp.size - t.Offset; {
	case t.Count < 0:
		p.found.add(codecs.ErrCorrupt, field+".count", -1, "%d", t.Count)
		return false
	case t.Count > maxEntries:
		p.found.add(codecs.ErrLimit, field+".count", -1, "%d > %d", t.Count, maxEntries)
		return false
	case t.Offset < p.sum.End:
		p.found.add(codecs.ErrCorrupt, field+".offset", t.Offset, "table starts before the summary ends, at %d", p.sum.End)
		return false
	case remain < 0:
		p.found.add(codecs.ErrTruncated, field+".offset", t.Offset, "table starts after the end, at %d", p.sp.size)
		return false
	case int64(t.Count) > remain/least:
		p.found.add(codecs.ErrTruncated, field+".count", t.Offset, "%d entries in %d bytes", t.Count, remain)
	}
	end, err := p.sp.scan(p.ctx, p.lay, p.order, p.tableSpan(t, usual), read)
	if err != nil {
		p.found.err(field, t.Offset, err)
		return false
	}
	t.End = end
	return true
}

// room is how many entries to allocate for at first: no more than the bytes at
// hand can hold.
func room(d *decoder, n int, least int64) int { return min(n, d.Len()/int(least)+1) }

func (p *parser) readNames(least int64, entry func(*decoder) unreal.PackageName) {
	t := &p.sum.Names
	p.table(t, "names", least, least+24, func(d *decoder) {
		d.useArena()
		names := slices.Grow(p.facts.Names[:0], room(d, t.Count, least))
		for range t.Count {
			n := entry(d)
			if d.Err() != nil {
				break
			}
			names = append(names, n)
		}
		p.facts.Names = names
	})
}

func (d *decoder) nameEntry() unreal.PackageName {
	return unreal.PackageName{Text: d.nameText(), Flags: d.flags(d.l.nameFlag)}
}

// readList reads up to count entries in place of those in list, and has each
// checked where it is: a pointer to a variable would cost an allocation.
func readList[E any](d *decoder, list []E, count int, least int64, entry func(*decoder) E, check func(e *E, i int, off int64)) []E {
	list = slices.Grow(list[:0], room(d, count, least))
	for i := range count {
		off := d.Off()
		e := entry(d)
		if d.Err() != nil {
			break
		}
		list = append(list, e)
		check(&list[len(list)-1], i, off)
	}
	return list
}

func (p *parser) readImports(least int64, entry func(*decoder) unreal.PackageImport) {
	t := &p.sum.Imports
	var c importCheck
	p.table(t, "imports", least, 2*least, func(d *decoder) {
		c = importCheck{bounds: p.bounds()}
		p.facts.Imports = readList(d, p.facts.Imports, t.Count, least, entry, c.entry)
	})
	if c.report(&p.found, len(p.facts.Imports)) {
		p.facts.Imports = nil
		p.found.lost += lostTable
	}
}

func (d *decoder) importEntry() (e unreal.PackageImport) {
	e.ClassPackage = d.name()
	e.Class = d.name()
	if d.l.version >= verOuter {
		e.Outer = d.outer()
	}
	e.Name = d.name()
	return e
}

func (p *parser) readExports(least int64, entry func(*decoder) unreal.PackageExport) {
	t := &p.sum.Exports
	var c exportCheck
	p.table(t, "exports", least, 2*least, func(d *decoder) {
		c, p.spans = exportCheck{bounds: p.bounds()}, p.spans[:0]
		p.facts.Exports = readList(d, p.facts.Exports, t.Count, least, entry, c.entry)
	})
	p.data = c
	if c.report(&p.found, len(p.facts.Exports)) {
		p.facts.Exports = nil
		p.found.lost += lostTable
	}
}

func (d *decoder) exportEntry() (e unreal.PackageExport) {
	l := d.l
	e.Class, e.Super = d.ref(), d.ref()
	if l.version >= verOuter {
		e.Outer = d.outer()
	}
	d.Skip(l.afterOuter)
	if l.compactAfterOuter {
		d.index()
	}
	e.Name = d.name()
	if l.version >= verArchetype {
		e.Archetype = d.ref()
		d.Skip(l.afterArchetype)
	}
	e.Flags = d.flags(l.objectFlag)
	d.exportPlace(&e)
	if l.version >= verUE3 {
		d.exportTail3(&e)
	}
	d.Skip(l.exportTail)
	return e
}

// exportPlace reads size and offset. Before 249 an object without data has no
// offset; SerialSize decides.
func (d *decoder) exportPlace(e *unreal.PackageExport) {
	from := d.Off()
	defer func() { d.place = unreal.Span{Offset: from, Size: d.Off() - from} }()
	if d.l.plainSize {
		e.Size, e.Offset = int64(d.I32()), int64(d.I32())
		return
	}
	e.Size = int64(d.index())
	if d.l.wideOffset {
		e.Offset = d.I64()
		return
	}
	if e.Size > 0 || d.l.version >= verHeaderSize {
		e.Offset = int64(d.index())
	}
}

// exportTail3 reads what UE3 has after the place of the data.
func (d *decoder) exportTail3(e *unreal.PackageExport) {
	l := d.l
	if l.version < verNoComponents && !l.noComponents {
		component := 8
		if l.number {
			component = 12
		}
		d.skipArray(component)
	}
	if l.version >= verExportFlags && d.U32()&1 != 0 {
		e.ExportFlags = unreal.ExportForced
	}
	if l.version >= verNetObjects {
		d.skipArray(4)
		d.Skip(16) // identifier of the package, of a forced export's own one
	}
	if l.version >= verExportPackage && !l.noPackageFlags {
		e.PackageFlags = d.U32()
	}
}

// readDepends reads the list of references that each export waits for.
func (p *parser) readDepends() {
	t := &p.sum.Depends
	t.Count = len(p.facts.Exports)
	p.table(t, "depends", 4, 8, func(d *decoder) {
		lists := unreal.RefLists{Ends: make([]uint32, 0, room(d, t.Count, 4))}
		for range t.Count {
			for range count(d, 4) {
				lists.Refs = append(lists.Refs, unreal.ObjectRef(d.I32()))
			}
			if d.Err() != nil {
				break
			}
			lists.Ends = append(lists.Ends, uint32(len(lists.Refs)))
		}
		p.facts.Depends = lists
	})
}

// declare copies what the summary promises into the facts.
func (p *parser) declare() {
	p.facts.NameCount = max(p.sum.Names.Count, 0)
	p.facts.ImportCount = max(p.sum.Imports.Count, 0)
	p.facts.ExportCount = max(p.sum.Exports.Count, 0)
}

// loadHeader makes the header resident, if the package says how long it is. It
// reports whether that can be read at all: a codec may be missing.
func (p *parser) loadHeader() bool {
	n := p.facts.HeaderSize
	if n < 0 || n > p.sp.size {
		p.found.add(codecs.ErrTruncated, "header_size", 8, "%d > %d", n, p.sp.size)
		return true
	}
	if err := p.sp.load(n); err != nil {
		p.found.err("header", 0, err)
		return false
	}
	return true
}

// allNames reports whether there are names, and all of them were read. A
// package without any has nothing else either.
func (p *parser) allNames() bool {
	f := p.facts
	if len(f.Names) < f.NameCount || f.NameCount == 0 && f.ImportCount+f.ExportCount > 0 {
		p.found.lost += lostNames
		return false
	}
	return f.NameCount > 0
}

// finish turns the chosen attempt into the result.
func (p *parser) finish() *Package {
	c := checks{p}
	c.checkOuters()
	if !p.facts.Split {
		c.checkData()
	}
	c.markNative()
	c.limitPaths()
	return &Package{PackageFacts: *p.facts, Summary: p.sum, Problems: p.found.list, space: p.sp,
		noise: p.sortedNoise(), tags: p.tagLayout(), versions: p.v, numbers: p.numbers}
}
