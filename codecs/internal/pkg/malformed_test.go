package pkg_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

// tiny is a UE3 package made for these tests: no sample needed.
func tiny(version int) *build {
	name := func(i int32) unreal.ObjectName { return unreal.ObjectName{Index: i} }
	return &build{
		order: binary.LittleEndian, version: version, nameFlag: -1, chunk: 64,
		guid:  codecs.ID{Hi: 1, Lo: 2, Bits: 128},
		names: []unreal.PackageName{{Text: "None"}, {Text: "Core"}, {Text: "Package"}, {Text: "Class"}, {Text: "Object"}, {Text: "Mine"}},
		imports: []unreal.PackageImport{
			{ClassPackage: name(1), Class: name(2), Name: name(1)},
			{ClassPackage: name(1), Class: name(3), Outer: -1, Name: name(4)},
		},
		exports: []unreal.PackageExport{
			{Super: -2, Name: name(5), Flags: 4, Size: 5},
			{Class: 1, Outer: 1, Name: name(5), Flags: 4, Size: 6},
		},
		data:        [][]byte{[]byte("class"), []byte("object")},
		depends:     [][]unreal.ObjectRef{{-2}, {1}},
		generations: []unreal.PackageGeneration{{Exports: 2, Names: 6}},
	}
}

// Where fields of tiny(868) lie.
const (
	at868Flags   = 21
	at868Names   = 25 // count and offset, then those of exports and imports
	at868Exports = 33
	at868Imports = 41
)

func put(b []byte, at int, v uint32) []byte {
	b = bytes.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

func TestTinyIsHealthy(t *testing.T) {
	for _, v := range []int{61, 69, 128, 512, 868} {
		b := tiny(v)
		b.fit()
		sameContent(t, mustRead(t, b.bytes(t)), b)
	}
}

func TestMalformed(t *testing.T) {
	good := tiny(868).bytes(t)
	healthy := mustRead(t, good)
	imports, exports := int(healthy.Summary.Imports.Offset), int(healthy.Summary.Exports.Offset)
	names := int(healthy.Summary.Names.Offset)
	for _, c := range []struct {
		name  string
		in    []byte
		class error
		field string
		off   int64
	}{
		{"summary cut", good[:60], codecs.ErrTruncated, "summary", -2},
		{"names count negative", put(good, at868Names, 0x80000000), codecs.ErrCorrupt, "names.count", -1},
		{"names count huge", put(good, at868Names, 0x7FFFFFFF), codecs.ErrLimit, "names.count", -1},
		{"names offset after the end", put(good, at868Names+4, 1<<30), codecs.ErrTruncated, "names.offset", 1 << 30},
		{"names offset in the summary", put(good, at868Names+4, 8), codecs.ErrCorrupt, "names.offset", 8},
		{"exports offset after the end", put(good, at868Exports+4, 1<<30), codecs.ErrTruncated, "exports.offset", 1 << 30},
		{"imports count too large", put(good, at868Imports, 1000), codecs.ErrTruncated, "imports.count", int64(imports)},
		{"name of a gigabyte", put(good, names, 1<<30), codecs.ErrCorrupt, "names", int64(names) + 4},
		{"import names what is not there", put(good, imports+20, 99), codecs.ErrCorrupt, "imports[0].object", int64(imports)},
		{"import in nothing", put(good, imports+28+16, 99), codecs.ErrCorrupt, "imports[1].outer", int64(imports) + 28},
		{"import in itself", put(good, imports+28+16, 0xFFFFFFFE), codecs.ErrCorrupt, "imports[1].outer", int64(imports)},
		{"export of an unknown class", put(good, exports, 77), codecs.ErrCorrupt, "exports[0].class", int64(exports)},
		{"export inside itself", put(good, exports+8, 1), codecs.ErrCorrupt, "exports[0].outer", int64(exports)},
		{"negative size", put(good, exports+32, 0x80000000), codecs.ErrCorrupt, "exports[0].size", int64(exports)},
		{"data after the end", put(good, exports+36, 1<<20), codecs.ErrTruncated, "exports[0].offset", 1 << 20},
		{"names do not meet imports", put(good, at868Imports+4, uint32(imports+1)), codecs.ErrNonStrict, "names", int64(imports)},
		{"unknown codec", withCodec(t, 0x202), errors.ErrUnsupported, "chunks[0].blocks[0]", -2},
		{"chunk after the end", put(withCodec(t, 1), chunkTable(t)+8, 1<<30), codecs.ErrTruncated, "chunks[0].stored", 1 << 30},
		{"chunks with a gap", put(withCodec(t, 1), chunkTable(t)+16, 7), codecs.ErrCorrupt, "chunks[1].offset", -2},
		{"vendor's tag", []byte("ACE7 and more"), errors.ErrUnsupported, "tag", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustRead(t, c.in)
			for _, e := range p.Problems {
				if errors.Is(e, c.class) && e.Field == c.field && (e.Off == c.off || c.off == -2) {
					return
				}
			}
			t.Errorf("problems %v; want %v of %s at 0x%x", p.Problems, c.class, c.field, c.off)
		})
	}
}

func withCodec(t testing.TB, flags uint32) []byte {
	b := tiny(868)
	b.compression = 1
	raw := b.bytes(t)
	return put(raw, chunkTable(t)-8, flags)
}

// chunkTable is where the chunks of tiny(868) are listed.
func chunkTable(t testing.TB) int {
	b := tiny(868)
	b.compression = 1
	raw := b.bytes(t)
	first := mustRead(t, raw).Summary.Chunks[0]
	entry := binary.LittleEndian.AppendUint32(nil, uint32(first.Offset))
	entry = binary.LittleEndian.AppendUint32(entry, uint32(first.Size))
	return bytes.Index(raw, entry)
}

func TestNoPackage(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", codecs.ErrTruncated},
		{"\xC1\x83\x2A\x9E", codecs.ErrTruncated},
		{"no package at all", codecs.ErrUnknown},
	} {
		_, err := pkg.Read(context.Background(), bytes.NewReader([]byte(c.in)), int64(len(c.in)))
		if !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.in, err, c.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	raw := tiny(868).bytes(t)
	if _, err := pkg.Read(ctx, bytes.NewReader(raw), int64(len(raw))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Encrypted and undescribed builds are named, and no table is made up.
func TestUnknownLicensees(t *testing.T) {
	for _, c := range []struct {
		version, licensee int
		class             error
		game              string
	}{
		{128, 33, errors.ErrUnsupported, "America's Army 2"},
		{727, 75, errors.ErrUnsupported, "BioShock Infinite"},
	} {
		b := tiny(c.version)
		b.licensee = c.licensee
		b.fit()
		raw := b.bytes(t)
		names := int(mustRead(t, raw).Summary.Names.Offset)
		for i := range raw[names:] {
			raw[names+i] ^= 0x5A
		}
		p := mustRead(t, raw)
		if len(p.Problems) != 1 || !errors.Is(p.Problems[0], c.class) || len(p.Names)+len(p.Exports) > 0 || p.Layout != c.game {
			t.Errorf("%d/%d: layout %q, %d names, problems %v", c.version, c.licensee, p.Layout, len(p.Names), p.Problems)
		}
	}
}

func TestLineage(t *testing.T) {
	b := tiny(121)
	b.fit()
	raw := []byte("L\x00i\x00n\x00e\x00a\x00g\x00e\x002\x00V\x00e\x00r\x001\x001\x001\x00")
	for _, c := range b.bytes(t) {
		raw = append(raw, c^0xAC)
	}
	p := mustRead(t, raw)
	sameContent(t, p, b)
	equal(t, "layout", p.Layout, "Lineage2Ver111")
	raw[30] ^= 1
	if p := mustRead(t, raw); len(p.Problems) != 1 || !errors.Is(p.Problems[0], errors.ErrUnsupported) {
		t.Errorf("problems %v", p.Problems)
	}
}

// Damage anywhere ends in a result, and costs no more than a small multiple of
// the file.
func TestDamage(t *testing.T) {
	rnd, rounds := rand.New(rand.NewPCG(7, 7)), testkit.Of(200, 2000)
	var seeds [][]byte
	for _, v := range []int{61, 69, 128, 512, 868} {
		b := tiny(v)
		b.fit()
		seeds = append(seeds, b.bytes(t))
	}
	for _, at := range [][2]int{{100, 124}, {119, 28}, {141, 56}, {151, 1}, {159, 1}, {241, 66}, {402, 30}, {491, 1008}, {684, 194}, {868, 22}} {
		b := tiny(at[0]) // a standard package that claims to be a licensee's
		b.licensee = at[1]
		b.fit()
		seeds = append(seeds, b.bytes(t))
	}
	b := tiny(868)
	b.compression = 1
	seeds = append(seeds, b.bytes(t), packChunk(t, binary.BigEndian, "zlib", tiny(512).bytes(t), 0x1000))
	for _, seed := range seeds {
		for range rounds {
			raw := bytes.Clone(seed)
			for range 1 + rnd.IntN(4) {
				at := rnd.IntN(len(raw))
				raw[at] = [...]byte{0, 1, 0x7F, 0x80, 0xFF, byte(rnd.Uint32())}[rnd.IntN(6)]
			}
			raw = raw[:len(raw)-rnd.IntN(2)*rnd.IntN(len(raw))]
			checkCost(t, raw)
		}
	}
}

// checkCost reads raw as the inspector does and bounds what that allocates. The runtime counts
// what others allocate too, and some of it late, so a reading that costs too much is repeated.
func checkCost(t testing.TB, raw []byte) {
	t.Helper()
	most := 128*int64(len(raw)) + 2<<20
	cost := int64(math.MaxInt64)
	var p *pkg.Package
	var err error
	for i := 0; i < 3 && cost > most; i++ {
		before := allocated()
		p, err = pkg.Read(context.Background(), bytes.NewReader(raw), int64(len(raw)))
		cost = min(cost, allocated()-before)
	}
	if cost > most {
		t.Fatalf("%d bytes cost %d: %x", len(raw), cost, raw[:min(len(raw), 128)])
	}
	if err != nil {
		return
	}
	for _, e := range p.Problems {
		if e.Err == nil || e.Format == "" {
			t.Fatalf("problem without a cause: %#v", e)
		}
	}
	for i := range p.Exports {
		p.PathOf(unreal.ObjectRef(i + 1))
		p.ClassOf(i)
	}
	for i := range p.Imports {
		p.PathOf(unreal.ObjectRef(-i - 1))
		p.Depends.At(i)
	}
}

func allocated() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

func FuzzRead(f *testing.F) {
	for _, v := range []int{61, 69, 128, 343, 512, 868} {
		b := tiny(v)
		b.fit()
		f.Add(b.bytes(f))
	}
	b := tiny(868)
	b.compression = 1
	f.Add(b.bytes(f))
	f.Add(packChunk(f, binary.BigEndian, "zlib", tiny(512).bytes(f), 0x1000))
	for _, v := range variants() {
		b := tiny(v.version)
		v.dress(b)
		b.compression, b.chunk = v.flags, 200
		f.Add(b.bytes(f))
	}
	_, shipped, header, whole, _ := rocketLeague(f, 32, 8)
	f.Add(shipped)
	f.Add(header)
	f.Add(whole)
	f.Fuzz(func(t *testing.T, raw []byte) {
		checkCost(t, raw)
		e := &codecs.Entry{Name: "a.upk"}
		in := pkg.Inspector()
		if in.Match(e, raw[:min(len(raw), codecs.HeadSize)]) {
			_, _ = in.Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), e)
		}
	})
}
