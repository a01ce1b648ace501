package inflate_test

import (
	"math/bits"
	"slices"
)

// stream writes deflate by hand.
type stream struct {
	b    []byte
	used int // bits of b
}

// bits writes the n low bits of v, the lowest first.
func (w *stream) bits(v, n int) *stream {
	for i := range n {
		if w.used%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.used/8] |= byte(v>>i&1) << (w.used % 8)
		w.used++
	}
	return w
}

// code writes the n low bits of v, the highest first, as Huffman codes are.
func (w *stream) code(v, n int) *stream {
	return w.bits(int(bits.Reverse32(uint32(v))>>(32-n)), n)
}

// fixed writes symbols by the fixed code of literals and lengths.
func (w *stream) fixed(syms ...int) *stream {
	for _, s := range syms {
		switch {
		case s < 144:
			w.code(0x30+s, 8)
		case s < 256:
			w.code(0x190+s-144, 9)
		case s < 280:
			w.code(s-256, 7)
		default:
			w.code(0xc0+s-280, 8)
		}
	}
	return w
}

// bytes ends the byte, and writes others.
func (w *stream) bytes(p ...byte) *stream {
	w.b = append(w.b, p...)
	w.used = 8 * len(w.b)
	return w
}

const (
	more, last             = 0, 1
	stored, fixed, dynamic = 0 << 1, 1 << 1, 2 << 1
)

// head begins a stream with the header of a block.
func head(h int) *stream { return new(stream).head(h) }

func (w *stream) head(h int) *stream { return w.bits(h, 3) }

// metaOrder is that of RFC 1951, 3.2.7.
var metaOrder = []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// meta writes the numbers of codes and the lengths of the code of code lengths.
func (w *stream) meta(lits, dists int, lens map[int]int) *stream {
	w.bits(lits-257, 5).bits(dists-1, 5).bits(19-4, 4)
	for _, sym := range metaOrder {
		w.bits(lens[sym], 3)
	}
	return w
}

// lengths writes code lengths, each by a code of 4 bits.
func (w *stream) lengths(lits, dists []int) *stream {
	lens := map[int]int{}
	for n := range 16 {
		lens[n] = 4
	}
	w.meta(len(lits), len(dists), lens)
	for _, n := range slices.Concat(lits, dists) {
		w.code(n, 4)
	}
	return w
}

// codes returns the canonical codes of lengths (RFC 1951, 3.2.2).
func codes(lens []int) []int {
	out, code := make([]int, len(lens)), 0
	for n := 1; n <= 15; n++ {
		code <<= 1
		for sym, m := range lens {
			if m == n {
				out[sym] = code
				code++
			}
		}
	}
	return out
}

// with returns size lengths, of which these symbols have one.
func with(size int, lens map[int]int) []int {
	out := make([]int, size)
	for sym, n := range lens {
		out[sym] = n
	}
	return out
}
