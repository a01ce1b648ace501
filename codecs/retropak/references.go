package retropak

import (
	"crypto/md5"
	"encoding/binary"
	"io"
	"math"

	"pakdb/codecs"
)

// writePrime writes named resources, entries and data one after the other.
func (w *writer) writePrime() error {
	b := binary.BigEndian.AppendUint32(nil, magicPrime)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = w.appendNames(b)
	size := w.variant.alignUp(int64(len(b) + w.entriesSize()))
	base := size
	if w.based {
		base = 0
	}
	if base+w.data.Size() > math.MaxUint32 {
		return codecs.Errorf(codecs.ErrLimit, "offsets have 32 bits")
	}
	b = w.appendEntries(b, base)
	b = append(b, padding(int64(len(b)), w.variant.align, 0)...)
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.out.Write(b); err != nil {
		return err
	}
	_, err := w.data.WriteTo(w.out)
	return err
}

// writeCorruption writes header, sections and data, and then, into the header,
// the MD5 of all that follows it.
func (w *writer) writeCorruption() error {
	names := w.padded(w.appendNames(nil))
	entries := w.padded(w.appendEntries(nil, 0))
	toc := binary.BigEndian.AppendUint32(nil, 3)
	for _, s := range []section{
		{name: "STRG", size: int64(len(names))},
		{name: "RSHD", size: int64(len(entries))},
		{name: "DATA", size: w.data.Size()},
	} {
		toc = append(toc, s.name...)
		toc = binary.BigEndian.AppendUint32(toc, uint32(s.size))
	}
	sum := md5.New()
	if _, err := w.out.Seek(headerSize, io.SeekStart); err != nil {
		return err
	}
	both := io.MultiWriter(w.out, sum)
	for _, part := range [][]byte{w.padded(toc), names, entries} {
		if _, err := both.Write(part); err != nil {
			return err
		}
	}
	if _, err := w.data.WriteTo(both); err != nil {
		return err
	}
	return w.writeHeader(sum.Sum(nil))
}

func (w *writer) writeHeader(sum []byte) error {
	b := binary.BigEndian.AppendUint32(make([]byte, 0, headerSize), magicCorruption)
	b = binary.BigEndian.AppendUint32(b, headerSize)
	if w.noMD5 {
		clear(sum)
	}
	b = append(b, sum...)
	if _, err := w.out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.out.Write(w.padded(b)); err != nil {
		return err
	}
	_, err := w.out.Seek(0, io.SeekEnd)
	return err
}

// padded fills a table up with zeros.
func (w *writer) padded(b []byte) []byte {
	return append(b, padding(int64(len(b)), w.variant.align, 0)...)
}

func (w *writer) appendNames(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(w.named)))
	for _, n := range w.named {
		b = w.variant.appendNamed(b, n)
	}
	return b
}

func (w *writer) entriesSize() int { return 4 + len(w.records)*w.variant.recordSize() }

// appendEntries appends the entry table; base is added to offsets.
func (w *writer) appendEntries(b []byte, base int64) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(w.records)))
	for _, rec := range w.records {
		b = binary.BigEndian.AppendUint32(b, rec.compressed)
		b = w.variant.appendID(append(b, rec.fourCC[:]...), rec.id)
		b = binary.BigEndian.AppendUint32(b, uint32(rec.size))
		b = binary.BigEndian.AppendUint32(b, uint32(base+rec.offset))
	}
	return b
}

// Versions of CMDL.
const (
	modelPrime      = 2
	modelEchoes     = 4
	modelCorruption = 5
)

// visibilityGroups is the flag of a model with one more table in its header,
// whose layout is not known well enough.
const visibilityGroups = 0x10

// model reads the textures of a CMDL. Header: magic, version, flags, six
// floats, section count, material set count, section sizes, zeros to 32; then
// the sections, the material sets first.
func model(x *references) {
	if !x.magic(0xdeadbabe) {
		return
	}
	x.in("header")
	version, flags := x.r.U32(), x.r.U32()
	if !knownModel(version, flags, x.bits) {
		x.complete = false
		return
	}
	x.r.Skip(24)
	sections := int64(x.r.U32())
	sets := x.r.CheckCount(int64(x.r.U32()), 4)
	sizes := make([]int64, x.r.CheckCount(sections, 4))
	for i := range sizes {
		sizes[i] = int64(x.r.U32())
	}
	x.r.Skip(-x.r.Pos() & 31)
	if sets > len(sizes) && x.failure() == nil {
		x.err = codecs.Errorf(codecs.ErrCorrupt, "%d material sets in %d sections", sets, len(sizes))
	}
	for i := 0; i < sets && x.failure() == nil; i++ {
		x.materialSet(version, sizes[i])
	}
}

func knownModel(version, flags uint32, bits uint8) bool {
	if version == modelCorruption {
		return bits == 64 && flags&visibilityGroups == 0
	}
	return (version == modelPrime || version == modelEchoes) && bits == 32
}

// materialSet reads one section and moves to the next.
func (x *references) materialSet(version uint32, size int64) {
	x.in("material set")
	end := x.r.Pos() + x.r.CheckCount(size, 1)
	if version == modelCorruption {
		for range x.r.Count(4) {
			x.material()
		}
	} else {
		for range x.r.Count(4) {
			x.ref("TXTR")
		}
	}
	if x.r.Pos() > end && x.failure() == nil {
		x.err = codecs.Errorf(codecs.ErrCorrupt, "ends %d bytes after its section", x.r.Pos()-end)
	}
	x.r.Seek(end)
}

// material reads a material of Metroid Prime 3: size, seven words, and a chain
// of tagged parts until END.
func (x *references) material() {
	x.in("material")
	size := x.r.Count(1)
	end := x.r.Pos() + size
	x.r.Skip(28)
	for x.failure() == nil && x.r.Pos() < end {
		switch tag := x.fourCC(); tag {
		case "PASS":
			x.pass()
		case "CLR ", "INT ":
			x.r.Skip(8)
		case "END ":
			x.r.Seek(end)
			return
		default:
			x.complete = false // the rest of it is not understood
			x.r.Seek(end)
			return
		}
	}
}

// pass reads a texture pass: size, kind, flags, texture and coordinates.
func (x *references) pass() {
	next := x.r.Count(1) + x.r.Pos()
	x.r.Skip(8)
	x.ref("TXTR")
	x.r.Seek(next)
}

// Versions of MLVL. Donkey Kong Country Returns (0x1b) has another header.
const (
	worldPrime      = 0x11
	worldEchoes     = 0x17
	worldCorruption = 0x19
)

// world reads a MLVL: the areas of a world, what they need, and its map.
func world(x *references) {
	if !x.magic(0xdeafbabe) {
		return
	}
	x.in("version")
	version := x.r.U32()
	if !knownWorld(version, x.bits) {
		x.complete = false
		return
	}
	x.worldHeader(version)
	x.areas(version)
	x.in("map")
	x.ref("MAPW")
	if version == worldPrime {
		x.audioGroups()
	}
}

func knownWorld(version uint32, bits uint8) bool {
	if version == worldCorruption {
		return bits == 64
	}
	return (version == worldPrime || version == worldEchoes) && bits == 32
}

// worldHeader reads the name, in Metroid Prime 2 that of the dark world too,
// the saved state and the sky.
func (x *references) worldHeader(version uint32) {
	x.in("header")
	x.ref("STRG")
	if version == worldEchoes {
		x.ref("STRG")
	}
	if version != worldPrime {
		x.r.Skip(4) // key of the temple
	}
	x.ref("SAVW")
	x.ref("CMDL")
	if version == worldPrime {
		x.skipList(11) // memory relays
	}
}

func (x *references) areas(version uint32) {
	x.in("areas")
	n := x.r.Count(72 + 3*x.idBytes())
	if version == worldPrime {
		x.r.Skip(4)
	}
	for i := 0; i < n && x.failure() == nil; i++ {
		x.area(version)
	}
}

// area reads name, transform and box, area, internal id, attached areas, what
// to load before it (in the older versions), and docks.
func (x *references) area(version uint32) {
	x.in("area")
	x.ref("STRG")
	x.r.Skip(18 * 4)
	x.ref("MREA")
	x.id()
	x.skipList(2)
	if version < worldCorruption {
		x.dependencies()
	}
	x.in("docks")
	for range x.r.Count(8) {
		x.skipList(8)  // docks on the other side
		x.skipList(12) // corners
	}
	if version == worldEchoes {
		x.modules()
	}
	if version != worldPrime {
		x.r.CString() // internal name
	}
}

// dependencies reads what an area needs: a list that is empty in known files,
// the list proper, and where each layer starts in it.
func (x *references) dependencies() {
	x.in("dependencies")
	for range 2 {
		for range x.r.Count(8) {
			id := x.id()
			x.add(x.fourCC(), id)
		}
	}
	x.skipList(4)
}

// modules passes over the names of the code that an area needs, and where each
// layer starts among them.
func (x *references) modules() {
	x.in("modules")
	for range x.r.Count(1) {
		x.r.CString()
	}
	x.skipList(4)
}

// audioGroups reads the sounds of a world: five zeros, then a number and an
// audio group each.
func (x *references) audioGroups() {
	x.in("audio groups")
	x.r.Skip(5)
	for range x.r.Count(8) {
		x.r.Skip(4)
		x.ref("AGSC")
	}
}

// leaf is a type that refers to nothing.
func leaf(*references) {}

// group reads a DGRP: a list of dependencies.
func group(x *references) {
	x.in("dependencies")
	x.tagged(x.r.Count(4 + x.idBytes()))
}

// tagged reads n pairs of type and id.
func (x *references) tagged(n int) {
	for range n {
		typ := x.fourCC()
		x.ref(typ)
	}
}

// mapWorld reads a MAPW: the maps of the areas.
func mapWorld(x *references) {
	if !x.magic(0xdeadf00d) {
		return
	}
	x.in("version")
	if v := x.r.U32(); v != 1 {
		x.complete = false
		return
	}
	x.in("areas")
	for range x.r.Count(x.idBytes()) {
		x.ref("MAPA")
	}
}

// scannable reads the SCAN of Metroid Prime 1: frame, text, and four images of
// 28 bytes each. Later ones end with a list whose start takes a parser of
// script objects to find.
func scannable(x *references) {
	if x.bits != 32 || x.r.U32() != 5 || x.r.U32() != 0x0badbeef {
		x.complete = false
		return
	}
	x.in("frame and text")
	x.ref("FRME")
	x.ref("STRG")
	x.r.Skip(9) // speed, category, importance
	x.in("images")
	for range 4 {
		x.ref("TXTR")
		x.r.Skip(24)
	}
}

// Scan returns how to find references of an asset by searching for known ids,
// or nil when that could only add chance hits: e is no asset of these games, or
// facts, which may be nil, has all its references.
//
// Against the 47,844 ids of Metroid Prime 3, 64-bit hits are practically
// exact. Against the 22,211 of Metroid Prime 1, five hits per MiB are chance,
// and so they are weak.
func Scan(e *codecs.Entry, facts *codecs.Facts) *codecs.Scan {
	if !isAsset(e) {
		return nil
	}
	if facts != nil {
		if d, ok := facts.Detail.(*Facts); ok && d.Complete {
			return nil
		}
	}
	s := &codecs.Scan{
		Layout:     codecs.IDLayout{Width: 8, Big: true, Align: 1},
		Spaces:     []codecs.Space{Asset},
		SkipCommon: true,
	}
	if e.ID.Bits == 32 {
		s.Layout, s.Flags = codecs.IDLayout{Width: 4, Big: true, Align: 4}, codecs.Weak
	}
	return s
}
