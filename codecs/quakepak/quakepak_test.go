package quakepak_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/quakepak"
)

// fixture is a pak of two files as the engine's source describes it, byte by byte.
const fixture = `
	50 41 43 4b  1f 00 00 00  80 00 00 00                   PACK, directory at 31, 128 bytes
	62 69 6e 64 20 77 20 2b 66 6f 72 77 61 72 64 0a         bind w +forward
	7b 7d 0a                                                {}
	64 65 66 61 75 6c 74 2e 63 66 67 00 00 00 00 00         default.cfg
	00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	00 00 00 00 00 00 00 00  0c 00 00 00  10 00 00 00       16 bytes at 12
	6d 61 70 73 2f 65 31 6d 31 2e 65 6e 74 00 00 00         maps/e1m1.ent
	00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
	00 00 00 00 00 00 00 00  1c 00 00 00  03 00 00 00       3 bytes at 28
`

const (
	directory = 31 // of the fixture
	second    = directory + 64
)

func decode(t testing.TB) (b []byte) {
	t.Helper()
	for line := range strings.Lines(fixture) {
		digits := strings.ReplaceAll(line[:min(len(line), 56)], " ", "")
		row, err := hex.DecodeString(strings.TrimSpace(digits))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, row...)
	}
	return b
}

func item(name, content string) codecstest.Item {
	return codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: []byte(content)}
}

func TestContract(t *testing.T) {
	src := codecstest.Bytes("pak0.pak", decode(t))
	codecstest.Contract(t, quakepak.Format(), src, codecstest.ContractOptions{})
	codecstest.ByteCoverage(t, quakepak.Format(), src, nil)
	for _, p := range codecstest.Problems(t.Context(), quakepak.Format(), src, nil) {
		t.Error(p)
	}
}

func TestFixture(t *testing.T) {
	want := []codecstest.Item{item("default.cfg", "bind w +forward\n"), item("maps/e1m1.ent", "{}\n")}
	got := codecstest.Items(t, codecstest.Open(t, quakepak.Format(), codecstest.Bytes("pak0.pak", decode(t)), nil))
	if differ := codecstest.Equal(want, got); differ != "" {
		t.Error(differ)
	}
	if b := codecstest.Write(t, quakepak.Format(), nil, want); !bytes.Equal(b, decode(t)) {
		t.Errorf("written:\n%s", hex.Dump(b))
	}
}

func TestEmpty(t *testing.T) {
	b := codecstest.Write(t, quakepak.Format(), nil, nil)
	if want := "PACK\x0c\x00\x00\x00\x00\x00\x00\x00"; string(b) != want {
		t.Errorf("% x", b)
	}
	codecstest.Contract(t, quakepak.Format(), codecstest.Bytes("pak0.pak", b), codecstest.ContractOptions{})
}

func TestMalformed(t *testing.T) {
	good := decode(t)
	u32 := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	codecstest.Malformed(t, quakepak.Format(), []codecstest.Vector{
		{Name: "empty", Want: codecs.ErrUnknown, Field: "magic", Off: 0},
		{Name: "magic", Bytes: codecstest.Patch(good, 0, 'S'), Want: codecs.ErrUnknown, Field: "magic", Off: 0},
		{Name: "header cut", Bytes: good[:9], Want: codecs.ErrTruncated, Field: "header", Off: 8},
		{Name: "directory cut", Bytes: good[:len(good)-1], Want: codecs.ErrTruncated, Field: "directory", Off: 4},
		{Name: "directory after the end", Bytes: codecstest.Patch(good, 4, u32(0xffffff00)...), Want: codecs.ErrTruncated, Field: "directory", Off: 4},
		{Name: "directory larger than the limit", Bytes: codecstest.Patch(good, 4, 12, 0, 0, 0, 64), Want: codecs.ErrLimit, Field: "directory", Off: 12,
			Options: &codecs.Options{Limits: codecs.Limits{Table: 63}}},
		{Name: "directory size", Bytes: codecstest.Patch(good, 8, 100), Want: codecs.ErrCorrupt, Field: "directory", Off: 8},
		{Name: "72 bytes an entry", Bytes: daikatana(8), Want: errors.ErrUnsupported, Field: "directory", Off: 12},
		{Name: "72 bytes an entry, one", Bytes: daikatana(1), Want: errors.ErrUnsupported, Field: "directory", Off: 12},
		{Name: "entry after the end", Bytes: codecstest.Patch(good, second+56, u32(1<<31)...), Want: codecs.ErrTruncated, Field: "offset", Off: second + 56, Entry: "maps/e1m1.ent"},
		{Name: "entry ends after the end", Bytes: codecstest.Patch(good, second+60, u32(0xffffffff)...), Want: codecs.ErrTruncated, Field: "offset", Off: second + 56},
		{Name: "entry larger than the limit", Bytes: good, Want: codecs.ErrLimit, Field: "size", Off: directory + 60,
			Options: &codecs.Options{Limits: codecs.Limits{Entry: 15}}},
		{Name: "name without NUL", Bytes: codecstest.Patch(good, directory, bytes.Repeat([]byte("a"), 56)...), Want: codecs.ErrNonStrict, Field: "name", Off: directory, Entry: strings.Repeat("a", 56)},
		{Name: "name with bytes after NUL", Bytes: codecstest.Patch(good, second+55, 'x'), Want: codecs.ErrNonStrict, Field: "name", Off: second, Entry: "maps/e1m1.ent"},
		{Name: "entries overlap", Bytes: codecstest.Patch(good, second+56, 27), Want: codecs.ErrNonStrict, Field: "offset", Off: 27, Entry: "maps/e1m1.ent"},
		{Name: "entry in the directory", Bytes: codecstest.Patch(good, second+60, 4), Want: codecs.ErrNonStrict, Field: "offset", Off: directory},
		{Name: "gap", Bytes: codecstest.Patch(good, directory+60, 15), Want: codecs.ErrNonStrict, Field: "data", Off: 27},
		{Name: "bytes after the directory", Bytes: append(decode(t), 0), Want: codecs.ErrNonStrict, Field: "data", Off: int64(len(good))},
	})
}

// daikatana is a pak with entries of 72 bytes, which 8 of make whole entries of
// Quake.
func daikatana(n uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("PACK\x0c\x00\x00\x00"), 72*n)
	for i := range n {
		b = append(b, fmt.Sprintf("%-8d%048d", i, 0)...)
		for _, v := range []uint32{12, 40, 20, i % 2} { // offset, size, compressed size, flag
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return b
}

// TestNames: names are listed as they are stored, and repeat.
func TestNames(t *testing.T) {
	names := []string{"../../etc/passwd", "/etc/passwd", "Read M\u00e9.txt", "a", "a", ""}
	var items []codecstest.Item
	for i, name := range names {
		items = append(items, item(name, fmt.Sprint(i)))
	}
	b := codecstest.Write(t, quakepak.Format(), nil, items)
	for i, it := range codecstest.Items(t, codecstest.Open(t, quakepak.Format(), codecstest.Bytes("pak0.pak", b), nil)) {
		if it.Entry.Name != names[i] || string(it.Data) != fmt.Sprint(i) {
			t.Errorf("entry %d: %q with %q", i, it.Entry.Name, it.Data)
		}
	}
	back := codecstest.Patch(decode(t), second+4, '\\')
	if _, ok := codecstest.Contents(t, codecstest.Open(t, quakepak.Format(), codecstest.Bytes("pak0.pak", back), nil))["maps/e1m1.ent"]; !ok {
		t.Error("a backslash is no slash")
	}
}

func TestProbe(t *testing.T) {
	good := decode(t)
	for _, tt := range []struct {
		name    string
		bytes   []byte
		want    codecs.Match
		explain string
	}{
		{"pak0.pak", good, codecs.MagicMatch, ""},
		{"game.dat", good, codecs.MagicMatch, ""},
		{"pak0.pak", good[:100], codecs.NoMatch, "directory at 0x4: truncated: 128 bytes at 31, the file has 100"},
		{"PAK0.PAK", []byte("PACK"), codecs.NoMatch, "header at 0x4: truncated"},
		{"pack-1.pack", []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x07x\x9c"), codecs.NoMatch, ""}, // of Git
		{"other.pak", []byte("no pak"), codecs.NoMatch, ""},
		{"empty.pak", nil, codecs.NoMatch, ""},
	} {
		src := codecstest.Bytes(tt.name, tt.bytes)
		if got, err := quakepak.Format().Probe(src); got != tt.want || err != nil {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
		why := quakepak.Format().Explain(src)
		if (why == nil) != (tt.explain == "") || why != nil && !strings.Contains(why.Error(), tt.explain) {
			t.Errorf("%s: %v", tt.name, why)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, o := range []codecs.CreateOptions{{Version: "SPAK"}, {MountPoint: "x"}, {Method: "zlib"}, {BlockSize: 1}, {Encrypt: true}, {Align: 4}} {
		if _, err := quakepak.Format().Create(new(codecstest.Buffer), &o); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, tt := range []struct {
		entry codecs.Entry
		want  error
	}{
		{codecs.Entry{Name: strings.Repeat("a", 56)}, codecs.ErrName},
		{codecs.Entry{Name: "a\x00b"}, codecs.ErrName},
		{codecs.Entry{Name: "\u0394"}, codecs.ErrName},
		{codecs.Entry{Name: "a", Flags: codecs.Deleted}, errors.ErrUnsupported},
		{codecs.Entry{Name: "a", Method: "zlib"}, errors.ErrUnsupported},
	} {
		w, err := quakepak.Format().Create(new(codecstest.Buffer), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddRaw(t.Context(), &tt.entry, strings.NewReader("")); !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v", tt.entry, err)
		}
	}
}

func TestMounting(t *testing.T) {
	f := quakepak.Format()
	for name, want := range map[string]int{"id1/pak0.pak": 0, `id1\PAK1.PAK`: 1, "pak10.pak": 10, "maps.pak": -1, "Htic2-1.pak": 1, "1": 1, "": -1,
		"pak99999999999999999999.pak": -1} {
		if got := f.Mounts().Order(name); got != want {
			t.Errorf("%s has order %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]string{"id1/pak0.pak": "pak3.pak", "pak12.pak": "pak3.pak", "maps.pak": "maps3.pak", "x": "x3.pak"} {
		if got := f.Mounts().PatchName(name, 3); got != want {
			t.Errorf("the patch of %s is %s, want %s", name, got, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	codecstest.FuzzOpen(f, quakepak.Format(), nil, decode(f), daikatana(8))
}

// BenchmarkRead lists, reads and verifies few large entries, and many small ones.
func BenchmarkRead(b *testing.B) {
	for _, bm := range []struct{ n, size int }{{4, 1 << 20}, {4096, 1}} {
		b.Run(fmt.Sprintf("%d of %d bytes", bm.n, bm.size), func(b *testing.B) {
			var items []codecstest.Item
			for i := range bm.n {
				items = append(items, item(fmt.Sprintf("maps/%d.bsp", i), strings.Repeat("x", bm.size)))
			}
			raw := codecstest.Write(b, quakepak.Format(), nil, items)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if p := codecstest.Problems(b.Context(), quakepak.Format(), codecstest.Bytes("pak0.pak", raw), nil); len(p) > 0 {
					b.Fatal(p)
				}
			}
		})
	}
}
