package pkg

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// classic reads packages of UE1 to UE3.
type classic struct{ *parser }

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
	classic{best}.blameLicensee()
	return best.finish(), nil
}

func tryClassic(ctx context.Context, sp *space, order binary.ByteOrder, l *layout) *parser {
	p := &parser{ctx: ctx, sp: sp, order: order, lay: l, facts: &unreal.PackageFacts{
		Engine: l.engine, Version: l.version, Licensee: l.licensee, Layout: l.label(),
		BigEndian: order == binary.BigEndian, BareNumbers: l.wideText,
	}}
	if c := (classic{p}); c.classicSummary() {
		c.classicTables()
	}
	return p
}

// classicSummary reads the summary and what it needs to reach the tables, and
// reports whether they can be read.
func (p classic) classicSummary() bool {
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

// decompress replaces the space by the decompressed one, where there is one.
func (p classic) decompress() error {
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
func (p classic) plainHead() ([]byte, error) {
	table, size := p.sum.chunkTable, p.sum.Chunks[0].Offset
	switch {
	case table.Size == 0:
		return nil, nil
	case size < table.Offset:
		return nil, chunkError(0, "offset", table.Offset, "%d is inside the summary", size)
	case size+table.Size > p.sp.size:
		return nil, chunkError(0, "offset", table.Offset, "%d is after the end of the file", size)
	}
	stored, err := p.sp.window(0, size+table.Size)
	if err != nil {
		return nil, err
	}
	return slices.Concat(stored[:table.Offset], stored[table.Offset+table.Size:]), nil
}

// showChunks decompresses a package of Rocket League, which keeps the chunk
// table in the header: a tool that decrypted that may have left the chunks as
// they are. In one that was decompressed too the table leads to no chunk.
func (p classic) showChunks() {
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

// readHeritage reads the identifiers of UE1 below 68. The last one is the
// package's.
func (p classic) readHeritage() error {
	t := &p.sum.Heritage
	if t.Count <= 0 {
		return nil
	}
	last := t.Offset + int64(t.Count-1)*16
	end, err := p.sp.scan(p.ctx, p.lay, p.order, extent{last, 16}, func(d *decoder) { p.facts.GUID = unreal.ReadID(&d.Reader) })
	t.End = end
	return err
}

// classicTables reads names, imports, exports and what hangs on them. Without
// all names the other tables mean nothing.
func (p classic) classicTables() {
	l := p.lay
	p.readNames(l.minName(), (*decoder).nameEntry)
	if !p.allNames() {
		return
	}
	p.readImports(l.minImport(), (*decoder).importEntry)
	p.readExports(l.minExport(), (*decoder).exportEntry)
	p.checkTables123()
	checks(p).checkRoots()
	p.classicDepends()
}

// classicDepends reads the depends table of UE3. Cooked packages may have
// garbage there, which is nothing to report.
func (p classic) classicDepends() {
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

// blameLicensee replaces the findings of a layout that does not fit by what is
// known of the licensee, and drops tables that it would be wrong to show. The
// key of an archive is of no use here, so that what is encrypted is unsupported.
func (p classic) blameLicensee() {
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
func (p classic) blameCipher(d deviation) {
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
func (p classic) namesEncrypted() bool {
	b, err := p.sp.window(p.sum.Names.Offset, 4)
	if err != nil || len(b) < 4 {
		return false
	}
	n := int32(p.order.Uint32(b))
	return n == 0 || n < -maxName || n > maxName
}
