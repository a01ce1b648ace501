package inflate_test

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"pakdb/codecs/internal/inflate"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// decode decodes into a slice that lies in a larger one, and fails if anything
// beside it is written, or the error is of no known kind.
func decode(t testing.TB, fn func(dst, src []byte) (int, error), size int, src []byte) (out []byte, read int, err error) {
	t.Helper()
	room := bytes.Repeat([]byte{0xee}, size+600)
	out = room[300 : 300+size]
	read, err = fn(out, src)
	if bytes.Count(room[:300], []byte{0xee}) != 300 || bytes.Count(room[300+size:], []byte{0xee}) != 300 {
		t.Fatalf("wrote beside dst: %v", err)
	}
	var e *inflate.Error
	switch {
	case err == nil && (read < 0 || read > len(src)):
		t.Fatalf("took %d of %d bytes", read, len(src))
	case err != nil && (!errors.As(err, &e) || read != 0 || e.What == "" || e.Off < 0 || e.Off > len(src) || e.Out < 0 || e.Out > size):
		t.Fatalf("took %d of %d bytes: %v", read, len(src), err)
	}
	return out, read, err
}

// few are the lengths of two literals, a length and the end, 2 bits each; what
// stands for distances is left to the vector.
var few = with(258, map[int]int{'a': 2, 'b': 2, 256: 2, 257: 2})

// valid are bare streams that zlib accepts.
var valid = []struct {
	name string
	src  []byte
	want string
}{
	{"stored, nothing", head(last|stored).bytes(0, 0, 0xff, 0xff).b, ""},
	{"stored", head(last|stored).bytes(3, 0, 0xfc, 0xff, 'a', 'b', 'c').b, "abc"},
	{"stored after fixed", head(more|fixed).fixed('a', 256).head(last|stored).bytes(2, 0, 0xfd, 0xff, 'b', 'c').b, "abc"},
	{"fixed after stored", head(more|stored).bytes(2, 0, 0xfd, 0xff, 'b', 'c').head(last|fixed).fixed('a', 256).b, "bca"},
	{"fixed, nothing", head(last | fixed).fixed(256).b, ""},
	{"fixed, literals of 8 and 9 bits", head(last|fixed).fixed(0, 143, 144, 255, 256).b, "\x00\x8f\x90\xff"},
	{"fixed, length 3, distance 1", head(last|fixed).fixed('a', 257).code(0, 5).fixed(256).b, "aaaa"},
	{"fixed, length 258 in both ways", head(last|fixed).fixed('a', 285).code(0, 5).fixed(284).bits(31, 5).code(0, 5).fixed(256).b, strings.Repeat("a", 1+2*258)},
	{"dynamic, a single code of one bit", head(last|dynamic).lengths(with(257, map[int]int{256: 1}), []int{0}).bits(0, 1).b, ""},
	{"dynamic, no distances", head(last|dynamic).lengths(few, []int{0}).code(0, 2).code(1, 2).code(2, 2).b, "ab"},
	{"dynamic, one distance of one bit", head(last|dynamic).lengths(few, []int{1}).code(0, 2).code(3, 2).code(0, 1).code(2, 2).b, "aaaa"},
	{"dynamic, one distance of one bit, the last", head(more|stored).bytes(4, 0, 0xfb, 0xff, 'x', 'y', 'z', 'w').head(last|dynamic).
		lengths(few, with(4, map[int]int{3: 1})).code(3, 2).code(0, 1).code(2, 2).b, "xyzwxyz"},
	{"dynamic, 286 and 30 codes", head(last|dynamic).lengths(with(286, map[int]int{'a': 2, 256: 1, 285: 2}), with(30, map[int]int{0: 1, 29: 1})).
		code(2, 2).code(3, 2).code(0, 1).code(0, 1).b, strings.Repeat("a", 259)},
}

func TestValid(t *testing.T) {
	var d inflate.Decoder
	for _, v := range valid {
		t.Run(v.name, func(t *testing.T) {
			for _, fill := range []int{0, 1, 8, 1000} {
				src := append(bytes.Clone(v.src), bytes.Repeat([]byte{0xff}, fill)...)
				got, read, err := decode(t, d.Raw, len(v.want), src)
				if err != nil || string(got) != v.want || read != len(v.src) {
					t.Errorf("%d bytes behind: %q, %d of %d, %v; want %q", fill, got, read, len(v.src), err, v.want)
				}
			}
			if got, err := io.ReadAll(flate.NewReader(bytes.NewReader(v.src))); err != nil || string(got) != v.want {
				t.Errorf("the standard library: %q, %v", got, err)
			}
		})
	}
}

// malformed are bare streams that are refused: with what, at which byte and
// after how many decoded ones.
var malformed = []struct {
	name     string
	src      []byte
	size     int
	err      error
	off, out int
}{
	{"nothing", nil, 0, inflate.ErrTruncated, 0, 0},
	{"block type 3", head(last|3<<1).bytes(0, 0).b, 0, inflate.ErrCorrupt, 0, 0},
	{"no last block", head(more|fixed).fixed('a', 256).b, 1, inflate.ErrTruncated, 3, 1},
	{"stored without length", head(last|stored).bytes(3, 0, 0xfc).b, 3, inflate.ErrTruncated, 1, 0},
	{"stored, wrong length", head(last|stored).bytes(3, 0, 0xfc, 0xfe, 'a', 'b', 'c').b, 3, inflate.ErrCorrupt, 1, 0},
	{"stored, cut", head(last|stored).bytes(3, 0, 0xfc, 0xff, 'a', 'b').b, 3, inflate.ErrTruncated, 5, 0},
	{"stored, too long", head(last|stored).bytes(3, 0, 0xfc, 0xff, 'a', 'b', 'c').b, 2, inflate.ErrTooLong, 5, 0},
	{"stored, too short", head(last|stored).bytes(3, 0, 0xfc, 0xff, 'a', 'b', 'c').b, 4, inflate.ErrTooShort, 8, 3},
	{"fixed, cut in a literal", head(last|fixed).fixed('a', 'b').b[:2], 2, inflate.ErrTruncated, 1, 1},
	{"fixed, no end", head(last|fixed).fixed('a', 'b').bits(0, 5).b, 3, inflate.ErrTruncated, 2, 2},
	{"fixed, too long by a literal", head(last|fixed).fixed('a', 'b', 256).b, 1, inflate.ErrTooLong, 2, 1},
	{"fixed, too long by a match", head(last|fixed).fixed('a', 257).code(0, 5).fixed(256).b, 3, inflate.ErrTooLong, 2, 1},
	{"fixed, too short", head(last|fixed).fixed('a', 256).b, 2, inflate.ErrTooShort, 3, 1},
	{"fixed, symbol 286", head(last|fixed).fixed('a', 286).bytes(0, 0).b, 9, inflate.ErrCorrupt, 2, 1},
	{"fixed, symbol 287", head(last|fixed).fixed('a', 287).bytes(0, 0).b, 9, inflate.ErrCorrupt, 2, 1},
	{"fixed, distance 30", head(last|fixed).fixed('a', 257).code(30, 5).bytes(0, 0).b, 9, inflate.ErrCorrupt, 2, 1},
	{"fixed, distance 31", head(last|fixed).fixed('a', 257).code(31, 5).bytes(0, 0).b, 9, inflate.ErrCorrupt, 2, 1},
	{"fixed, distance before the first byte", head(last|fixed).fixed('a', 257).code(1, 5).bytes(0, 0).b, 9, inflate.ErrCorrupt, 2, 1},
	{"fixed, a match at once", head(last|fixed).fixed(257).code(0, 5).bytes(0, 0).b, 9, inflate.ErrCorrupt, 1, 0},
	{"fixed, cut in a length", head(last|fixed).fixed('a', 284).bits(1, 1).b[:2], 500, inflate.ErrTruncated, 1, 1},
	{"fixed, cut in a distance", head(last|fixed).fixed(144, 144, 257).b, 500, inflate.ErrTruncated, 3, 2},
	{"dynamic, 287 codes", head(last|dynamic).bits(30, 5).bits(0, 5).bits(0, 4).bytes(0, 0).b, 0, inflate.ErrCorrupt, 2, 0},
	{"dynamic, 31 distances", head(last|dynamic).bits(0, 5).bits(30, 5).bits(0, 4).bytes(0, 0).b, 0, inflate.ErrCorrupt, 2, 0},
	{"dynamic, cut in the numbers", head(last|dynamic).bits(0, 5).b, 0, inflate.ErrTruncated, 0, 0},
	{"dynamic, cut in the meta code", head(last|dynamic).meta(257, 1, nil).b[:4], 0, inflate.ErrTruncated, 4, 0},
	{"dynamic, no meta code", head(last|dynamic).meta(257, 1, nil).bytes(0, 0).b, 0, inflate.ErrCorrupt, 9, 0},
	{"dynamic, meta code of one symbol", head(last|dynamic).meta(257, 1, map[int]int{8: 1}).bytes(make([]byte, 40)...).b, 0, inflate.ErrCorrupt, 9, 0},
	{"dynamic, meta code incomplete", head(last|dynamic).meta(257, 1, map[int]int{8: 2, 0: 1}).bytes(make([]byte, 40)...).b, 0, inflate.ErrCorrupt, 9, 0},
	{"dynamic, meta code oversubscribed", head(last|dynamic).meta(257, 1, map[int]int{8: 1, 0: 1, 1: 7}).bytes(make([]byte, 40)...).b, 0, inflate.ErrCorrupt, 9, 0},
	{"dynamic, cut in the lengths", head(last|dynamic).lengths(few, []int{1}).b[:60], 0, inflate.ErrTruncated, 59, 0},
	{"dynamic, repeats before the first", head(last|dynamic).meta(257, 1, map[int]int{16: 1, 0: 1}).code(1, 1).bytes(0).b, 0, inflate.ErrCorrupt, 9, 0},
	{"dynamic, zeroes beyond the last", head(last|dynamic).meta(257, 1, map[int]int{18: 1, 1: 1}).code(1, 1).bits(127, 7).code(1, 1).bits(110, 7).bytes(0, 0).b, 0, inflate.ErrCorrupt, 11, 0},
	{"dynamic, cut in a repeat", head(last|dynamic).meta(257, 1, map[int]int{18: 1, 1: 1}).code(1, 1).b, 0, inflate.ErrTruncated, 9, 0},
	{"dynamic, no end", head(last|dynamic).lengths(with(257, map[int]int{'a': 1, 'b': 1}), []int{1}).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, incomplete literals", head(last|dynamic).lengths(with(257, map[int]int{'a': 1, 256: 2}), []int{1}).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, one literal of two bits", head(last|dynamic).lengths(with(257, map[int]int{256: 2}), []int{1}).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, oversubscribed literals", head(last|dynamic).lengths(with(257, map[int]int{'a': 1, 'b': 1, 256: 2}), []int{1}).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, one distance of two bits", head(last|dynamic).lengths(few, []int{2}).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, oversubscribed distances", head(last|dynamic).lengths(few, []int{1, 1, 1}).bytes(0).b, 9, inflate.ErrCorrupt, 139, 0},
	{"dynamic, the other code of one bit", head(last|dynamic).lengths(with(257, map[int]int{256: 1}), []int{0}).bits(1, 1).bytes(0).b, 9, inflate.ErrCorrupt, 138, 0},
	{"dynamic, the other distance of one bit", head(last|dynamic).lengths(few, []int{1}).code(0, 2).code(3, 2).code(1, 1).bytes(0).b, 9, inflate.ErrCorrupt, 139, 1},
	{"dynamic, a match without distances", head(last|dynamic).lengths(few, []int{0}).code(0, 2).code(3, 2).bytes(0).b, 9, inflate.ErrCorrupt, 139, 1},
}

// TestMalformed decodes each stream as it is, where every step is checked, and
// behind enough that is valid and before enough fill, where few are.
func TestMalformed(t *testing.T) {
	var d inflate.Decoder
	for _, v := range malformed {
		t.Run(v.name, func(t *testing.T) {
			_, _, err := decode(t, d.Raw, v.size, v.src)
			var e *inflate.Error
			if !errors.Is(err, v.err) || !errors.As(err, &e) || e.Off != v.off || e.Out != v.out {
				t.Errorf("%v; want %v at %#x, after %d decoded bytes", err, v.err, v.off, v.out)
			}
			if v.err != inflate.ErrCorrupt {
				return
			}
			far := append(bytes.Clone(v.src), make([]byte, 100)...)
			if _, _, err := decode(t, d.Raw, v.size+1000, far); !errors.Is(err, inflate.ErrCorrupt) {
				t.Errorf("with room: %v", err)
			}
			if _, err := io.ReadAll(flate.NewReader(bytes.NewReader(far))); err == nil {
				t.Error("the standard library accepts it")
			}
		})
	}
}

// A distance must not be decoded by the table of the block before.
func TestNoTableOfTheBlockBefore(t *testing.T) {
	w := head(more|dynamic).lengths(few, []int{1}).code(0, 2).code(3, 2).code(0, 1).code(2, 2)
	w.head(last|dynamic).lengths(few, []int{0}).code(0, 2).code(3, 2).code(0, 1).code(2, 2)
	if _, _, err := decode(t, new(inflate.Decoder).Raw, 8, w.b); !errors.Is(err, inflate.ErrCorrupt) {
		t.Error(err)
	}
}

func zlibbed(content string, body []byte) []byte {
	sum := adler32.Checksum([]byte(content))
	return append(append([]byte{0x78, 0x9c}, body...), byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}

func TestZlib(t *testing.T) {
	body := head(last|fixed).fixed('a', 'b', 'c', 256).b
	good := zlibbed("abc", body)
	at := func(i int, b byte) []byte {
		bad := bytes.Clone(good)
		bad[i] = b
		return bad
	}
	for _, v := range []struct {
		name string
		src  []byte
		err  error
		off  int
	}{
		{"valid", good, nil, 0},
		{"fill behind it", append(bytes.Clone(good), 1, 2, 3), nil, 0},
		{"window of 256 bytes", append(unhex("08 1d"), good[2:]...), nil, 0},
		{"empty dictionary", append(unhex("78 bb 00000001"), good[2:]...), nil, 0},
		{"nothing", nil, inflate.ErrTruncated, 0},
		{"one byte", good[:1], inflate.ErrTruncated, 0},
		{"header alone", good[:2], inflate.ErrTruncated, 2},
		{"method 7", append(unhex("77 85"), good[2:]...), inflate.ErrCorrupt, 0},
		{"window of 64 KiB", append(unhex("88 1c"), good[2:]...), inflate.ErrCorrupt, 0},
		{"check bits", at(1, 0x9d), inflate.ErrCorrupt, 0},
		{"dictionary", append(unhex("78 bb 00000002"), good[2:]...), inflate.ErrCorrupt, 2},
		{"cut in the dictionary", unhex("78 bb 000000"), inflate.ErrTruncated, 2},
		{"cut in the checksum", good[:len(good)-1], inflate.ErrTruncated, len(good) - 4},
		{"no checksum", good[:len(good)-4], inflate.ErrTruncated, len(good) - 4},
		{"another checksum", at(len(good)-1, good[len(good)-1]^1), inflate.ErrChecksum, len(good) - 4},
	} {
		t.Run(v.name, func(t *testing.T) { check(t, new(inflate.Decoder).Zlib, v.src, v.err, v.off) })
	}
}

// check decodes a stream of abc.
func check(t *testing.T, fn func(dst, src []byte) (int, error), src []byte, want error, off int) {
	t.Helper()
	got, _, err := decode(t, fn, 3, src)
	var e *inflate.Error
	switch {
	case want == nil && (err != nil || string(got) != "abc"):
		t.Errorf("%q, %v", got, err)
	case want != nil && (!errors.Is(err, want) || !errors.As(err, &e) || e.Off != off):
		t.Errorf("%v; want %v at %#x", err, want, off)
	}
}

func TestGzip(t *testing.T) {
	sum := crc32.ChecksumIEEE([]byte("abc"))
	end := append(head(last|fixed).fixed('a', 'b', 'c', 256).b, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24), 3, 0, 0, 0)
	member := func(flags byte, rest ...byte) []byte {
		return append(append([]byte{0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3}, rest...), end...)
	}
	good := member(0)
	summed := crc32.ChecksumIEEE(member(2)[:10])
	long := bytes.Repeat([]byte("x"), 512)
	for _, v := range []struct {
		name string
		src  []byte
		err  error
		off  int
	}{
		{"valid", good, nil, 0},
		{"another member behind it", append(bytes.Clone(good), good...), nil, 0},
		{"all that a header can have", func() []byte {
			h := member(0x1e, 2, 0, 'e', 'x', 'n', 0, 'c', 'd', 0)
			h = h[:len(h)-len(end)]
			s := crc32.ChecksumIEEE(h)
			return append(append(h, byte(s), byte(s>>8)), end...)
		}(), nil, 0},
		{"sum of the header", member(2, byte(summed), byte(summed>>8)), nil, 0},
		{"name of 511 bytes", member(8, append(bytes.Clone(long[1:]), 0)...), nil, 0},
		{"name of 512 bytes", member(8, append(bytes.Clone(long), 0)...), inflate.ErrCorrupt, 10},
		{"nothing", nil, inflate.ErrTruncated, 0},
		{"cut in the header", good[:9], inflate.ErrTruncated, 0},
		{"zlib", unhex("78 9c 03 00 00 00 00 01"), inflate.ErrCorrupt, 0},
		{"method 7", append(unhex("1f 8b 07"), good[3:]...), inflate.ErrCorrupt, 0},
		{"reserved flag", member(0x20), inflate.ErrCorrupt, 0},
		{"wrong sum of the header", member(2, byte(summed)^1, byte(summed>>8)), inflate.ErrChecksum, 10},
		{"cut in the sum", member(2)[:11], inflate.ErrTruncated, 10},
		{"cut in extra", member(4, 9, 0)[:20], inflate.ErrTruncated, 10},
		{"cut in the name", member(8, 'n')[:11], inflate.ErrTruncated, 10},
		{"cut behind the stream", good[:len(good)-1], inflate.ErrTruncated, len(good) - 8},
		{"another checksum", append(bytes.Clone(good[:len(good)-8]), 0, 0, 0, 0, 3, 0, 0, 0), inflate.ErrChecksum, len(good) - 8},
		{"another size", append(bytes.Clone(good[:len(good)-4]), 4, 0, 0, 0), inflate.ErrChecksum, len(good) - 8},
	} {
		t.Run(v.name, func(t *testing.T) { check(t, new(inflate.Decoder).Gzip, v.src, v.err, v.off) })
	}
}
