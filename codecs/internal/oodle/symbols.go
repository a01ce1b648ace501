package oodle

import "math/bits"

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
