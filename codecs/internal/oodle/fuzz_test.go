package oodle_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"pakdb/codecs/internal/oodle"
	"pakdb/internal/testkit"
)

// check decodes src and tests what holds for any input: the count, the error's class and place, the bytes around dst,
// and that a used Decoder does as a new one does.
func check(t *testing.T, used *oodle.Decoder, size int, src []byte) {
	t.Helper()
	const guard = 64
	buf := bytes.Repeat([]byte{0xA5}, size+2*guard)
	dst := buf[guard : guard+size] // with capacity behind its length, which must not be touched
	kept := bytes.Clone(src)
	n, err := oodle.Decode(dst, src)
	if n < 0 || n > size || (err == nil) != (n == size && err == nil) {
		t.Fatalf("Decode = %d, %v for %d bytes", n, err, size)
	}
	if err == nil && n != size {
		t.Fatalf("Decode = %d without an error, want %d", n, size)
	}
	if err != nil {
		checkError(t, err, size, src)
	}
	for i := range guard {
		if buf[i] != 0xA5 || buf[guard+size+i] != 0xA5 {
			t.Fatal("Decode wrote outside dst")
		}
	}
	if !bytes.Equal(src, kept) {
		t.Fatal("Decode wrote to src")
	}
	again := bytes.Repeat([]byte{0x5A}, size)
	n2, err2 := used.Decode(again, src)
	if n2 != n || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
		t.Fatalf("used Decoder: %d, %v; new one: %d, %v", n2, err2, n, err)
	}
	if !bytes.Equal(again[:n], dst[:n]) {
		t.Fatal("used Decoder: other bytes")
	}
}

func checkError(t *testing.T, err error, size int, src []byte) {
	t.Helper()
	var e *oodle.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if errors.Is(err, oodle.ErrCorrupt) == errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("neither or both of corrupt and unsupported: %v", err)
	}
	if e.Offset < 0 || e.Offset > len(src) || e.Raw < 0 || e.Raw > size || e.Field == "" {
		t.Fatalf("place outside the stream: %+v", e)
	}
}

// fuzzLimit bounds the decoded size that a fuzz input may ask for.
const fuzzLimit = 1 << 19

// fuzzBlock fuzzes the payload of one codec's first block: the two header bytes are given.
func fuzzBlock(f *testing.F, codec byte) {
	for _, v := range vectors(f) {
		if src := v.stream(f); src[1] == codec {
			f.Add(v.size, src[2:])
		}
	}
	for _, s := range small(codec) {
		f.Add(s.size, s.src[2:])
	}
	var used oodle.Decoder
	f.Fuzz(func(t *testing.T, size int, payload []byte) {
		if size < 0 || size > fuzzLimit {
			t.Skip()
		}
		check(t, &used, size, append([]byte{0x8C, codec}, payload...))
	})
}

func FuzzKraken(f *testing.F)    { fuzzBlock(f, 6) }
func FuzzMermaid(f *testing.F)   { fuzzBlock(f, 10) }
func FuzzLeviathan(f *testing.F) { fuzzBlock(f, 12) }
func FuzzLZNA(f *testing.F)      { fuzzBlock(f, 5) }
func FuzzBitKnit(f *testing.F)   { fuzzBlock(f, 11) }

// FuzzDecode fuzzes whole streams, block headers included.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.size, v.stream(f))
	}
	for _, codec := range []byte{5, 6, 10, 11, 12} {
		for _, s := range small(codec) {
			f.Add(s.size, s.src)
		}
	}
	var used oodle.Decoder
	f.Fuzz(func(t *testing.T, size int, src []byte) {
		if size < 0 || size > fuzzLimit {
			t.Skip()
		}
		check(t, &used, size, src)
	})
}

// FuzzArray fuzzes an entropy-coded array, as the only one of a chunk.
func FuzzArray(f *testing.F) {
	for _, v := range vectors(f) {
		if v.kind == "array" {
			f.Add(v.size, longArray(f, v.src))
		}
	}
	var used oodle.Decoder
	f.Fuzz(func(t *testing.T, size int, array []byte) {
		if size < 0 || size > 0x20000 || len(array) == 0 {
			t.Skip()
		}
		n := len(array) - 1
		check(t, &used, size, append([]byte{0x8C, 6, byte(n >> 16 & 3), byte(n >> 8), byte(n)}, array...))
	})
}

// small returns small streams of a codec in all its forms.
func small(codec byte) []block {
	var all []block
	for _, n := range []int{100, 700} {
		if codec == 5 || codec == 11 {
			all = append(all, block{src: encodeSmall(smallSample(7, n), codec, 0), size: n})
			continue
		}
		streams(sample(3, n), func(_ string, src []byte) {
			if src[1] == codec {
				all = append(all, block{src: src, size: n})
			}
		})
	}
	return all
}

// TestMutations damages streams of all codecs, and checks what holds for any input.
func TestMutations(t *testing.T) {
	var all []block
	for _, v := range vectors(t) {
		all = append(all, block{src: v.stream(t), size: v.size})
	}
	for _, codec := range []byte{5, 6, 10, 11, 12} {
		all = append(all, small(codec)...)
	}
	rounds := testkit.Of(20, 400)
	r := rand.New(rand.NewPCG(1, 2))
	var used oodle.Decoder
	for _, b := range all {
		for range rounds {
			src := bytes.Clone(b.src)
			for range 1 + r.IntN(3) {
				src[r.IntN(len(src))] = byte(r.Uint32())
			}
			if r.IntN(4) == 0 {
				src = src[:r.IntN(len(src))]
			}
			size := b.size
			if r.IntN(8) == 0 {
				size = r.IntN(2*size + 1)
			}
			check(t, &used, size, src)
		}
	}
}

// TestTruncated cuts streams off and asks for other sizes: no stream decodes to anything but its own size.
func TestTruncated(t *testing.T) {
	var d oodle.Decoder
	for _, v := range vectors(t) {
		src := v.stream(t)
		for n := range len(src) {
			if got, err := d.Decode(make([]byte, v.size), src[:n]); !errors.Is(err, oodle.ErrCorrupt) || got == v.size && v.size > 0 {
				t.Fatalf("%s cut to %d of %d: %d, %v", v.name, n, len(src), got, err)
			}
		}
		if _, err := d.Decode(make([]byte, v.size), append(bytes.Clone(src), 0)); !errors.Is(err, oodle.ErrCorrupt) {
			t.Fatalf("%s with a byte behind: %v", v.name, err)
		}
	}
}

// TestHostileTime feeds nests and tables that cost much for their size.
func TestHostileTime(t *testing.T) {
	var d oodle.Decoder
	for name, array := range hostileArrays(t) {
		n := len(array) - 1
		src := append([]byte{0x8C, 6, byte(n >> 16 & 3), byte(n >> 8), byte(n)}, array...)
		dst := make([]byte, int(array[0]&15)<<14|int(array[1])<<6|int(array[2])>>2+1)
		start := time.Now()
		_, err := d.Decode(dst, src)
		if err != nil && !errors.Is(err, oodle.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s, %d bytes: %v, %v", name, len(src), time.Since(start), err)
	}
}

// long returns an array header of the long form.
func long(kind, stored, size int) []byte {
	w := uint64(kind)<<36 | uint64(size-1)<<18 | uint64(stored)
	return []byte{byte(w >> 32), byte(w >> 24), byte(w >> 16), byte(w >> 8), byte(w)}
}

func hostileArrays(tb testing.TB) map[string][]byte {
	all := map[string][]byte{}
	var huffman []byte
	huffmanSize := 0
	for _, v := range vectors(tb) {
		if v.name == "H4" {
			huffman, huffmanSize = v.src, v.size
		}
	}
	// Arrays in arrays, each of which fills all of the output: many small ones, and fewer of the largest size.
	for name, size := range map[string]int{"deep": 1000, "deep and large": 0x20000} {
		deep := []byte{0x80, 0x00}
		for range 60 {
			deep = append([]byte{0x02}, append(deep, 0x80, 0x00)...)
			deep = append(long(5, len(deep), size), deep...)
		}
		all[name] = deep
	}
	// A multi-array of 63 sources of 128 KiB each, several of them side by side.
	fills := []byte{0x80 | 63}
	for range 63 {
		fills = append(append(fills, long(3, 1, 0x20000)...), 'x')
	}
	all["fills"] = append(long(5, len(fills), 0x20000), fills...)
	// As many code tables as fit: concatenations of concatenations of a small Huffman array.
	part := []byte{100}
	for range 100 {
		part = append(part, huffman...)
	}
	part = append(long(5, len(part), 100*huffmanSize), part...)
	tables := []byte{15}
	for range 15 {
		tables = append(tables, part...)
	}
	all["tables"] = append(long(5, len(tables), 1500*huffmanSize), tables...)
	return all
}
