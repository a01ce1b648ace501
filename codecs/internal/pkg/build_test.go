package pkg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"testing"
	"unicode/utf16"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// build is a package of UE1 to UE3 to be written: by a second hand, from the
// format's description, so that what has no public file can be read back.
type build struct {
	order             binary.AppendByteOrder
	version, licensee int
	flags             uint32
	guid              codecs.ID
	names             []unreal.PackageName
	imports           []unreal.PackageImport
	exports           []unreal.PackageExport
	data              [][]byte // by export
	generations       []unreal.PackageGeneration
	depends           [][]unreal.ObjectRef
	engine, cooker    int32

	compression uint32 // flags of the summary; 0 none
	chunk       int    // decompressed bytes of a chunk
	chunkTail   int    // bytes a licensee adds to an entry of the chunk table
	littleText  bool   // UTF-16 names are little-endian whatever the order

	// What a licensee adds.
	afterFlags, afterSource, afterArchetype             int
	afterCooker                                         []byte
	additional                                          bool // packages to cook are listed, before 516 too
	noTextures                                          bool
	nameFlag                                            int // bytes; -1 the version's
	afterVersion, afterExports, beforeGUID              int
	afterOuter, exportTail                              int
	splinter, plainIndex, outer16, wideNames, number    bool
	flags64, plainSize, compactAfterOuter, noLevelGUIDs bool
	noComponents, noPackageFlags                        bool
	stored                                              int  // version in the file, if not the one it is written by
	names8, names16                                     bool // u8, u16 lengths without the NUL

	rocket        int // bytes of an offset in Rocket League: 4 or 8; 0 another game
	garbage       int // bytes at the end of its header
	packedObjects []byte
}

// places are the offsets of a package, found by writing it until they hold.
type places struct{ summary, names, imports, exports, depends, hidden, data, size int }

type emitter struct {
	*build
	at, next places
	out      []byte
	table    int // where the empty chunk table is, behind its count
}

func (b *build) bytes(t testing.TB) []byte {
	t.Helper()
	var at places
	for range 8 {
		e := &emitter{build: b, at: at}
		e.emit()
		if e.next == at {
			return e.compress(t)
		}
		at = e.next
	}
	t.Fatal("offsets do not settle")
	return nil
}

func (e *emitter) u32(v ...uint32) {
	for _, v := range v {
		e.out = e.order.AppendUint32(e.out, v)
	}
}

func (e *emitter) i32(v ...int) {
	for _, v := range v {
		e.u32(uint32(v))
	}
}

func (e *emitter) pad(n int) {
	for range n {
		e.out = append(e.out, 0xEE)
	}
}

func (e *emitter) index(v int32) {
	if e.version < 178 && !e.plainIndex {
		e.out = unreal.AppendCompactIndex(e.out, v)
		return
	}
	e.u32(uint32(v))
}

func (e *emitter) outer(r unreal.ObjectRef) {
	if e.outer16 {
		e.out = e.order.AppendUint16(e.out, uint16(r))
		return
	}
	e.i32(int(r))
}

func (e *emitter) name(n unreal.ObjectName) {
	e.index(n.Index)
	if e.version >= 343 || e.number {
		e.i32(int(n.Number))
	}
}

func (e *emitter) text(s string) {
	var narrow []byte
	for _, r := range s {
		if r > 0xFF {
			e.wide(s)
			return
		}
		narrow = append(narrow, byte(r))
	}
	e.index(int32(len(narrow) + 1))
	e.out = append(append(e.out, narrow...), 0)
}

func (e *emitter) wide(s string) {
	units := append(utf16.Encode([]rune(s)), 0)
	e.index(-int32(len(units)))
	order := e.order
	if e.littleText {
		order = binary.LittleEndian
	}
	for _, u := range units {
		e.out = order.AppendUint16(e.out, u)
	}
}

func (e *emitter) emit() {
	e.summary()
	e.next.summary = len(e.out)
	e.next.names = len(e.out)
	e.nameTable()
	if e.version < 249 { // names, data, imports, exports, as UT99 has them
		e.objects()
	}
	e.next.imports = len(e.out)
	e.importTable()
	e.next.exports = len(e.out)
	e.exportTable()
	e.next.depends = len(e.out)
	if e.version >= 415 {
		for i := range e.exports {
			e.i32(len(e.depends[i]))
			for _, r := range e.depends[i] {
				e.i32(int(r))
			}
		}
	}
	if e.rocket > 0 {
		e.hiddenTable()
	}
	if e.version >= 249 {
		e.objects()
	}
	e.next.size = len(e.out)
}

func (e *emitter) objects() {
	e.next.data = len(e.out)
	for _, d := range e.data {
		e.out = append(e.out, d...)
	}
}

func (e *emitter) summary() {
	v, at := e.version, e.at
	stored := v
	if e.stored != 0 {
		stored = e.stored
	}
	e.u32(0x9E2A83C1, uint32(stored)|uint32(e.licensee)<<16)
	e.pad(e.afterVersion)
	if v >= 249 {
		e.i32(at.data)
	}
	if v >= 269 {
		e.text("None")
	}
	e.u32(e.flags)
	e.pad(e.afterFlags)
	e.i32(len(e.names), at.names, len(e.exports), at.exports)
	e.pad(e.afterExports)
	e.i32(len(e.imports), at.imports)
	if e.splinter {
		e.i32(-1)
		e.index(3)
		e.pad(3)
	}
	e.pad(e.beforeGUID)
	if v < 68 {
		e.i32(2, at.size) // heritage: at the end, the last one counts
		return
	}
	if v >= 415 {
		e.i32(at.depends)
	}
	if v >= 623 && !e.noLevelGUIDs {
		e.i32(at.data, 0, 0)
	}
	if v >= 584 {
		e.i32(0)
	}
	e.u32(uint32(e.guid.Hi>>32), uint32(e.guid.Hi), uint32(e.guid.Lo>>32), uint32(e.guid.Lo))
	e.i32(len(e.generations))
	for _, g := range e.generations {
		e.i32(int(g.Exports), int(g.Names))
		if v >= 322 {
			e.i32(int(g.NetObjects))
		}
	}
	e.summary3()
}

func (e *emitter) summary3() {
	v := e.version
	if v >= 245 {
		e.i32(int(e.engine))
	}
	if v >= 277 {
		e.i32(int(e.cooker))
	}
	e.out = append(e.out, e.afterCooker...)
	if v >= 334 {
		e.u32(e.compression, 0)
		e.table = len(e.out)
	}
	if v >= 482 {
		e.u32(0xC0FFEE)
	}
	e.pad(e.afterSource)
	if v >= 516 || e.additional {
		e.i32(1)
		e.text("Additional")
	}
	if v >= 767 && !e.noTextures {
		e.i32(1, 64, 64, 7, 2, 0, 2, 11, 12)
	}
	if e.rocket > 0 {
		e.i32(e.garbage, e.at.hidden-e.at.names, 16)
	}
}

func (e *emitter) nameTable() {
	for _, n := range e.names {
		e.nameText(n.Text)
		size := 4
		if e.version >= 195 {
			size = 8
		}
		if e.nameFlag >= 0 {
			size = e.nameFlag
		}
		switch size {
		case 4:
			e.u32(uint32(n.Flags))
		case 8:
			e.out = e.order.AppendUint64(e.out, n.Flags)
		}
	}
}

func (e *emitter) nameText(s string) {
	switch {
	case e.names8:
		e.out = append(append(append(e.out, byte(len(s))), s...), 0)
	case e.names16:
		e.out = append(append(e.order.AppendUint16(e.out, uint16(len(s))), s...), 0)
	case e.wideNames: // positive length, UTF-16
		e.index(int32(len(s) + 1))
		for _, c := range []byte(s + "\x00") {
			e.out = append(e.out, c, 0)
		}
	case e.version < 64:
		e.out = append(append(e.out, s...), 0)
	default:
		e.text(s)
	}
}

func (e *emitter) importTable() {
	for _, i := range e.imports {
		e.name(i.ClassPackage)
		e.name(i.Class)
		e.outer(i.Outer)
		e.name(i.Name)
	}
}

func (e *emitter) exportTable() {
	at := e.at.data
	for i, x := range e.exports {
		e.index(int32(x.Class))
		e.index(int32(x.Super))
		e.outer(x.Outer)
		e.pad(e.afterOuter)
		if e.compactAfterOuter {
			e.index(77)
		}
		e.name(x.Name)
		if e.version >= 220 {
			e.i32(int(x.Archetype))
			e.pad(e.afterArchetype)
		}
		if e.version >= 195 || e.flags64 {
			e.out = e.order.AppendUint64(e.out, x.Flags)
		} else {
			e.u32(uint32(x.Flags))
		}
		size := len(e.data[i])
		if e.plainSize {
			e.i32(size, at)
		} else {
			e.index(int32(size))
			switch {
			case e.rocket > 0:
				e.offset(at)
			case size > 0 || e.version >= 249:
				e.index(int32(at))
			}
		}
		at += size
		e.tail3(x)
		e.pad(e.exportTail)
	}
}

func (e *emitter) tail3(x unreal.PackageExport) {
	v := e.version
	if v >= 178 && v < 543 && !e.noComponents {
		e.i32(1) // a component
		e.name(unreal.ObjectName{Index: 1})
		e.i32(1)
	}
	if v >= 247 {
		e.i32(int(x.ExportFlags & unreal.ExportForced))
	}
	if v >= 322 {
		e.i32(1, 5) // net objects
		e.pad(16)
	}
	if v >= 475 && !e.noPackageFlags {
		e.u32(x.PackageFlags)
	}
}

// compress does what the engine's packer does with a package that is finished:
// it stores everything from the names on in chunks, and lists them in the
// summary. What the package says of itself stays: no offset counts the list.
func (e *emitter) compress(t testing.TB) []byte {
	if e.version < 68 {
		for k := range uint32(2) {
			e.u32(k, k, k, k)
		}
		return e.out
	}
	if e.compression == 0 {
		return e.out
	}
	n := (len(e.out) - e.at.names + e.chunk - 1) / e.chunk
	list := &emitter{build: e.build}
	var data []byte
	start := e.at.names + n*(16+e.chunkTail)
	for from := e.at.names; from < len(e.out); from += e.chunk {
		part := e.out[from:min(from+e.chunk, len(e.out))]
		stored := packChunk(t, e.order, methodFor(e.compression), part, 0x1000)
		list.i32(from, len(part), start+len(data), len(stored))
		list.pad(e.chunkTail)
		data = append(data, stored...)
	}
	count := e.order.AppendUint32(nil, uint32(n))
	return slices.Concat(e.out[:e.table-4], count, list.out, e.out[e.table:e.at.names], data)
}

func methodFor(flags uint32) compress.Method {
	switch flags & 0xF0F {
	case 1:
		return compress.Zlib
	case 0x400:
		return compress.Oodle
	}
	return compress.LZO1X
}

// packChunk writes one chunk: tag, sizes, list of blocks, blocks.
func packChunk(t testing.TB, order binary.AppendByteOrder, m compress.Method, data []byte, size int) []byte {
	var list, blocks []byte
	for from := 0; from < len(data); from += size {
		part := data[from:min(from+size, len(data))]
		stored := pack(t, m, part)
		list = order.AppendUint32(list, uint32(len(stored)))
		list = order.AppendUint32(list, uint32(len(part)))
		blocks = append(blocks, stored...)
	}
	out := order.AppendUint32(nil, 0x9E2A83C1)
	out = order.AppendUint32(out, uint32(size))
	out = order.AppendUint32(out, uint32(len(blocks)))
	out = order.AppendUint32(out, uint32(len(data)))
	return append(append(out, list...), blocks...)
}

func pack(t testing.TB, m compress.Method, data []byte) []byte {
	switch m {
	case compress.LZO1X:
		return lzoLiterals(data)
	case compress.Oodle: // a stored block
		return append([]byte{0xCC, 6}, data...)
	}
	b, err := compress.Encode(m, nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lzoLiterals is the simplest LZO1X stream: one run of literals.
func lzoLiterals(data []byte) []byte {
	if len(data) <= 238 {
		return append(append([]byte{byte(17 + len(data))}, data...), 0x11, 0, 0)
	}
	out := []byte{0}
	n := len(data) - 18
	for ; n > 255; n -= 255 {
		out = append(out, 0)
	}
	return append(append(append(out, byte(n)), data...), 0x11, 0, 0)
}

// sample reads a sample package and returns it with a build that has the same
// content.
func sample(t testing.TB, name string) (*pkg.Package, *build) {
	t.Helper()
	raw, err := os.ReadFile(codecstest.Sample(t, "unreal-package", name))
	if err != nil {
		t.Fatal(err)
	}
	p := mustRead(t, raw)
	b := &build{
		order: binary.LittleEndian, version: p.Version, licensee: p.Licensee, flags: p.Flags, guid: p.GUID,
		names: p.Names, imports: p.Imports, exports: p.Exports, generations: p.Generations,
		engine: 9656, cooker: 17, nameFlag: -1, chunk: 0x3000,
	}
	for i := range p.Exports {
		b.data = append(b.data, exportData(t, p, i))
		b.depends = append(b.depends, p.Depends.At(i))
	}
	return p, b
}

func mustRead(t testing.TB, raw []byte) *pkg.Package {
	t.Helper()
	p, err := pkg.Read(context.Background(), bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func exportData(t testing.TB, p *pkg.Package, i int) []byte {
	t.Helper()
	r, err := p.OpenExport(i, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
