package unrealpkg

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/family/unreal"
)

// readClassic reads a package of UE1 to UE3: by the layouts that its version
// and licensee suggest, until one has no contradiction.
func readClassic(ctx context.Context, sp *space, o opening) (*Package, error) {
	version, licensee := int(o.version&0xFFFF), int(o.version>>16)
	var best *parser
	for _, l := range layouts(version, licensee) {
		p := tryClassic(ctx, sp, o.order, &l)
		p.facts.Version = version
		if best == nil || best.found.worse(&p.found) {
			best = p
		}
		if best.found.clean() || ctx.Err() != nil {
			break
		}
	}
	best.blameLicensee()
	return best.finish(), nil
}

func tryClassic(ctx context.Context, sp *space, order binary.ByteOrder, l *layout) *parser {
	p := &parser{ctx: ctx, sp: sp, order: order, lay: l, facts: &unreal.PackageFacts{
		Engine: l.engine, Version: l.version, Licensee: l.licensee, Layout: l.label(),
		BigEndian: order == binary.BigEndian, BareNumbers: l.wideText,
	}}
	if p.classicSummary() {
		p.classicTables()
	}
	return p
}

// classicSummary reads the summary and what it needs to reach the tables, and
// reports whether they can be read.
func (p *parser) classicSummary() bool {
	if _, err := p.sp.scan(p.ctx, p.lay, p.order, extent{0, headBytes}, p.summary); err != nil {
		p.found.err("summary", 0, err)
		p.found.lost += lostSummary
		return false
	}
	p.declare()
	if p.lay.version >= verHeaderSize {
		p.meets("summary", p.sum.End, p.sum.Names.Offset)
	}
	if err := p.decompress(); err != nil {
		p.found.err("chunks", p.sum.End, err)
		return false
	}
	if !p.loadHeader() {
		return false
	}
	p.showChunks()
	if err := p.readHeritage(); err != nil {
		p.found.err("heritage", p.sum.Heritage.Offset, err)
	}
	return true
}

// declare copies what the summary promises into the facts.
func (p *parser) declare() {
	p.facts.NameCount = max(p.sum.Names.Count, 0)
	p.facts.ImportCount = max(p.sum.Imports.Count, 0)
	p.facts.ExportCount = max(p.sum.Exports.Count, 0)
}

// decompress replaces the space by the decompressed one, where there is one.
func (p *parser) decompress() error {
	if len(p.sum.Chunks) == 0 {
		return nil
	}
	method := methodOf(p.sum.compressionFlags, p.lay)
	p.facts.Compression = methodText(method)
	c, err := newChunked(p.sp.r, p.sp.size, method, p.sum.Chunks)
	if err == nil {
		c.head, err = p.plainHead()
	}
	if err != nil {
		return err
	}
	p.sp = newSpace(c, c.size(), p.sp.size)
	return nil
}

// plainHead returns what the decompressed package has before the first chunk:
// the summary without the chunk table. It is nil where the file has just that
// there.
func (p *parser) plainHead() ([]byte, error) {
	table, size := p.sum.chunkTable, p.sum.Chunks[0].Offset
	switch {
	case table.Size == 0:
		return nil, nil
	case size < table.Offset:
		return nil, chunkError(0, "offset", table.Offset, "%d is inside the summary", size)
	case size+table.Size > p.sp.size:
		return nil, chunkError(0, "offset", table.Offset, "%d is behind the end of the file", size)
	}
	stored, err := p.sp.window(0, size+table.Size)
	if err != nil {
		return nil, err
	}
	return slices.Concat(stored[:table.Offset], stored[table.Offset+table.Size:]), nil
}

// showChunks decompresses a package of Rocket League, which keeps the chunk
// table in the header: someone who decrypted that may have left the chunks as
// they are. In one that was decompressed too the table leads to no chunk.
func (p *parser) showChunks() {
	s := &p.sum
	if s.hiddenChunks <= 0 || len(s.Chunks) > 0 || s.compressionFlags == 0 {
		return
	}
	var chunks []Chunk
	at := s.Names.Offset + s.hiddenChunks
	if _, err := p.sp.scan(p.ctx, p.lay, p.order, extent{at, 4096}, func(d *decoder) { chunks = readChunks(d) }); err != nil || len(chunks) == 0 {
		return
	}
	c, err := newChunked(p.sp.r, p.sp.size, methodOf(s.compressionFlags, p.lay), chunks)
	if err != nil || chunks[0].Offset < s.End || !c.hasHeader() {
		return
	}
	s.Chunks, p.facts.Compression = chunks, methodText(c.method)
	p.sp = newSpace(c, c.size(), p.sp.size)
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

// readHeritage reads the identifiers of UE1 below 68. The last one is the
// package's.
func (p *parser) readHeritage() error {
	t := &p.sum.Heritage
	if t.Count <= 0 {
		return nil
	}
	last := t.Offset + int64(t.Count-1)*16
	end, err := p.sp.scan(p.ctx, p.lay, p.order, extent{last, 16}, func(d *decoder) { p.facts.GUID = d.guid() })
	t.End = end
	return err
}

// classicTables reads names, imports, exports and what hangs on them. Without
// all names the other tables mean nothing.
func (p *parser) classicTables() {
	l := p.lay
	p.readNames(l.minName(), (*decoder).nameEntry)
	if !p.allNames() {
		return
	}
	p.readImports(l.minImport(), (*decoder).importEntry)
	p.readExports(l.minExport(), (*decoder).exportEntry)
	p.checkTables123()
	p.checkRoots()
	p.classicDepends()
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

// classicDepends reads the depends table of UE3. Cooked packages may have
// garbage there, which is nothing to report.
func (p *parser) classicDepends() {
	if p.sum.Depends.Offset <= 0 || len(p.facts.Exports) < p.facts.ExportCount {
		return
	}
	before := p.found
	p.readDepends()
	d := &p.facts.Depends
	if p.found.hard != before.hard || !p.dependsInRange() {
		p.found = before
		*d = unreal.RefLists{}
		p.sum.Depends.End = 0
		if p.facts.Flags&cookedUE3 == 0 {
			p.found.add(codecs.ErrNonStrict, "depends", p.sum.Depends.Offset, "not a list of references for each export")
		}
	}
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

// blameLicensee replaces the findings of a layout that does not fit by what is
// known of the licensee, and drops tables that it would be wrong to show. The
// key of an archive is of no use here, so that what is encrypted is unsupported.
func (p *parser) blameLicensee() {
	d, ok := unknownLayout(p.facts.Version, p.facts.Licensee, p.facts.Flags)
	if !ok || p.found.hard == 0 {
		return
	}
	if d.clearSummary {
		p.blameCipher(d)
		return
	}
	what := "layout"
	if d.encrypted {
		what = "encryption"
	}
	p.found = findings{}
	p.found.add(errors.ErrUnsupported, "version", 4, "%s of %s (%d/%d)", what, d.game, p.facts.Version, p.facts.Licensee)
	f := p.facts
	*f = unreal.PackageFacts{Engine: f.Engine, Version: f.Version, Licensee: f.Licensee, Layout: d.game, BigEndian: f.BigEndian}
	p.sum = Summary{}
}

// blameCipher keeps the summary of a package of which only the rest is
// encrypted. What was decrypted, and is damaged, has its own findings.
func (p *parser) blameCipher(d deviation) {
	f := p.facts
	if p.found.lost >= lostSummary || !p.namesEncrypted() {
		return
	}
	p.found = findings{}
	p.found.add(errors.ErrUnsupported, "names", p.sum.Names.Offset, "encrypted by %s (%d/%d), whose keys pakdb does not have",
		d.game, f.Version, f.Licensee)
	f.Layout, f.Compression = d.game, methodText(methodOf(p.sum.compressionFlags, p.lay))
	f.Names, f.Imports, f.Exports, f.Depends = nil, nil, nil, unreal.RefLists{}
	p.sum.Names.End = 0
}

// namesEncrypted: the first name has no length that a name can have, which is
// chance once in two million times.
func (p *parser) namesEncrypted() bool {
	b, err := p.sp.window(p.sum.Names.Offset, 4)
	if err != nil || len(b) < 4 {
		return false
	}
	n := int32(p.order.Uint32(b))
	return n == 0 || n < -maxName || n > maxName
}

// finish turns the chosen attempt into the result.
func (p *parser) finish() *Package {
	p.checkOuters()
	if !p.facts.Split {
		p.checkData()
	}
	p.markNative()
	p.limitPaths()
	return &Package{PackageFacts: *p.facts, Summary: p.sum, Problems: p.found.list, space: p.sp,
		noise: p.sortedNoise(), tags: p.tagLayout()}
}
