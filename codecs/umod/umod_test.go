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

// made is a small installer: two manifest entries, a package, a text.
func made(t testing.TB) []byte {
	t.Helper()
	manifest := "[Setup]\r\nProduct=Test\r\nVersion=1\r\nRequires=UT\r\nGroup=G\r\n[UT]\r\nProduct=Unreal Tournament\r\n" +
		"[G]\r\nFile=(Src=System\\Test.u,Size=4)\r\nCopy=(Src=Help\\Read M\u00e9.txt,Size=9)\r\n"
	return codecstest.Write(t, umod.Format(), nil, items("System/Manifest.ini", manifest, "System/Test.u", "code", "Help/Read M\u00e9.txt", ""))
}

func items(pairs ...string) (out []codecstest.Item) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, codecstest.Item{Entry: &codecs.Entry{Name: pairs[i]}, Data: []byte(pairs[i+1])})
	}
	return out
}

func TestSample(t *testing.T) {
	path := codecstest.Sample(t, "unreal-package", "DropStuff.umod")
	src := codecstest.OpenFile(t, path)
	codecstest.Contract(t, umod.Format(), src, codecstest.ContractOptions{})
	codecstest.ByteCoverage(t, umod.Format(), src, nil)

	got := codecstest.Items(t, codecstest.Open(t, umod.Format(), src, nil))
	want := []struct {
		name         string
		offset, size int64
	}{
		{"System/Manifest.ini", 0, 742}, {"System/Manifest.int", 742, 540}, {"System/DropStuff.int", 1282, 157},
		{"System/DropStuff.u", 1439, 2626}, {"Help/DropStuff_ReadMe.txt", 4065, 1513},
	}
	if len(got) != len(want) {
		t.Fatalf("%d entries", len(got))
	}
	for i, w := range want {
		e := got[i].Entry
		if e.Name != w.name || e.Offset != w.offset || e.Size != w.size {
			t.Errorf("entry %d: %q at %d, %d bytes; want %v", i, e.Name, e.Offset, e.Size, w)
		}
	}
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if again := codecstest.Write(t, umod.Format(), nil, got); !bytes.Equal(again, original) {
		t.Errorf("written again it differs: %d and %d bytes", len(again), len(original))
	}
}

func TestMade(t *testing.T) {
	src := codecstest.Bytes("made.umod", made(t))
	codecstest.Contract(t, umod.Format(), src, codecstest.ContractOptions{})
	a := codecstest.Open(t, umod.Format(), src, nil)
	for _, p := range codecstest.Problems(context.Background(), umod.Format(), src, nil) {
		t.Error(p)
	}
	if got := codecstest.Contents(t, a)["System/Test.u"]; string(got) != "code" {
		t.Errorf("content %q", got)
	}
	want := []codecs.Detail{{Name: "Product", Value: "Test"}, {Name: "Version", Value: "1"}, {Name: "Requires", Value: "UT"},
		{Name: "Group", Value: "G"}, {Name: "UT.Product", Value: "Unreal Tournament"}}
	got := a.Info().Details
	if len(got) != len(want) {
		t.Fatalf("details %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("detail %v, want %v", got[i], want[i])
		}
	}
}

func TestEmpty(t *testing.T) {
	b := codecstest.Write(t, umod.Format(), nil, nil)
	codecstest.Contract(t, umod.Format(), codecstest.Bytes("empty.umod", b), codecstest.ContractOptions{})
}

// bzip2CRC is CRC-32/BZIP2 bit by bit.
func bzip2CRC(b []byte) uint32 {
	c := uint32(0xFFFFFFFF)
	for _, v := range b {
		c ^= uint32(v) << 24
		for range 8 {
			if c>>31 != 0 {
				c = c<<1 ^ 0x04C11DB7
			} else {
				c <<= 1
			}
		}
	}
	return ^c
}

func TestChecksum(t *testing.T) {
	if got := bzip2CRC([]byte("123456789")); got != 0xFC891918 { // the catalogue's check value
		t.Fatalf("reference gives %08x", got)
	}
	b := made(t)
	if got, want := binary.LittleEndian.Uint32(b[len(b)-4:]), bzip2CRC(b[:len(b)-20]); got != want {
		t.Errorf("written %08x, want %08x", got, want)
	}
}

func TestMalformed(t *testing.T) {
	good := made(t)
	end := len(good)
	directory := int64(binary.LittleEndian.Uint32(good[end-16:]))
	u32 := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	codecstest.Malformed(t, umod.Format(), []codecstest.Vector{
		{Name: "empty", Want: codecs.ErrTruncated, Field: "trailer", Off: 0},
		{Name: "magic", Bytes: codecstest.Patch(good, end-20, 0), Want: codecs.ErrUnknown, Field: "magic", Off: int64(end) - 20},
		{Name: "directory after the end", Bytes: codecstest.Patch(good, end-16, u32(1<<30)...), Want: codecs.ErrTruncated, Field: "directory", Off: int64(end) - 16},
		{Name: "size", Bytes: codecstest.Patch(good, end-12, u32(5)...), Want: codecs.ErrNonStrict, Field: "size", Off: int64(end) - 12},
		{Name: "version", Bytes: codecstest.Patch(good, end-8, 2), Want: codecs.ErrNonStrict, Field: "version", Off: int64(end) - 8},
		{Name: "crc", Bytes: codecstest.Patch(good, end-4, u32(1)...), Want: codecs.ErrChecksum, Field: "crc", Off: int64(end) - 4},
		{Name: "count", Bytes: codecstest.Patch(good, int(directory), 0x3F), Want: codecs.ErrCorrupt, Field: "directory", Off: directory + 1},
		{Name: "negative count", Bytes: codecstest.Patch(good, int(directory), 0x83), Want: codecs.ErrCorrupt, Field: "directory", Off: directory + 1},
		{Name: "name length", Bytes: codecstest.Patch(good, int(directory)+1, 0x7F, 0x7F), Want: codecs.ErrCorrupt, Field: "directory", Off: directory + 3},
		{Name: "index overflows", Bytes: codecstest.Patch(good, int(directory), 0x7F, 0xFF, 0xFF, 0xFF, 0x1F), Want: codecs.ErrCorrupt, Field: "directory", Off: directory + 5},
		{Name: "entry after the data", Bytes: codecstest.Patch(good, int(directory)+22, u32(1<<20)...), Want: codecs.ErrTruncated, Field: "offset", Off: directory + 1, Entry: "System/Manifest.ini"},
	})
}

func TestManifestDiffers(t *testing.T) {
	b := codecstest.Write(t, umod.Format(), nil, items("System/Manifest.ini", "[G]\nFile=(Src=System\\Gone.u)\n", "System/Extra.u", "x"))
	var fields []string
	for _, err := range codecstest.Problems(context.Background(), umod.Format(), codecstest.Bytes("a", b), nil) {
		var fe *codecs.FormatError
		if !errors.As(err, &fe) || !errors.Is(err, codecs.ErrNonStrict) {
			t.Fatal(err)
		}
		fields = append(fields, fe.Entry)
	}
	if got := strings.Join(fields, " "); got != "System/Extra.u System/Gone.u" {
		t.Errorf("differ: %q", got)
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, o := range []codecs.CreateOptions{{Version: "2"}, {MountPoint: "x"}, {Method: "zlib"}, {BlockSize: 1}, {Encrypt: true}, {Align: 4}, {Seed: 1}} {
		if _, err := umod.Format().Create(new(codecstest.Buffer), &o); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	w, err := umod.Format().Create(new(codecstest.Buffer), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(context.Background(), &codecs.Entry{Name: "\u0394"}, strings.NewReader("")); !errors.Is(err, codecs.ErrName) {
		t.Errorf("a name that is not Latin-1: %v", err)
	}
}

func FuzzOpen(f *testing.F) { codecstest.FuzzOpen(f, umod.Format(), nil, made(f)) }

func BenchmarkVerify(b *testing.B) {
	raw := codecstest.Write(b, umod.Format(), nil, items("a", strings.Repeat("data", 1<<20)))
	a := codecstest.Open(b, umod.Format(), codecstest.Bytes("a", raw), nil)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if err := a.(codecs.Verifier).Verify(b.Context(), func(*codecs.FormatError) {}); err != nil {
			b.Fatal(err)
		}
	}
}
