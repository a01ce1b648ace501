package pkg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// sameContent compares all that a package says, apart from where it says it.
func sameContent(t *testing.T, got *pkg.Package, b *build) {
	t.Helper()
	for _, p := range got.Problems {
		t.Errorf("problem: %v", p)
	}
	if len(got.Names) != len(b.names) || len(got.Imports) != len(b.imports) || len(got.Exports) != len(b.exports) {
		t.Fatalf("%d names, %d imports, %d exports; want %d, %d, %d",
			len(got.Names), len(got.Imports), len(got.Exports), len(b.names), len(b.imports), len(b.exports))
	}
	for i, n := range b.names {
		equal(t, "name", got.Names[i].Text, n.Text)
	}
	for i, want := range b.imports {
		want.Flags = got.Imports[i].Flags
		equal(t, "import", got.Imports[i], want)
	}
	for i, want := range b.exports {
		e := got.Exports[i]
		want.Offset, e.Offset = 0, 0
		equal(t, "export", e, want)
		if !bytes.Equal(exportData(t, got, i), b.data[i]) {
			t.Errorf("data of export %d differs", i)
		}
		if b.version >= 415 && !slices.Equal(got.Depends.At(i), b.depends[i]) {
			t.Errorf("depends of export %d = %v, want %v", i, got.Depends.At(i), b.depends[i])
		}
	}
	if b.version >= 68 {
		equal(t, "guid", got.GUID, b.guid)
		equal(t, "generations", len(got.Generations), len(b.generations))
	}
}

// fit removes what the version cannot hold.
func (b *build) fit() {
	b.imports, b.exports = slices.Clone(b.imports), slices.Clone(b.exports)
	number := func(n *unreal.ObjectName) {
		if b.version < 343 {
			n.Number = 0
		}
	}
	for i := range b.imports {
		e := &b.imports[i]
		number(&e.ClassPackage)
		number(&e.Class)
		number(&e.Name)
	}
	for i := range b.exports {
		e := &b.exports[i]
		number(&e.Name)
		if b.version < 220 {
			e.Archetype = 0
		}
		if b.version < 195 {
			e.Flags &= 0xFFFFFFFF
		}
		if b.version < 475 {
			e.PackageFlags = 0
		}
	}
}

// Every threshold of the UE3 summary and tables, in both byte orders.
func TestUE3Versions(t *testing.T) {
	_, base := sample(t, "TestUC3.u")
	for _, v := range []int{178, 194, 195, 219, 220, 245, 247, 249, 269, 277, 322, 334, 343, 415, 475, 482, 512, 516, 542,
		543, 584, 623, 767, 868} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			t.Run(fmt.Sprintf("%d %v", v, order), func(t *testing.T) {
				b := *base
				b.version, b.order = v, order
				b.fit()
				got := mustRead(t, b.bytes(t))
				sameContent(t, got, &b)
				equal(t, "version", got.Version, v)
				equal(t, "big-endian", got.BigEndian, order == binary.AppendByteOrder(binary.BigEndian))
				equal(t, "engine", got.Engine, "UE3")
				if v >= 277 {
					equal(t, "cooker", got.CookerVersion, 17)
				}
			})
		}
	}
}

// Below 64 names end in NUL; below 68 the identifier is the last of a list.
func TestUE1Versions(t *testing.T) {
	_, base := sample(t, "TestUC1.u")
	for _, v := range []int{60, 61, 63, 64, 67, 68, 69, 99, 100, 128, 177} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			b := *base
			b.version = v
			got := mustRead(t, b.bytes(t))
			sameContent(t, got, &b)
			if v < 68 {
				equal(t, "guid", got.GUID.String(), "00000001000000010000000100000001")
			}
			want := "UE1"
			if v >= 100 {
				want = "UE2"
			}
			equal(t, "engine", got.Engine, want)
		})
	}
}

// Long names take two bytes of length, others are not Latin at all.
func TestNameTexts(t *testing.T) {
	long := string(bytes.Repeat([]byte("LongName"), 40))
	texts := []string{"None", "\x11\x14", "caf\u00e9", "\ud55c\uae00", "a" + long, "", " trailing "}
	for _, base := range []string{"TestUC1.u", "TestUC3.u"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			_, b := sample(t, base)
			if b.version < 178 && order == binary.AppendByteOrder(binary.BigEndian) {
				continue // big-endian exists in UE3 only
			}
			b.order = order
			b.names = slices.Clone(b.names)
			for i, s := range texts {
				b.names[len(b.names)-1-i].Text = s
			}
			sameContent(t, mustRead(t, b.bytes(t)), b)
			b.littleText = true // found by the zero halves of Latin letters
			b.names[len(b.names)-4].Text = "mostly Latin \u0394"
			sameContent(t, mustRead(t, b.bytes(t)), b)
		}
	}
}

func TestChunks(t *testing.T) {
	for _, c := range []struct {
		name        string
		compression uint32
		order       binary.AppendByteOrder
	}{
		{"zlib", 1, binary.LittleEndian},
		{"zlib", 1, binary.BigEndian},
		{"lzo1x", 2, binary.LittleEndian},
		{"lzo1x", 2, binary.BigEndian},
	} {
		t.Run(fmt.Sprintf("%s %v", c.name, c.order), func(t *testing.T) {
			if !compress.CanDecode(methodFor(c.compression)) {
				t.Skipf("no decoder for %s", c.name)
			}
			_, b := sample(t, "TestUC3.u")
			b.order, b.compression, b.chunk = c.order, c.compression, 0x2345
			got := mustRead(t, b.bytes(t))
			sameContent(t, got, b)
			equal(t, "compression", got.Compression, c.name)
			if len(got.Summary.Chunks) < 3 {
				t.Errorf("%d chunks", len(got.Summary.Chunks))
			}
		})
	}
}

// A fully compressed package: its byte order is not the wrapper's.
func TestWrapper(t *testing.T) {
	_, b := sample(t, "TestUC3.u")
	for _, m := range []compress.Method{compress.Zlib, compress.LZO1X} {
		for _, outer := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, inner := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				t.Run(fmt.Sprintf("%s %v %v", m, outer, inner), func(t *testing.T) {
					if !compress.CanDecode(m) {
						t.Skipf("no decoder for %s", m)
					}
					b.order = inner
					got := mustRead(t, packChunk(t, outer, m, b.bytes(t), 0x10000))
					sameContent(t, got, b)
					equal(t, "compression", got.Compression, m.String())
					equal(t, "big-endian", got.BigEndian, inner == binary.AppendByteOrder(binary.BigEndian))
				})
			}
		}
	}
}

// Layouts of licensees, as the public readers have them.
func TestLicensees(t *testing.T) {
	for _, c := range []struct {
		name              string
		version, licensee int
		edit              func(*build)
		layout            string
	}{
		{"Mass Effect", 491, 1008, massEffect, "Mass Effect"},
		{"Mass Effect 2", 513, 130, massEffect, "Mass Effect"},
		{"Mass Effect 3", 684, 194, massEffect, "Mass Effect"},
		{"Batman", 807, 138, func(b *build) { b.afterArchetype = 4 }, "Batman: Arkham"},
		{"Wheelman", 390, 32, func(b *build) { b.noComponents = true }, "Wheelman"},
		{"Army of Two", 482, 222, func(b *build) { b.noPackageFlags = true; noFlags(b) }, "Army of Two"},
		{"APB", 547, 30, func(b *build) { b.afterExports = 24 }, "APB"},
		{"Borderlands", 594, 58, func(b *build) { b.stored, b.version, b.noLevelGUIDs = 594, 832, true }, "Borderlands"},
		{"Vegas", 241, 66, func(b *build) { b.afterVersion = 8 }, "Rainbow Six: Vegas"},
		{"unknown", 706, 28, func(b *build) { b.afterFlags = 4 }, "licensee, 4 bytes after the flags"},
		{"standard", 871, 1117, func(*build) {}, "standard"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, b := sample(t, "TestUC3.u")
			b.version, b.licensee = c.version, c.licensee
			b.fit()
			c.edit(b)
			raw := b.bytes(t)
			got := mustRead(t, raw)
			sameContent(t, got, b)
			equal(t, "layout", got.Layout, c.layout)
			equal(t, "version", got.Version, c.version)
		})
	}
}

func noFlags(b *build) {
	for i := range b.exports {
		b.exports[i].PackageFlags = 0
	}
}

func TestLicensees2(t *testing.T) {
	for _, c := range []struct {
		layout            string
		version, licensee int
		edit              func(*build)
	}{
		{"Deus Ex: Invisible War", 95, 69, func(b *build) { b.beforeGUID = 4 }},
		{"Thief: Deadly Shadows", 95, 133, func(b *build) { b.beforeGUID = 4 }},
		{"Splinter Cell", 100, 12, func(b *build) { b.splinter = true }},
		{"Splinter Cell: Pandora Tomorrow", 102, 29, func(b *build) { b.splinter = true }},
		{"Splinter Cell: Chaos Theory", 100, 124, func(b *build) { b.splinter, b.afterVersion, b.names8 = true, 4, true }},
		{"Unreal Championship", 119, 30, func(b *build) { b.names16 = true }},
		{"Unreal Championship 2", 151, 1, func(b *build) { b.plainIndex, b.outer16 = true, true }},
		{"Republic Commando", 138, 1, func(*build) {}},
		{"Republic Commando", 159, 1, func(b *build) { b.plainSize, b.compactAfterOuter = true, true }},
		{"BioShock", 141, 56, func(b *build) {
			b.wideNames, b.number, b.flags64, b.nameFlag, b.afterOuter, b.exportTail = true, true, true, 8, 4, 4
		}},
		{"Advent Rising", 143, 61447, func(b *build) { b.outer16 = true }},
		{"Advent Rising", 145, 61447, func(b *build) { b.outer16, b.plainIndex = true, true }},
	} {
		t.Run(fmt.Sprintf("%s %d", c.layout, c.version), func(t *testing.T) {
			_, b := sample(t, "TestUC2.u")
			b.version, b.licensee = c.version, c.licensee
			c.edit(b)
			got := mustRead(t, b.bytes(t))
			if b.plainSize {
				zeroOffsets(got)
			}
			sameContent(t, got, b)
			equal(t, "layout", got.Layout, c.layout)
			equal(t, "engine", got.Engine, "UE2")
		})
	}
}

// zeroOffsets forgets where objects without data are said to lie.
func zeroOffsets(p *pkg.Package) {
	for i := range p.Exports {
		if p.Exports[i].Size == 0 {
			p.Exports[i].Offset = 0
		}
	}
}
