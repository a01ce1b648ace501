package lzo_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/lzotest"
)

const endMarker = "110000"

// Streams by hand, one for each instruction and each way its length can be
// written. noise(n) is n bytes that a run of literals puts before the match.
var vectors = []struct {
	name   string
	stream []byte
	want   []byte
}{
	{"empty", unhex(endMarker), nil},
	{"first byte 1 literal, then M2", unhex("12 61 40 00" + endMarker), []byte("aaaa")},
	{"first byte 2 literals, then M1", unhex("13 6162 04 00" + endMarker), []byte("abab")},
	{"first byte 3 literals, then M1", unhex("14 616263 08 00" + endMarker), []byte("abcab")},
	{"first byte 4 literals", unhex("15 61626364" + endMarker), []byte("abcd")},
	{"first byte 238 literals", cat(unhex("ff"), noise(238), unhex(endMarker)), noise(238)},
	{"run of 4", unhex("01 61626364" + endMarker), []byte("abcd")},
	{"run of 16", cat(unhex("0d"), noise(16), unhex(endMarker)), noise(16)},
	{"run of 17", cat(unhex("0e"), noise(17), unhex(endMarker)), noise(17)},
	{"run of 18", cat(unhex("0f"), noise(18), unhex(endMarker)), noise(18)},
	{"run of 19", cat(unhex("00 01"), noise(19), unhex(endMarker)), noise(19)},
	{"run of 273", cat(unhex("00 ff"), noise(273), unhex(endMarker)), noise(273)},
	{"run of 274", cat(unhex("00 00 01"), noise(274), unhex(endMarker)), noise(274)},
	{"two runs need a match between", cat(run(noise(20)), unhex("40 00 01 61626364"+endMarker)), cat(noise(20), rep(noise(20)[19:], 3), []byte("abcd"))},

	{"M1 after 1 literal, distance 1", cat(run(noise(20)), unhex("41 00 78 00 00"+endMarker)),
		cat(noise(20), rep(noise(20)[19:], 3), []byte("xxx"))},
	{"M1 after 3 literals, distance 1024", cat(run(noise(2000)), unhex("43 00 414243 0c ff"+endMarker)),
		copied(cat(noise(2000), rep(noise(2000)[1999:], 3), []byte("ABC")), 1024, 2)},
	{"M1 after M1", cat(run(noise(20)), unhex("41 00 78 01 00 79 04 00"+endMarker)),
		cat(noise(20), rep(noise(20)[19:], 3), []byte("xxxyxy"))},
	{"M1 with 3 literals", cat(run(noise(20)), unhex("41 00 78 03 00 414243"+endMarker)),
		cat(noise(20), rep(noise(20)[19:], 3), []byte("xxxABC"))},
	{"M1 after run, distance 2049", cat(run(noise(2100)), unhex("00 00"+endMarker)), copied(noise(2100), 2049, 3)},
	{"M1 after run, distance 3072", cat(run(noise(3072)), unhex("0c ff"+endMarker)), copied(noise(3072), 3072, 3)},

	{"M2 length 3", cat(run(noise(20)), unhex("5c 00"+endMarker)), copied(noise(20), 8, 3)},
	{"M2 length 4", cat(run(noise(20)), unhex("60 01"+endMarker)), copied(noise(20), 9, 4)},
	{"M2 length 5", cat(run(noise(20)), unhex("80 00"+endMarker)), copied(noise(20), 1, 5)},
	{"M2 length 8", cat(run(noise(20)), unhex("e4 00"+endMarker)), copied(noise(20), 2, 8)},
	{"M2 distance 2048", cat(run(noise(2048)), unhex("fc ff"+endMarker)), copied(noise(2048), 2048, 8)},
	{"M2 with 2 literals", cat(run(noise(20)), unhex("fe 00 4142"+endMarker)), cat(copied(noise(20), 8, 8), []byte("AB"))},

	{"M3 length 3", cat(run(noise(20)), unhex("21 4c 00"+endMarker)), copied(noise(20), 20, 3)},
	{"M3 length 33", cat(run(noise(20)), unhex("3f 4c 00"+endMarker)), copied(noise(20), 20, 33)},
	{"M3 length 34", cat(run(noise(20)), unhex("20 01 4c 00"+endMarker)), copied(noise(20), 20, 34)},
	{"M3 length 40 and 41", cat(run(noise(20)), unhex("20 07 24 00 20 08 24 00"+endMarker)), copied(copied(noise(20), 10, 40), 10, 41)},
	{"M3 length 288", cat(run(noise(20)), unhex("20 ff 4c 00"+endMarker)), copied(noise(20), 20, 288)},
	{"M3 length 289", cat(run(noise(20)), unhex("20 00 01 4c 00"+endMarker)), copied(noise(20), 20, 289)},
	{"M3 distance 16384", cat(run(noise(16384)), unhex("3f fc ff"+endMarker)), copied(noise(16384), 16384, 33)},
	{"M3 with 3 literals", cat(run(noise(20)), unhex("21 03 00 414243"+endMarker)), cat(copied(noise(20), 1, 3), []byte("ABC"))},

	{"M4 length 3, distance 16385", cat(run(noise(16385)), unhex("11 04 00"+endMarker)), copied(noise(16385), 16385, 3)},
	{"M4 length 9", cat(run(noise(16385)), unhex("17 04 00"+endMarker)), copied(noise(16385), 16385, 9)},
	{"M4 length 10", cat(run(noise(16385)), unhex("10 01 04 00"+endMarker)), copied(noise(16385), 16385, 10)},
	{"M4 length 265", cat(run(noise(16385)), unhex("10 00 01 04 00"+endMarker)), copied(noise(16385), 16385, 265)},
	{"M4 distance 32768", cat(run(noise(32768)), unhex("19 00 00"+endMarker)), copied(noise(32768), 32768, 3)},
	{"M4 distance 49151 with 1 literal", cat(run(noise(49151)), unhex("1f fd ff 41"+endMarker)), cat(copied(noise(49151), 49151, 9), []byte("A"))},
	{"M4 far length 10", cat(run(noise(49151)), unhex("18 01 fc ff"+endMarker)), copied(noise(49151), 49151, 10)},
}

// TestDecodeVectors decodes each stream alone, where every copy is near an end,
// and with room around it, where copies are rounded up to words.
func TestDecodeVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			for _, room := range []int{0, 1, 7, 100} {
				checkDecode(t, v.stream, v.want, room)
			}
		})
	}
}

// checkDecode decodes into room more bytes than needed. With any room there is
// plenty behind the stream too.
func checkDecode(t *testing.T, stream, want []byte, room int) {
	t.Helper()
	src := cat(stream, rep([]byte{0x40}, min(room, 1)*100))
	buf := rep([]byte{0xee}, len(want)+room+64)
	dst := buf[:len(want)+room]
	n, read, err := lzo.Decode(dst, src)
	if err != nil || read != len(stream) {
		t.Fatalf("room %d: read %d of %d, err %v", room, read, len(stream), err)
	}
	if !bytes.Equal(dst[:n], want) {
		t.Fatalf("room %d: got %d bytes, want %d, first difference at %d", room, n, len(want), firstDifference(dst[:n], want))
	}
	if slices.ContainsFunc(buf[len(dst):], func(c byte) bool { return c != 0xee }) {
		t.Fatalf("room %d: wrote beyond dst", room)
	}
}

// TestDecodeOverlap decodes matches that overlap their own output, and with
// each room behind it: where there is too little, copies must be exact.
func TestDecodeOverlap(t *testing.T) {
	for dist := 1; dist <= 40; dist++ {
		for length := 3; length <= 90; length++ {
			match := []byte{byte(0x20 + length - 2), byte((dist - 1) << 2), 0}
			if length > 33 {
				match = []byte{0x20, byte(length - 33), byte((dist - 1) << 2), 0}
			}
			stream := cat(run(noise(60)), match, unhex(endMarker))
			want := copied(noise(60), dist, length)
			checkDecode(t, stream, want, 100)
			for room := 0; room < 64 && (dist == 1 || dist == 8); room++ {
				checkDecode(t, stream, want, room)
			}
		}
	}
}

// TestDecodeCut cuts each vector's stream and destination short at each place
// that is not far from both ends.
func TestDecodeCut(t *testing.T) {
	for _, v := range vectors {
		for n := range v.stream {
			if n > 64 && n < len(v.stream)-64 {
				continue
			}
			_, _, err := lzo.Decode(make([]byte, len(v.want)), v.stream[:n])
			if !errors.Is(err, lzo.ErrInputOverrun) {
				t.Fatalf("%s: %d of %d bytes of stream: %v", v.name, n, len(v.stream), err)
			}
		}
		for n := range v.want {
			if n > 64 && n < len(v.want)-64 {
				continue
			}
			got, _, err := lzo.Decode(make([]byte, n), v.stream)
			if !errors.Is(err, lzo.ErrOutputOverrun) || got > n {
				t.Fatalf("%s: %d of %d bytes of output: %d, %v", v.name, n, len(v.want), got, err)
			}
		}
	}
}

func TestDecodeMalformed(t *testing.T) {
	for _, m := range []struct {
		name     string
		stream   []byte
		size     int
		want     error
		off, out int
	}{
		{"nothing", nil, 10, lzo.ErrInputOverrun, 0, 0},
		{"no marker", unhex("15 61626364"), 10, lzo.ErrInputOverrun, 5, 4},
		{"half a marker", unhex("15 61626364 11 00"), 10, lzo.ErrInputOverrun, 5, 4},
		{"first run too long", unhex("16 61626364"), 10, lzo.ErrInputOverrun, 0, 0},
		{"first run too large", unhex("15 61626364" + endMarker), 3, lzo.ErrOutputOverrun, 0, 0},
		{"run too long", unhex("02 61626364"), 10, lzo.ErrInputOverrun, 0, 0},
		{"run too large", cat(run(noise(20)), unhex("40 00 01 61626364"+endMarker)), 26, lzo.ErrOutputOverrun, 24, 23},
		{"run of zeros without end", unhex("00 00 00 00 00"), 10, lzo.ErrInputOverrun, 0, 0},
		{"M1 before output", unhex("12 61 04 00" + endMarker), 10, lzo.ErrLookbehindOverrun, 2, 1},
		{"M1 after run before output", unhex("15 61626364 00 00" + endMarker), 10, lzo.ErrLookbehindOverrun, 5, 4},
		{"M1 without operand", unhex("15 61626364 00"), 10, lzo.ErrInputOverrun, 5, 4},
		{"M2 first", unhex("40 00" + endMarker), 10, lzo.ErrInputOverrun, 0, 0},
		{"M2 before output", unhex("15 61626364 50 00" + endMarker), 10, lzo.ErrLookbehindOverrun, 5, 4},
		{"M2 before output, with room", cat(run(noise(30)), unhex("40 04"+endMarker), make([]byte, 99)), 99, lzo.ErrLookbehindOverrun, 32, 30},
		{"M2 too large", cat(run(noise(30)), unhex("e0 00"+endMarker)), 37, lzo.ErrOutputOverrun, 32, 30},
		{"M2 without operand", unhex("15 61626364 40"), 10, lzo.ErrInputOverrun, 5, 4},
		{"M3 before output", unhex("15 61626364 21 10 00" + endMarker), 10, lzo.ErrLookbehindOverrun, 5, 4},
		{"M3 too large, with room", cat(run(noise(30)), unhex("20 ff 00 00"+endMarker), make([]byte, 99)), 200, lzo.ErrOutputOverrun, 32, 30},
		{"M3 without operand", unhex("15 61626364 21 00"), 10, lzo.ErrInputOverrun, 5, 4},
		{"M3 length without end", unhex("15 61626364 20 00 00 00"), 10, lzo.ErrInputOverrun, 5, 4},
		{"M3 literals too long", unhex("15 61626364 21 03 00 61 62"), 10, lzo.ErrInputOverrun, 5, 7},
		{"M3 literals too large", unhex("15 61626364 21 03 00 616263" + endMarker), 9, lzo.ErrOutputOverrun, 5, 7},
		{"M4 before output", cat(run(noise(16384)), unhex("11 04 00"+endMarker)), 20000, lzo.ErrLookbehindOverrun, 16384 + 66, 16384},
		{"M4 without operand", unhex("15 61626364 11"), 10, lzo.ErrInputOverrun, 5, 4},
		{"marker of length 4", unhex("15 61626364 12 00 00"), 10, lzo.ErrCorrupt, 5, 4},
		{"marker of length 10", unhex("15 61626364 10 01 00 00"), 10, lzo.ErrCorrupt, 5, 4},
		{"marker with literals", unhex("15 61626364 11 01 00 61"), 10, lzo.ErrCorrupt, 5, 4},
		{"LZO-RLE", unhex("11 01 15 61626364" + endMarker), 10, lzo.ErrLookbehindOverrun, 0, 0},
	} {
		t.Run(m.name, func(t *testing.T) {
			n, read, err := lzo.Decode(make([]byte, m.size), m.stream)
			var e *lzo.Error
			if !errors.Is(err, m.want) || !errors.As(err, &e) {
				t.Fatalf("got %v, want %v", err, m.want)
			}
			if e.Off != m.off || e.Out != m.out || n != e.Out || read != e.Off {
				t.Fatalf("%v; n %d, read %d; want offset %#x after %d bytes", err, n, read, m.off, m.out)
			}
		})
	}
}

func TestDecodeAllocs(t *testing.T) {
	stream, err := lzotest.Encode(nil, prose(50000), lzotest.LevelFast)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 50000)
	if n := testing.AllocsPerRun(20, func() { lzo.Decode(dst, stream) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

func cat(parts ...[]byte) []byte { return slices.Concat(parts...) }

func rep(b []byte, n int) []byte { return bytes.Repeat(b, n) }

// copied appends to out what a match of this distance and length copies.
func copied(out []byte, dist, length int) []byte {
	for range length {
		out = append(out, out[len(out)-dist])
	}
	return out
}

// run encodes a literal run of 19 and more bytes.
func run(data []byte) []byte {
	n, out := len(data)-18, []byte{0}
	for ; n > 255; n -= 255 {
		out = append(out, 0)
	}
	return cat(out, []byte{byte(n)}, data)
}

// noise returns n bytes that are the same each time and hardly repeat.
func noise(n int) []byte {
	out, x := make([]byte, n), uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
