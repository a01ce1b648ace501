package oodle

import (
	"encoding/binary"
	"math/bits"
)

// The four reading directions of the format are FM, BM (most significant bit first, forward and backward) and FL, BL
// (least significant bit first). All readers yield zero bits past their area; every part of a stream ends with a check
// of the final positions, which finds such over-reads.

// peekBits is how many bits a peek of a 64-bit word holds at least, whatever the bit offset in the first byte.
const peekBits = 57

// forward is an FM reader for headers: buf from its first byte on.
type forward struct {
	buf []byte
	pos int // bits consumed
}

// peek returns the next bits at the top of a word; at least peekBits of them count.
func (r *forward) peek() uint64 {
	i := r.pos >> 3
	if i <= len(r.buf)-8 {
		return binary.BigEndian.Uint64(r.buf[i:]) << (r.pos & 7)
	}
	return r.peekEnd(i)
}

func (r *forward) peekEnd(i int) uint64 {
	var w [8]byte
	if i < len(r.buf) {
		copy(w[:], r.buf[i:])
	}
	return binary.BigEndian.Uint64(w[:]) << (r.pos & 7)
}

// read returns the next n <= 32 bits.
func (r *forward) read(n int) int {
	v := top(r.peek(), n)
	r.pos += n
	return int(v)
}

// zeros consumes 0 bits and the 1 bit after them and returns the number of 0 bits. More than limit of them yield
// limit+1; what is consumed then does not matter, the caller fails.
func (r *forward) zeros(limit int) int {
	n := 0
	for {
		z := bits.LeadingZeros64(r.peek())
		if z < peekBits {
			r.pos += z + 1
			return min(n+z, limit+1)
		}
		n += peekBits
		r.pos += peekBits
		if n > limit {
			return limit + 1
		}
	}
}

// used returns the position in whole bytes; a partly used byte counts.
func (r *forward) used() int { return (r.pos + 7) >> 3 }

func zigzag(v int) int { return v>>1 ^ -(v & 1) }

// bitPair is the FM reader from the start and the BM reader from the end that share one area ("bit data"). It works on
// a copy of the area with 8 zero bytes on both sides, so that a load never needs a check of its own: over() is asked
// before each load, and the positions then stay inside the padded copy.
type bitPair struct {
	buf  []byte // pad, area, pad
	size int    // bits in the area
	a, b int    // bits consumed from the start and from the end
}

// pair copies area and returns its readers. The copy lives until the next call of pair.
func (d *Decoder) pair(area []byte) bitPair {
	n := len(area) + 16
	if cap(d.pad) < n {
		d.pad = make([]byte, n, n+n/2)
	}
	buf := d.pad[:n]
	clear(buf[:8])
	copy(buf[8:], area)
	clear(buf[n-8:])
	return bitPair{buf: buf, size: len(area) * 8}
}

// over reports that more bits were consumed than the area holds. As long as it is false, the peeks are in range:
// 0 <= a, b <= size.
func (p *bitPair) over() bool { return p.a+p.b > p.size }

// met reports that both readers together used the area up, a byte that both used in part not being allowed.
func (p *bitPair) met() bool { return (p.a+7)>>3+(p.b+7)>>3 == p.size>>3 }

func (p *bitPair) peekA() uint64 {
	return binary.BigEndian.Uint64(p.buf[8+p.a>>3:]) << (p.a & 7)
}

func (p *bitPair) peekB() uint64 {
	return binary.LittleEndian.Uint64(p.buf[(p.size-p.b+7)>>3:]) << (p.b & 7)
}

// top returns the n highest bits of w; n = 0 yields 0.
func top(w uint64, n int) uint64 { return w >> 1 >> (63 - uint(n)&63) }

// symbolSet is the part that new Huffman lengths and dense tANS weights have in common: which n of the 256 byte values
// occur, as runs and gaps, with an unary value for each symbol in front.
type symbolSet struct {
	n, p  int         // symbols and values of the ranges
	bytes [256]uint8  // the n symbols, ascending
	unary [512]uint16 // n values of the symbols, then p of the ranges; n+p <= 384
}

// values reads the number of range values of n symbols and all unary values. It reports whether they are sound. The
// ranges need not follow at once.
func (s *symbolSet) values(r *forward, n int) bool {
	s.n = n
	s.p = fluff(r, n)
	return readUnary(r, s.unary[:n+s.p])
}

// fluff reads the number of range values of n symbols, in truncated binary.
func fluff(r *forward, n int) int {
	if n == 256 {
		return 0
	}
	x := 2 * min(257-n, n)
	y := bits.Len(uint(x - 1))
	z := 1<<y - x
	u := r.read(y - 1)
	if u < z {
		return u
	}
	return 2*u + r.read(1) - z
}

// maxUnary is the largest unary value, a choice of this package: valid ones are far smaller.
const maxUnary = 255

// readUnary reads len(u) unary values, several of them from one peek.
func readUnary(r *forward, u []uint16) bool {
	for i := 0; i < len(u); {
		w, left := r.peek(), peekBits
		start := i
		for i < len(u) {
			z := bits.LeadingZeros64(w)
			if z >= left {
				break
			}
			u[i] = uint16(z)
			i++
			w <<= z + 1
			left -= z + 1
		}
		r.pos += peekBits - left
		if i == start {
			z := r.zeros(maxUnary)
			if z > maxUnary {
				return false
			}
			u[i] = uint16(z)
			i++
		}
	}
	return true
}

// ranges lists the symbols of the runs that the values of the ranges and further bits describe. It reports whether they
// are sound.
func (s *symbolSet) ranges(r *forward) bool {
	e := s.unary[s.n : s.n+s.p]
	pos, used := 0, 0
	if len(e)&1 != 0 {
		k := int(e[0])
		if k > 7 {
			return false
		}
		pos = r.read(k+1) + 1<<(k+1) - 1
		e = e[1:]
	}
	for ; len(e) >= 2; e = e[2:] {
		k, g := int(e[0]), int(e[1])
		if k > 8 || g > 7 {
			return false
		}
		num := r.read(k) + 1<<k
		gap := r.read(g+1) + 1<<(g+1) - 1
		if num > 256-pos || num > s.n-used {
			return false
		}
		s.run(used, pos, num)
		used += num
		pos += num + gap
	}
	if pos > 255 || used >= s.n || pos+s.n-used > 256 {
		return false
	}
	s.run(used, pos, s.n-used)
	return true
}

// run sets n symbols from s.bytes[i] on to the values from v on.
func (s *symbolSet) run(i, v, n int) {
	out := s.bytes[i : i+n]
	for j := range out {
		out[j] = uint8(v + j)
	}
}
