package retropak_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/retropak"
)

func text(n int) []byte {
	return bytes.Repeat([]byte("The quick brown Ridley jumps over the lazy Sheegoth. "), n/53+1)[:n]
}

// variantPaks are small paks of every kind, by what Info.Version must say.
func variantPaks() map[string][]byte {
	long := text(0x4000 + 1000)
	first, rest := long[:0x4000], long[0x4000:]
	segments := bytes.Join([][]byte{lzo(first), stored(rest)}, nil)
	return map[string][]byte{
		"MP1":     primePak(4, false, rawEntry{1, "TXTR", 0xdeadbeef, sized(len(long), deflate(long))}, rawEntry{0, "STRG", 2, text(40)}),
		"MP2":     primePak(4, false, rawEntry{1, "TXTR", 0xdeadbeef, sized(len(long), segments)}, rawEntry{0, "STRG", 2, text(40)}),
		"MP1/MP2": primePak(4, false, rawEntry{0, "MREA", 0xdeadbeef, text(100)}),
		"MP3-E3":  primePak(8, false, rawEntry{1, "TXTR", 0xfffff000deadbeef, sized(len(long), segments)}, rawEntry{0, "STRG", 2, text(40)}),
		"MP3":     corruptionPak(rawEntry{1, "TXTR", 0xfffff000deadbeef, cmpd(block{0, long[:12], 12}, block{0xc0, segments, len(long)})}),
		"DKCR":    corruptionPak(rawEntry{1, "TXTR", 0xfffff000deadbeef, cmpd(block{0xa0, deflate(long), len(long)})}),
		"MP3/DKCR": corruptionPak(rawEntry{1, "DGRP", 1 << 63, cmpd(block{0xa0, long, len(long)})},
			rawEntry{0, "MREA", 1 << 63, text(100)}),
		"TF":  tropicalFreeze().bytes(),
		"MPR": remastered().bytes(),
	}
}

var guidBytes = []byte("0123456789abcdef")

func tropicalFreeze() rfrmPak {
	p := rfrmPak{order: binary.BigEndian, version: 1, n: 1, data: []byte("content")}
	p.adir = append([]byte("TXTR"), guidBytes...)
	p.adir = be.AppendUint64(p.adir, 32+32+24+4+36)
	p.adir = be.AppendUint64(p.adir, 7)
	return p
}

func remastered() rfrmPak {
	le := binary.LittleEndian
	p := rfrmPak{order: le, version: 3, n: 2, data: []byte("content")}
	p.strg = append([]byte{1, 0, 0, 0, 'R', 'T', 'X', 'T'}, guidBytes...)
	p.strg = append(p.strg, 3, 0, 0, 0, 'a', 'b', 'c')
	at := uint64(32 + 32 + 24 + 4 + 2*52 + 24 + len(p.strg))
	for _, size := range []uint64{7, 100} {
		p.adir = append(append(p.adir, "TXTR"...), guidBytes...)
		p.adir = le.AppendUint64(p.adir, 0)
		p.adir = le.AppendUint64(le.AppendUint64(le.AppendUint64(p.adir, at), size), 7)
	}
	return p
}

func TestVariantContract(t *testing.T) {
	for version, b := range variantPaks() {
		t.Run(version, func(t *testing.T) {
			codecstest.Contract(t, retropak.Format(), codecstest.Bytes("a.pak", b), codecstest.ContractOptions{Flips: 30, Cuts: 10})
			a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil)
			if got := a.Info().Version; got != version {
				t.Errorf("version %s, want %s", got, version)
			}
		})
	}
}

func TestVariantContent(t *testing.T) {
	long := text(0x4000 + 1000)
	paks := variantPaks()
	for _, tt := range []struct {
		version string
		entry   int
		name    string
		method  compress.Method
		want    []byte
	}{
		{"MP1", 0, "TXTR/deadbeef", compress.Zlib, long},
		{"MP1", 1, "STRG/00000002", compress.None, padTo(text(40), 32, 0xff)},
		{"MP2", 0, "TXTR/deadbeef", compress.LZO1X, long},
		{"MP3-E3", 0, "TXTR/fffff000deadbeef", compress.LZO1X, long},
		{"MP3-E3", 1, "STRG/0000000000000002", compress.None, padTo(text(40), 32, 0xff)},
		{"MP3", 0, "TXTR/fffff000deadbeef", compress.LZO1X, append(bytes.Clone(long[:12]), long...)},
		{"DKCR", 0, "TXTR/fffff000deadbeef", compress.Zlib, long},
		{"MP3/DKCR", 0, "DGRP/8000000000000000", compress.None, long},
		{"MP3/DKCR", 1, "MREA/8000000000000000", compress.None, padTo(text(100), 64, 0xff)},
		{"TF", 0, "TXTR/30313233343536373839616263646566", compress.None, []byte("content")},
		{"MPR", 0, "TXTR/30313233343536373839616263646566", compress.None, []byte("content")},
	} {
		a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", paks[tt.version]), nil)
		e := entries(t, a)[tt.entry]
		data, err := codecstest.ReadEntry(t.Context(), a, e)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != tt.name || e.Method != tt.method || !bytes.Equal(data, tt.want) {
			t.Errorf("%s: entry %s %s of %d bytes; want %s %s of %d", tt.version, e.Name, e.Method, len(data), tt.name, tt.method, len(tt.want))
		}
	}
}

func entries(t testing.TB, a codecs.Archive) (es []*codecs.Entry) {
	t.Helper()
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

// One prototype tool counts offsets from the data, another from the file.
func TestPrototypeOffsets(t *testing.T) {
	for _, relative := range []bool{false, true} {
		b := primePak(8, relative, rawEntry{0, "STRG", 1 << 40, text(64)}, rawEntry{0, "TXTR", 1 << 41, text(32)})
		a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil)
		items := codecstest.Items(t, a)
		if len(items) != 2 || !bytes.Equal(items[0].Data, text(64)) || !bytes.Equal(items[1].Data, text(32)) {
			t.Errorf("relative %v: %v", relative, items)
		}
		if got := rewrite(t, a, "MP3-E3"); !bytes.Equal(got, b) {
			t.Errorf("relative %v: rewritten differs at 0x%x", relative, firstDifference(got, b))
		}
	}
}

// Content that ends where a segment does is followed by fill that reads as one
// more segment of one byte.
func TestFillIsNotASegment(t *testing.T) {
	for _, size := range []int{0x4000, 0x8000} {
		long := text(size)
		var segments []byte
		for i := 0; i < size; i += 0x4000 {
			segments = append(segments, lzo(long[i:i+0x4000])...)
		}
		b := primePak(4, false, rawEntry{1, "TXTR", 1 << 20, append(sized(size, segments), 0xff, 0xff)})
		items := codecstest.Items(t, codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil))
		if !bytes.Equal(items[0].Data, long) {
			t.Errorf("%d bytes decode to %d", size, len(items[0].Data))
		}
	}
}

func TestZlibSegment(t *testing.T) {
	long := text(0x4000 + 500)
	z := deflate(long[:0x4000])
	b := corruptionPak(rawEntry{1, "STRG", 7, cmpd(block{0xa0, append(segment(len(z), z), lzo(long[0x4000:])...), len(long)})})
	items := codecstest.Items(t, codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil))
	if !bytes.Equal(items[0].Data, long) {
		t.Error("content differs")
	}
}

func TestNamesOfRemastered(t *testing.T) {
	a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", remastered().bytes()), nil)
	var got []codecs.NamedResource
	for n, err := range a.(codecs.Namer).Named() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	id := codecs.ID{Hi: 0x3031323334353637, Lo: 0x3839616263646566, Bits: 128}
	if want := (codecs.NamedResource{Name: "abc", Type: "TXTR", ID: id}); len(got) != 1 || got[0] != want {
		t.Errorf("names %+v, want %+v", got, want)
	}
}

func TestProbe(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":                 nil,
		"short":                 {0, 3, 0, 5},
		"other":                 text(200),
		"two":                   u32(nil, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
		"second word":           u32(nil, 0x00030005, 1, 0, 0),
		"name count":            append(u32(nil, 0x00030005, 0, 1<<30), "TXTR"...),
		"type":                  u32(nil, 0x00030005, 0, 1, 1, 1, 1, 1),
		"other form":            []byte("RFRM0123456789abcdefSHAD0123456789abcdef"),
		"unreal pak at the end": append(text(300), 0xe1, 0x12, 0x6f, 0x5a),
	} {
		if m, err := retropak.Format().Probe(codecstest.Bytes(name, b)); m != codecs.NoMatch || err != nil {
			t.Errorf("%s: %d, %v", name, m, err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, o := range []codecs.CreateOptions{
		{Version: "TF"},
		{Version: "MP1", Method: compress.LZO1X},
		{Version: "MP1/MP2", Method: compress.Zlib},
		{MountPoint: "../"},
		{BlockSize: 1},
		{Encrypt: true},
		{Seed: 1},
		{Keys: func([16]byte) []byte { return []byte{1} }},
	} {
		if _, err := retropak.Format().Create(nil, &o); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
