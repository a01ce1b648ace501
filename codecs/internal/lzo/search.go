package lzo

import (
	"encoding/binary"
	"math/bits"
)

const (
	dictionary = 0xbfff // no match is farther
	lookAhead  = 2048   // nor longer
	ring       = 1 << 16
)

// match is length bytes that occur distance bytes before. One of less than two
// bytes is none.
type match struct{ length, distance int }

// searcher finds matches. Positions in its tables count from 1; 0 is none. What
// is older than the dictionary stays in them and is passed over.
type searcher struct {
	src  []byte
	work int // steps that are left

	pairs   [1 << 16]int32 // by two bytes: their last position
	triples [1 << 14]int32 // by the hash of three bytes
	links   [ring]int32    // by position: the last position of three bytes of the same hash
	reached [ring]uint16   // by position: how long the match was that was found there

	// nearest has by length how far back the first match was that the last search
	// saw among candidates, of 3 bytes and more; 0 if it saw none. Not every match is
	// seen: see longer.
	nearest [class3Length + 1]int32
	noted   int // no longer ones are in nearest
}

// unsearched is what reached says of positions within a match.
const unsearched = lookAhead + 1

func (s *searcher) begin(src []byte, work int) {
	s.src, s.work = src, work
	clear(s.pairs[:])
	clear(s.triples[:])
}

func pairAt(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }

// tripleHash decides which candidates a search meets, and so it is the
// reference's.
func tripleHash(b []byte) uint32 {
	return 0x9f5f * (uint32(b[0])<<10 ^ uint32(b[1])<<5 ^ uint32(b[2])) >> 5 & (1<<14 - 1)
}

// add puts a position into the tables and returns where its pair and the hash of
// its triple occurred before.
func (s *searcher) add(pos int) (pair, triple int32) {
	b, now := s.src[pos:], uint32(pos+1)
	if len(b) >= 2 {
		p := &s.pairs[pairAt(b, 0)]
		pair, *p = *p, int32(now)
	}
	if len(b) >= 3 {
		t := &s.triples[tripleHash(b)]
		triple, s.links[now%ring], *t = *t, *t, int32(now)
	}
	s.reached[now%ring] = unsearched
	return pair, triple
}

// skip passes n positions from pos on, which are within a match.
func (s *searcher) skip(pos, n int) {
	for end := pos + n; pos < end; pos++ {
		s.add(pos)
	}
}

// find returns the longest match at pos, and of several the nearest, as far as so
// many candidates have it. Positions are passed in their order, each once.
func (s *searcher) find(pos, chain int) match {
	clear(s.nearest[:s.noted+1])
	s.noted = 0
	pair, triple := s.add(pos)
	m := match{length: 1}
	if d := pos + 1 - int(pair); pair > 0 && d <= dictionary {
		m = match{2, d}
		if len(s.src)-pos > 2 {
			m = s.longer(m, pos, triple, chain)
		}
	}
	s.reached[uint32(pos+1)%ring] = uint16(m.length)
	return m
}

// longer goes through candidates, the nearest first. It passes over those whose
// first two bytes, or those at which a longer match would end, are others; what
// is left may still be shorter. It gives up after a candidate that had less to
// go on when it was searched itself: matches farther back will not do better.
func (s *searcher) longer(m match, pos int, at int32, chain int) match {
	src, left := s.src, chain
	here := src[pos:min(pos+lookAhead, len(src))]
	head, tail := pairAt(here, 0), pairAt(here, m.length-1)
	for oldest := int32(max(pos+1-dictionary, 1)); left > 0 && at >= oldest; at, left = s.links[uint32(at)%ring], left-1 {
		there := src[at-1:]
		if pairAt(there, m.length-1) != tail || pairAt(there, 0) != head {
			continue
		}
		n, d := equal(here, there), pos+1-int(at)
		s.work -= n / 16
		s.note(n, d)
		if n > m.length {
			m = match{n, d}
			if n == len(here) || n > int(s.reached[uint32(at)%ring]) {
				break
			}
			tail = pairAt(here, n-1)
		}
	}
	s.work -= chain - left
	return m
}

// note keeps the nearest match of each length that has a use.
func (s *searcher) note(length, distance int) {
	if length < len(s.nearest) && s.nearest[length] == 0 {
		s.nearest[length] = int32(distance)
		s.noted = max(s.noted, length)
	}
}

// equal returns how many bytes at the front of a and b are equal; b is not shorter.
func equal(a, b []byte) int {
	n := 0
	for ; n+8 <= len(a); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
