package umod_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/umod"
)

func uzMade(t testing.TB, content []byte) []byte {
	t.Helper()
	return codecstest.Write(t, umod.UzFormat(), nil, []codecstest.Item{{Entry: &codecs.Entry{Name: "a.u"}, Data: content}})
}

func TestContract(t *testing.T) {
	for name, content := range map[string][]byte{
		"one byte":     {1},
		"a block":      bytes.Repeat([]byte("abcd"), 0x2000),
		"more":         bytes.Repeat([]byte("pakdb "), 30_000),
		"incompressed": noise(100_000),
	} {
		t.Run(name, func(t *testing.T) {
			src := codecstest.Bytes("Test.ukx.UZ2", uzMade(t, content))
			codecstest.Contract(t, umod.UzFormat(), src, codecstest.ContractOptions{})
			codecstest.ByteCoverage(t, umod.UzFormat(), src, nil)
			items := codecstest.Items(t, codecstest.Open(t, umod.UzFormat(), src, nil))
			if len(items) != 1 || items[0].Entry.Name != "Test.ukx" || !bytes.Equal(items[0].Data, content) {
				t.Errorf("%d entries, %+v", len(items), items[0].Entry)
			}
		})
	}
}

// noise is what zlib cannot make smaller.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}

// A package of the samples through a redirect server and back.
func TestPackage(t *testing.T) {
	want, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "TestUC2.u"))
	if err != nil {
		t.Fatal(err)
	}
	items := codecstest.Items(t, codecstest.Open(t, umod.UzFormat(), codecstest.Bytes("TestUC2.u.uz2", uzMade(t, want)), nil))
	if items[0].Entry.Name != "TestUC2.u" || !bytes.Equal(items[0].Data, want) {
		t.Errorf("entry %+v", items[0].Entry)
	}
}

func TestRawIsTheFile(t *testing.T) {
	raw := uzMade(t, []byte("content"))
	src := codecstest.Bytes("a.uz2", raw)
	e := codecstest.Items(t, codecstest.Open(t, umod.UzFormat(), src, nil))[0].Entry
	var out codecstest.Buffer
	w, err := umod.UzFormat().Create(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.AddRaw(context.Background(), e, bytes.NewReader(raw)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), raw) {
		t.Error("copied raw it differs")
	}
}

func old(name string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 5678)
	b = append(b, byte(len(name)+1))
	return append(append(append(b, name...), 0), "coded"...)
}

func TestOld(t *testing.T) {
	src := codecstest.Bytes("x.uz", old("Botpack.u"))
	codecstest.Contract(t, umod.UzFormat(), src, codecstest.ContractOptions{})
	a := codecstest.Open(t, umod.UzFormat(), src, nil)
	for e, err := range a.Entries() {
		if err != nil || e.Name != "Botpack.u" || e.Stored != src.Size {
			t.Errorf("%+v, %v", e, err)
		}
		if _, err := a.Open(context.Background(), e); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("opened: %v", err)
		}
	}
}

func TestProbe(t *testing.T) {
	good := uzMade(t, bytes.Repeat([]byte("x"), 70_000))
	for _, c := range []struct {
		name string
		in   []byte
		want codecs.Match
	}{
		{"uz2", good, codecs.MagicMatch},
		{"uz", old("A.u"), codecs.MagicMatch},
		{"empty", nil, codecs.NoMatch},
		{"short", good[:9], codecs.NoMatch},
		{"cut", good[:len(good)-1], codecs.NoMatch},
		{"longer", append(bytes.Clone(good), 0), codecs.NoMatch},
		{"other size", codecstest.Patch(good, 4, 1), codecs.NoMatch},
		{"damaged block", codecstest.Patch(good, 12, 0xFF, 0xFF), codecs.NoMatch},
		{"text", []byte(strings.Repeat("text ", 100)), codecs.NoMatch},
		{"1234 and no name", append([]byte{0xD2, 4, 0, 0, 3}, "\x01\x02\x00"...), codecs.NoMatch},
	} {
		got, err := umod.UzFormat().Probe(codecstest.Bytes(c.name, c.in))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

func TestUzMalformed(t *testing.T) {
	good := uzMade(t, bytes.Repeat([]byte("x"), 70_000))
	second := 8 + int(binary.LittleEndian.Uint32(good))
	third := second + 8 + int(binary.LittleEndian.Uint32(good[second:]))
	codecstest.Malformed(t, umod.UzFormat(), []codecstest.Vector{
		{Name: "empty", Want: codecs.ErrTruncated, Field: "blocks[0]", Off: 0},
		{Name: "no size", Bytes: codecstest.Patch(good, 4, 0, 0), Want: codecs.ErrCorrupt, Field: "blocks[0]", Off: 0},
		{Name: "second block cut", Bytes: good[:second+4], Want: codecs.ErrTruncated, Field: "blocks[1]", Off: int64(second)},
		{Name: "second block too large", Bytes: codecstest.Patch(good, second+4, 1, 0x80), Want: codecs.ErrCorrupt, Field: "blocks[1]", Off: int64(second)},
		{Name: "data cut", Bytes: good[:len(good)-1], Want: codecs.ErrTruncated, Field: "blocks[2]", Off: int64(third) + 8},
		{Name: "data", Bytes: codecstest.Patch(good, second+12, 0xFF, 0xFF), Want: codecs.ErrCorrupt, Field: "blocks[1]", Off: int64(second) + 8},
	})
}

func TestUzCreateRefuses(t *testing.T) {
	for _, o := range []codecs.CreateOptions{{Version: "uz"}, {MountPoint: "x"}, {Method: "lz4"}, {BlockSize: 1}, {Encrypt: true}, {Align: 4}, {Seed: 1}} {
		if _, err := umod.UzFormat().Create(new(codecstest.Buffer), &o); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	w, err := umod.UzFormat().Create(new(codecstest.Buffer), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("closed without an entry")
	}
	if err := w.Add(context.Background(), &codecs.Entry{}, strings.NewReader("")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("empty content: %v", err)
	}
	if err := w.Add(context.Background(), &codecs.Entry{}, strings.NewReader("x")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("second entry: %v", err)
	}
}

// The suite writes what it could read under another file name, which here is
// the entry's: written is checked apart.
func FuzzUzOpen(f *testing.F) {
	readOnly := *umod.UzFormat()
	readOnly.Create = nil
	codecstest.FuzzOpen(f, &readOnly, nil, uzMade(f, []byte("content")), uzMade(f, noise(40_000)), old("A.u"))
}

func FuzzWrite(f *testing.F) {
	f.Add([]byte("content"))
	f.Add(noise(40_000))
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) == 0 {
			return
		}
		src := codecstest.Bytes("a.uz2", uzMade(t, content))
		if m, err := umod.UzFormat().Probe(src); m != codecs.MagicMatch || err != nil {
			t.Fatalf("not recognised: %v, %v", m, err)
		}
		if got := codecstest.Items(t, codecstest.Open(t, umod.UzFormat(), src, nil))[0].Data; !bytes.Equal(got, content) {
			t.Fatal("content differs")
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	content := bytes.Repeat([]byte("some text that repeats, "), 1<<16)
	a := codecstest.Open(b, umod.UzFormat(), codecstest.Bytes("a.uz2", uzMade(b, content)), nil)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codecstest.ReadEntry(b.Context(), a, &codecs.Entry{Size: int64(len(content))}); err != nil {
			b.Fatal(err)
		}
	}
}
