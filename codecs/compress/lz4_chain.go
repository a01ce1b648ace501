package compress

import (
	"encoding/binary"
	"math/bits"
)

// The tables of high compression, as the reference has them.
const (
	chainHashBits = 15
	chainLength   = 1 << 16 // positions whose predecessors are known
	maxBase       = 1 << 30
)

// The reference takes very long for some inputs: many candidates for every
// match, or much that they have in common. What takes more steps than these, a
// candidate or eight bytes each, is given up. Usual content takes 3 steps a byte
// at level 9 and 17 at level 12, no block of 64 KiB of it more than 48.
const (
	workPerByte = 256
	minWork     = 1 << 18
)

// chains finds matches for high compression: all earlier positions with the same
// hash of four bytes, the nearest first.
type chains struct {
	latest [1 << chainHashBits]uint32 // by hash: position plus base
	back   [chainLength]uint16        // by position plus base: how far before it the last one with its hash is
	base   uint32                     // of the positions of this block; what is below it belongs to others
	next   int                        // position that is not in the tables yet

	src      []byte
	size     int  // of src
	work     int  // steps that may still be made
	attempts int  // positions that are looked at
	runs     bool // rows of one byte are skipped at once
	swap     bool // a position within a match may continue it with fewer attempts
	within   bool // matches are only lengthened backward within what is looked at: a peculiarity of old versions
}

// begin forgets all positions. Bases grow, so that nothing need be cleared.
func (c *chains) begin(src []byte) {
	c.base += uint32(c.size) + chainLength
	if c.base > maxBase {
		clear(c.latest[:])
		c.base = chainLength
	}
	c.src, c.size, c.next = src, len(src), 0
	c.work = minWork + len(src)*workPerByte
}

func (c *chains) hash(pos int) uint32 {
	return lz4Load32(c.src, pos) * prime4 >> (32 - chainHashBits)
}

// insert takes all positions before pos into the tables.
func (c *chains) insert(pos int) {
	for i := c.next; i < pos; i++ {
		h, at := c.hash(i), uint32(i)+c.base
		c.back[at&(chainLength-1)] = uint16(min(at-c.latest[h], maxDistance))
		c.latest[h] = at
	}
	c.next = max(c.next, pos)
}

func (c *chains) behind(pos int) int { return int(c.back[(uint32(pos)+c.base)&(chainLength-1)]) }

// match is a run of bytes that occurs in the block twice.
type match struct{ at, from, length int }

func (m match) end() int { return m.at + m.length }

// cut takes n bytes from the front.
func (m *match) cut(n int) { m.at, m.from, m.length = m.at+n, m.from+n, m.length-n }

// longest returns the longest match that is longer than length, covers pos, and
// begins at low or after it; else one of that length. No match reaches end.
func (c *chains) longest(pos, low, end, length int) match {
	c.insert(pos)
	best := match{length: length}
	src, four := c.src, lz4Load32(c.src, pos)
	lowest := max(0, pos-maxDistance)
	ahead := 0 // of a candidate: the position whose predecessor is the next one
	var run runSearch
	at := int(c.latest[c.hash(pos)]) - int(c.base)
	for n := c.attempts; at >= lowest && n > 0 && c.work >= 0; n-- {
		found := 0
		c.work--
		if load16(src, low+best.length-1) == load16(src, at-pos+low+best.length-1) && lz4Load32(src, at) == four {
			found = lz4MinMatch + equal(src[pos+lz4MinMatch:end], src[at+lz4MinMatch:])
			back := c.lengthen(pos, at, low)
			c.work -= found >> 3
			if found += back; found > best.length {
				best = match{pos - back, at - back, found}
			}
		}
		if c.swap && found == best.length && at+found <= pos {
			if to, k := c.rarest(at, found); to > 1 {
				at, ahead = at-to, k
				continue
			}
		}
		if c.runs && ahead == 0 && c.behind(at) == 1 {
			if next, ok := run.skip(c, pos, low, end, lowest, at-1, &best); ok {
				at = next
				continue
			}
		}
		at -= c.behind(at + ahead)
	}
	return best
}

// lengthen returns by how much a match at pos can begin earlier.
func (c *chains) lengthen(pos, from, low int) (n int) {
	most := min(pos-low, from)
	if c.within {
		most = min(most, from-low)
	}
	for n < most && c.src[pos-n-1] == c.src[from-n-1] {
		n++
	}
	return n
}

// rarest returns which of the positions in a match has its predecessor farthest
// after it, and how far: a longer match must be that far away.
func (c *chains) rarest(at, length int) (distance, ahead int) {
	const trigger = 4
	distance = 1
	c.work -= length >> trigger
	accel := 1 << trigger
	for k, step := 0, 1; k < length-lz4MinMatch+1; k += step {
		d := c.behind(at + k)
		step = accel >> trigger
		accel++
		if d > distance {
			distance, ahead, accel = d, k, 1<<trigger
		}
	}
	return distance, ahead
}

// runSearch is what a search knows of a row of one byte at its position.
type runSearch struct {
	tested, uniform bool
	length          int
}

// skip leads from a candidate, which is after another of the same hash, to
// the one before it that is worth looking at, when both are in a row of the
// byte that is at pos.
func (r *runSearch) skip(c *chains, pos, low, end, lowest, at int, best *match) (next int, ok bool) {
	four := lz4Load32(c.src, pos)
	if !r.tested {
		r.tested = true
		if r.uniform = four == four&0xff*0x01010101; r.uniform {
			r.length = run(c.src[pos:end], byte(four))
			c.work -= r.length >> 3
		}
	}
	if !r.uniform || at < lowest || lz4Load32(c.src, at) != four {
		return 0, false
	}
	forward := run(c.src[at:end], byte(four))
	back := runBack(c.src[lowest:at], byte(four))
	c.work -= (forward + back) >> 3
	if back+forward >= r.length && forward <= r.length {
		return at + forward - r.length, true // all of the row, with what may follow
	}
	at -= back
	if low == pos {
		if n := min(back+forward, r.length); n > best.length {
			*best = match{pos, at, n}
		}
		at -= c.behind(at)
	}
	return at, true
}

// run is how many bytes of value v b begins with.
func run(b []byte, v byte) (n int) {
	for words := uint64(v) * 0x0101010101010101; len(b)-n >= 8; n += 8 {
		if d := binary.LittleEndian.Uint64(b[n:]) ^ words; d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
	}
	for n < len(b) && b[n] == v {
		n++
	}
	return n
}

// runBack is how many bytes of value v b ends with.
func runBack(b []byte, v byte) (n int) {
	for words := uint64(v) * 0x0101010101010101; len(b)-n >= 8; n += 8 {
		if d := binary.LittleEndian.Uint64(b[len(b)-n-8:]) ^ words; d != 0 {
			return n + bits.LeadingZeros64(d)/8
		}
	}
	for n < len(b) && b[len(b)-n-1] == v {
		n++
	}
	return n
}

// equal is how many bytes a and b have in common at their fronts.
func equal(a, b []byte) (n int) {
	for ; n+8 <= len(a) && n+8 <= len(b); n += 8 {
		if d := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func load16(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }
