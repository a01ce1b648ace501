package pkg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// massEffect is what BioWare adds, by the licensee.
func massEffect(b *build) {
	lic := b.licensee
	if lic == 1008 {
		lic = 90
	}
	if lic >= 194 {
		b.afterFlags, b.flags = 4, b.flags|8 // cooked
	}
	e := emitter{build: b}
	if lic >= 16 && lic <= 135 {
		e.i32(0)
	}
	if lic >= 32 && lic <= 135 {
		e.i32(47699)
	}
	if lic >= 35 && lic <= 112 { // a map of texts to lists of texts
		e.i32(1)
		e.text("BIOC_Base")
		e.i32(2)
		e.text("one")
		e.text("another")
	}
	if lic >= 37 {
		e.i32(1, 0)
	}
	if lic >= 39 && lic <= 135 {
		e.i32(-1, -1)
	}
	b.afterCooker = e.out
	if lic >= 44 && lic <= 135 {
		b.afterSource = 4
	}
	b.additional = b.version == 512 || b.version == 513
	b.noTextures = true
	switch {
	case lic >= 142:
		b.nameFlag = 0
	case lic >= 102:
		b.nameFlag = 4
	}
}

const (
	flagZlib  = 1
	flagLZO   = 2
	flagLZX   = 4
	flagOodle = 0x400
)

type variant struct {
	game              string
	version, licensee int
	flags             uint32
	bigEndian         bool
	edit              func(*build)
	layout            string
}

func standard(*build) {}

// variants are the builds that ship compressed packages. Each is written as the
// description of its licensee has it.
func variants() []variant {
	return []variant{
		{"Mass Effect", 491, 1008, flagLZO, false, massEffect, "Mass Effect"},
		{"Mass Effect 2", 512, 130, flagLZO, false, massEffect, "Mass Effect"},
		{"Mass Effect 2", 513, 130, flagLZO, false, massEffect, "Mass Effect"},
		{"Mass Effect 2, PS3", 684, 150, flagZlib, true, massEffect, "Mass Effect"},
		{"Mass Effect, PS3", 684, 153, flagZlib, true, massEffect, "Mass Effect"},
		{"Mass Effect 3", 684, 194, flagZlib, false, massEffect, "Mass Effect"},
		{"Mass Effect 3, PS3", 684, 194, flagZlib, true, massEffect, "Mass Effect"},
		{"Mass Effect 3, Wii U", 845, 194, flagZlib, true, massEffect, "Mass Effect"},
		{"Mass Effect LE 1", 684, 171, flagOodle, false, massEffect, "Mass Effect"},
		{"Mass Effect LE 2", 684, 168, flagOodle, false, massEffect, "Mass Effect"},
		{"Mass Effect LE 3", 685, 205, flagOodle, false, massEffect, "Mass Effect"},
		{"XCOM", 845, 64, flagLZO, false, standard, "standard"},
		{"XCOM 2", 845, 97, flagLZO, false, standard, "standard"},
		{"XCOM 2", 845, 120, flagZlib, false, standard, "standard"},
		{"UDK", 868, 0, flagZlib, false, standard, "standard"},
		{"UDK", 864, 0, flagLZO, false, standard, "standard"},
		{"Marvel Heroes", 859, 3, flagLZO, false, standard, "standard"},
		{"Marvel Heroes 1.52", 868, 0, flagLZO | 0x10, false, func(b *build) { b.engine = 10897 }, "standard"},
		{"Unreal Tournament 3", 512, 0, flagLZO | 0x20, false, standard, "standard"},
		{"Unreal Tournament 3, PS3", 512, 0, flagZlib | 0x80, true, standard, "standard"},
		{"Gears of War", 490, 0, flagZlib, true, standard, "standard"},
		{"Batman", 807, 138, flagLZO, false, func(b *build) { b.afterArchetype = 4 }, "Batman: Arkham"},
		{"Bulletstorm", 742, 29, flagLZO, false, func(b *build) { b.chunkTail = 4 }, "licensee, 4 bytes after each chunk"},
		{"unknown", 706, 28, flagZlib, false, func(b *build) { b.afterFlags = 4 }, "licensee, 4 bytes after the flags"},
	}
}

// made is a UE3 package large enough for several chunks: no sample needed.
func made() *build {
	b := tiny(868)
	b.engine, b.cooker = 9656, 17
	for i := range 60 {
		b.names = append(b.names, unreal.PackageName{Text: fmt.Sprintf("Object%02d", i), Flags: 0x0007001000000000})
	}
	for i := range 100 {
		b.exports = append(b.exports, unreal.PackageExport{Class: 1, Outer: unreal.ObjectRef(i % 3), Archetype: -2,
			Name: unreal.ObjectName{Index: int32(6 + i%60), Number: int32(i % 2)}, Flags: 0x0007000400000000, Size: int64(10 + i)})
		b.data = append(b.data, bytes.Repeat([]byte{byte(i)}, 10+i))
		b.depends = append(b.depends, []unreal.ObjectRef{-1, unreal.ObjectRef(i + 1)}[:i%3])
	}
	return b
}

func (v *variant) build(t testing.TB) *build {
	t.Helper()
	b := made()
	v.dress(b)
	return b
}

// dress makes b a package of the variant's game.
func (v *variant) dress(b *build) {
	b.version, b.licensee = v.version, v.licensee
	if v.bigEndian {
		b.order = binary.BigEndian
	}
	b.fit()
	v.edit(b)
}

// Compressing a package changes nothing that is said of it, whatever a licensee
// adds to the summary, and however long the chunk table is.
func TestCompressedVariants(t *testing.T) {
	for _, v := range variants() {
		for _, chunk := range []int{1 << 20, 0x2345, 0x200} {
			t.Run(fmt.Sprintf("%s %d-%d chunks of %d", v.game, v.version, v.licensee, chunk), func(t *testing.T) {
				b := v.build(t)
				plain := mustRead(t, b.bytes(t))
				sameContent(t, plain, b)
				if b.chunkTail == 0 { // else only a chunk table tells
					equal(t, "layout", plain.Layout, v.layout)
				}
				b.compression, b.chunk = v.flags, chunk
				got := mustRead(t, b.bytes(t))
				sameContent(t, got, b)
				equal(t, "layout", got.Layout, v.layout)
				equal(t, "compression", got.Compression, methodFor(v.flags).String())
				equal(t, "source", got.Summary.Source, plain.Summary.Source)
				equal(t, "end of the summary", got.Summary.End, plain.Summary.End)
				equal(t, "names", got.Summary.Names, plain.Summary.Names)
				equal(t, "exports", got.Summary.Exports, plain.Summary.Exports)
				equal(t, "generations", len(got.Generations), len(plain.Generations))
				for i := range got.Exports {
					equal(t, "place of an export", got.Exports[i].Offset, plain.Exports[i].Offset)
				}
			})
		}
	}
}

// A whole compressed package may itself be in chunks, and in a wrapper.
func TestWrappedVariants(t *testing.T) {
	for _, v := range variants() {
		b := v.build(t)
		b.compression, b.chunk = v.flags, 0x2345
		got := mustRead(t, packChunk(t, binary.LittleEndian, "zlib", b.bytes(t), 0x10000))
		sameContent(t, got, b)
		equal(t, "compression", got.Compression, "zlib+"+methodFor(v.flags).String())
	}
}

// Where nobody decodes the method, the summary is shown, and the method is the
// one thing that is wrong.
func TestCompressedWithoutDecoder(t *testing.T) {
	for _, v := range []variant{
		{"Mass Effect, Xbox 360", 391, 92, flagLZX, true, massEffect, "Mass Effect"},
		{"Mass Effect 2, Xbox 360", 512, 130, flagLZX, true, massEffect, "Mass Effect"},
		{"Mass Effect 3, Wii U", 845, 194, 8, true, massEffect, "Mass Effect"},
		{"XCOM, Xbox 360", 845, 64, flagLZX, true, standard, "standard"},
	} {
		b := v.build(t)
		b.compression = v.flags
		got := mustRead(t, b.bytes(t))
		equal(t, "layout", got.Layout, v.layout)
		equal(t, "engine", got.EngineVersion, "9656")
		equal(t, "exports", got.ExportCount, len(b.exports))
		if len(got.Problems) != 1 || !errors.Is(got.Problems[0], errors.ErrUnsupported) {
			t.Errorf("%s: problems %v", v.game, got.Problems)
		}
	}
}

// What a damaged chunk table says of the first chunk is never believed.
func TestFirstChunk(t *testing.T) {
	b := tiny(868)
	b.compression = flagZlib
	raw := b.bytes(t)
	at := chunkTable(t)
	for _, first := range []uint32{0, 4, uint32(at), uint32(at) + 1, uint32(at) + 8, uint32(len(raw)), uint32(len(raw)) + 40, 1 << 30} {
		got := mustRead(t, put(raw, at, first))
		if len(got.Problems) == 0 || len(got.Names) > 0 && !errors.Is(got.Problems[0], codecs.ErrCorrupt) {
			t.Errorf("first chunk at %d: %d names, problems %v", first, len(got.Names), got.Problems)
		}
	}
}
