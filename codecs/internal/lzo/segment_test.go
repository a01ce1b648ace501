package lzo_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"testing"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/lzotest"
)

var full = prose(lzo.SegmentSize)

var segmented = []struct {
	name   string
	stream []byte
	want   []byte
}{
	{"nothing", nil, nil},
	{"one stored byte", unhex("ffff 61"), []byte("a")},
	{"one stream", segment(unhex("15 61626364" + endMarker)), []byte("abcd")},
	{"stored 0x4000", cat(unhex("c000"), full), full},
	{"stored 0x8000", cat(unhex("8000"), full, full), cat(full, full)},
	{"full, then stored", cat(segment(stream(full)), unhex("fffc 61626364")), cat(full, []byte("abcd"))},
	{"short stored, then stream", cat(unhex("fffe 6162"), segment(unhex("15 61626364"+endMarker))), []byte("ababcd")},
	{"two full", cat(segment(stream(full)), segment(stream(full))), cat(full, full)},
	{"zlib", segment(deflate([]byte("abcd"))), []byte("abcd")},
	{"full zlib, then LZO1X", cat(segment(deflate(full)), segment(stream(full))), cat(full, full)},
	{"LZO1X that begins like zlib", segment(cat(unhex("78 9c"), noise(102), unhex(endMarker))), cat(unhex("9c"), noise(102))},
}

func TestDecodeSegmented(t *testing.T) {
	for _, v := range segmented {
		t.Run(v.name, func(t *testing.T) { checkSegmented(t, v.stream, v.want) })
	}
}

// checkSegmented decodes a stream alone and with the padding that real entries
// have: it must stop before it.
func checkSegmented(t *testing.T, stream, want []byte) {
	t.Helper()
	for _, padding := range []int{0, 1, 2, 63} {
		buf := rep([]byte{0xee}, len(want)+64)
		read, err := lzo.DecodeSegmented(buf[:len(want)], cat(stream, rep([]byte{0xff}, padding)))
		if err != nil || read != len(stream) {
			t.Fatalf("padding %d: read %d of %d, %v", padding, read, len(stream), err)
		}
		if !bytes.Equal(buf, cat(want, rep([]byte{0xee}, 64))) {
			t.Fatalf("padding %d: wrong at %d of %d", padding, firstDifference(buf, want), len(want))
		}
	}
}

func TestDecodeSegmentedMalformed(t *testing.T) {
	damaged := deflate([]byte("abcd"))
	damaged[len(damaged)-1]++
	for _, m := range []struct {
		name            string
		stream          []byte
		size            int
		want            error
		read, off, outN int
	}{
		{"nothing", nil, 1, lzo.ErrInputOverrun, 0, 0, 0},
		{"half a length", unhex("ffff 61 ff"), 2, lzo.ErrInputOverrun, 3, 3, 1},
		{"length 0", unhex("ffff 61 0000"), 2, lzo.ErrCorrupt, 3, 3, 1},
		{"stored cut", unhex("fffe 61"), 2, lzo.ErrInputOverrun, 0, 0, 0},
		{"stored too large", unhex("fffe 6162"), 1, lzo.ErrOutputOverrun, 0, 0, 0},
		{"stream cut", unhex("0008 15 616263"), 4, lzo.ErrInputOverrun, 0, 0, 0},
		{"stream without marker", cat(unhex("ffff 61"), segment(unhex("15 61626364"))), 5, lzo.ErrInputOverrun, 3, 10, 5},
		{"stream too large", segment(stream(cat(full, full))), 2 * len(full), lzo.ErrOutputOverrun, 0, -1, -1},
		{"stream too small", cat(unhex("ffff 61"), segment(unhex("15 61626364"+endMarker))), 6, lzo.ErrCorrupt, 3, 13, 5},
		{"bad match", segment(unhex("15 61626364 21 10 00" + endMarker)), 9, lzo.ErrLookbehindOverrun, 0, 7, 4},
		{"zlib too small", segment(deflate([]byte("abcd"))), 5, lzo.ErrInputOverrun, 0, -1, -1},
		{"zlib too large", segment(deflate([]byte("abcd"))), 3, lzo.ErrInputOverrun, 0, -1, -1},
		{"zlib checksum", segment(damaged), 4, lzo.ErrInputOverrun, 0, -1, -1},
	} {
		t.Run(m.name, func(t *testing.T) {
			read, err := lzo.DecodeSegmented(make([]byte, m.size), m.stream)
			var e *lzo.Error
			if !errors.Is(err, m.want) || !errors.As(err, &e) || read != m.read {
				t.Fatalf("read %d, %v; want %d, %v", read, err, m.read, m.want)
			}
			if m.off >= 0 && (e.Off != m.off || e.Out != m.outN) {
				t.Fatalf("%v; want %#x after %d", err, m.off, m.outN)
			}
		})
	}
}

// TestEncodeSegmentedStores checks the one choice that the encoder has.
func TestEncodeSegmentedStores(t *testing.T) {
	out, err := lzotest.EncodeSegmented(nil, cat(noise(lzo.SegmentSize), full[:100]), lzotest.LevelBest)
	if err != nil {
		t.Fatal(err)
	}
	if first := binary.BigEndian.Uint16(out); first != 0xc000 {
		t.Errorf("noise has length %#x, want it stored: 0xc000", first)
	}
	if second := int16(binary.BigEndian.Uint16(out[2+lzo.SegmentSize:])); second <= 0 || second >= 100 {
		t.Errorf("100 bytes of prose have length %d", second)
	}
}

func segment(data []byte) []byte {
	return cat(binary.BigEndian.AppendUint16(nil, uint16(len(data))), data)
}

func stream(data []byte) []byte {
	out, err := lzotest.Encode(nil, data, lzotest.LevelFast)
	if err != nil {
		panic(err)
	}
	return out
}

func deflate(data []byte) []byte {
	var buf bytes.Buffer
	w := zlib.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}
