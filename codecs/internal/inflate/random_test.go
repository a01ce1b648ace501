package inflate_test

import (
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/inflate"
)

// completeCode draws the lengths of a complete code of n symbols out of size,
// at most 15 bits long; first always has one. Where deep is true, most are as
// long as they can be, which makes the largest subtables.
func completeCode(t *rapid.T, size, n, first int, deep bool) []int {
	lens := []int{0}
	for len(lens) < n {
		i := len(lens) - 1
		if !deep || lens[i] == 15 {
			i = rapid.IntRange(0, len(lens)-1).Draw(t, "leaf")
		}
		if lens[i] == 15 {
			i = slices.IndexFunc(lens, func(n int) bool { return n < 15 })
		}
		lens[i]++
		lens = append(lens, lens[i])
	}
	syms := make([]int, size)
	for i := range syms {
		syms[i] = (first + i) % size
	}
	if size > 1 {
		copy(syms[1:], rapid.Permutation(syms[1:]).Draw(t, "symbols"))
	}
	out := make([]int, size)
	for i, n := range lens {
		out[syms[i]] = max(n, 1)
	}
	return out
}

// block writes a dynamic block of random symbols by random codes to w, and
// appends what it stands for to out.
func block(t *rapid.T, w *stream, h int, out []byte) []byte {
	deep := rapid.Bool().Draw(t, "deep")
	lits := completeCode(t, 286, rapid.IntRange(2, 286).Draw(t, "lits"), 256, deep)
	dists := completeCode(t, 30, rapid.IntRange(1, 30).Draw(t, "dists"), rapid.IntRange(0, 29).Draw(t, "dist"), deep)
	w.head(h|dynamic).lengths(lits, dists)
	litCodes, distCodes := codes(lits), codes(dists)
	for range rapid.IntRange(0, 300).Draw(t, "symbols") {
		sym := rapid.IntRange(0, 285).Draw(t, "symbol")
		dist := rapid.IntRange(0, 29).Draw(t, "distance")
		if lits[sym] == 0 || sym == 256 || sym > 256 && (dists[dist] == 0 || distances[dist].base > len(out)) {
			continue
		}
		w.code(litCodes[sym], lits[sym])
		if sym < 256 {
			out = append(out, byte(sym))
			continue
		}
		length := extra(t, w, lengths[sym-257], 258)
		w.code(distCodes[dist], dists[dist])
		back := extra(t, w, distances[dist], len(out))
		for range length {
			out = append(out, out[len(out)-back])
		}
	}
	w.code(litCodes[256], lits[256])
	return out
}

// ranges are the lengths or distances of a symbol.
type ranges struct{ base, extra int }

func extra(t *rapid.T, w *stream, r ranges, most int) int {
	n := rapid.IntRange(0, min(1<<r.extra-1, most-r.base)).Draw(t, "extra")
	w.bits(n, r.extra)
	return r.base + n
}

// The tables of RFC 1951, 3.2.5.
var lengths = []ranges{{3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0}, {11, 1}, {13, 1}, {15, 1}, {17, 1}, {19, 2}, {23, 2}, {27, 2}, {31, 2},
	{35, 3}, {43, 3}, {51, 3}, {59, 3}, {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}

var distances = []ranges{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 1}, {7, 1}, {9, 2}, {13, 2}, {17, 3}, {25, 3}, {33, 4}, {49, 4}, {65, 5}, {97, 5}, {129, 6}, {193, 6},
	{257, 7}, {385, 7}, {513, 8}, {769, 8}, {1025, 9}, {1537, 9}, {2049, 10}, {3073, 10}, {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}

// Blocks by random codes, most of which no encoder would choose.
func TestRandomCodes(t *testing.T) {
	var d inflate.Decoder
	rapid.Check(t, func(rt *rapid.T) {
		var w stream
		var want []byte
		for range rapid.IntRange(0, 2).Draw(rt, "blocks") {
			want = block(rt, &w, more, want)
		}
		want = block(rt, &w, last, want)
		got, read, err := decode(t, d.Raw, len(want), w.b)
		if err != nil || read != len(w.b) || !bytes.Equal(got, want) {
			rt.Fatalf("took %d of %d, %v; equal: %v", read, len(w.b), err, bytes.Equal(got, want))
		}
		if std, err := io.ReadAll(flate.NewReader(bytes.NewReader(w.b))); err != nil || !bytes.Equal(std, want) {
			rt.Fatalf("the standard library: %v; equal: %v", err, bytes.Equal(std, want))
		}
	})
}

// content draws text, noise, runs of a few bytes, and copies from before.
func content(t *rapid.T) (out []byte) {
	for range rapid.IntRange(0, 30).Draw(t, "pieces") {
		p := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "piece")
		if back := rapid.IntRange(0, 40000).Draw(t, "back"); back < len(out) && back > 0 {
			p = append(p, out[len(out)-back:][:min(back, 3000)]...)
		}
		out = append(out, bytes.Repeat(p, rapid.IntRange(1, 100).Draw(t, "times"))...)
	}
	return out
}

// All that zlib writes is decoded: levels, strategies, windows, stored blocks.
func TestRoundTrip(t *testing.T) {
	var d inflate.Decoder
	var e compress.ZlibEncoder
	rapid.Check(t, func(rt *rapid.T) {
		want := content(rt)
		p := compress.ZlibParams{
			Level: rapid.Uint8Range(0, 9).Draw(rt, "level"), MemLevel: rapid.Uint8Range(1, 9).Draw(rt, "memory"),
			WindowBits: rapid.Uint8Range(9, 15).Draw(rt, "window"),
			Strategy:   compress.ZlibStrategy(rapid.Uint8Range(0, 4).Draw(rt, "strategy")), Raw: rapid.Bool().Draw(rt, "raw"),
		}
		src, err := e.Encode(nil, want, p)
		if err != nil {
			rt.Fatal(err)
		}
		fn := d.Zlib
		if p.Raw {
			fn = d.Raw
		}
		fill := rapid.IntRange(0, 40).Draw(rt, "fill")
		got, read, err := decode(t, fn, len(want), append(src, make([]byte, fill)...))
		if err != nil || read != len(src) || !bytes.Equal(got, want) {
			rt.Fatalf("%v: took %d of %d, %v; equal: %v", p, read, len(src), err, bytes.Equal(got, want))
		}
		cut := rapid.IntRange(0, len(src)-1).Draw(rt, "cut")
		if _, _, err := decode(t, fn, len(want), src[:cut]); err == nil {
			rt.Fatalf("%v: %d of %d bytes are a stream", p, cut, len(src))
		}
	})
}

// Decoding allocates nothing.
func TestNoAllocations(t *testing.T) {
	var d inflate.Decoder
	src := head(last|fixed).fixed('a', 285).code(0, 5).fixed(256).b
	dst := make([]byte, 259)
	if n := testing.AllocsPerRun(100, func() { _, _ = d.Raw(dst, src) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
