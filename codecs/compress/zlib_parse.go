package compress

import (
	"encoding/binary"
	"math/bits"
)

func load24(b []byte, i int) uint32 {
	b = b[i:]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
}

func zlibLoad32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// insert enters the three bytes at pos into the hash chains and returns the
// position entered before.
func (e *ZlibEncoder) insert(pos int) uint32 {
	b := e.src[pos : pos+3]
	h := (uint32(b[0])<<(2*e.hashShift&31) ^ uint32(b[1])<<(e.hashShift&31) ^ uint32(b[2])) & e.hashMask
	p := uint32(pos) + e.shift
	before := e.head[h]
	e.prev[p%ringSize] = before
	e.head[h] = p
	return before
}

// lazy is deflate_slow: a match is taken when the next position has none that
// is longer.
//
//go:norace
func (e *ZlibEncoder) lazy() {
	var (
		n         = len(e.src)
		length    = zlibMinMatch - 1 // of the match at the position before, then at this one
		start     = 0                // where it was found
		available = false            // the byte before is still to be written
		pos       = 0
	)
	for ; ; pos++ {
		if e.filled-pos < minLookahead {
			e.fill(pos)
			if pos == n {
				break
			}
		}
		before, beforeStart := length, start
		length = zlibMinMatch - 1
		if before < e.search.lazy && n-pos >= zlibMinMatch {
			if pos >= e.buckets.to {
				e.sort(max(0, pos-e.maxDist))
			}
			if place := e.buckets.places[uint16(pos-e.buckets.from)]; place>>16 > 0 {
				length, start = e.longer(pos, place, before, start)
				if length <= 5 && (e.p.Strategy == ZlibFiltered || length == zlibMinMatch && pos-start > tooFar) {
					length = zlibMinMatch - 1
				}
			}
		}
		if before >= zlibMinMatch && length <= before {
			e.tally(uint32(pos-1-beforeStart)<<8 | uint32(before-zlibMinMatch))
			end := pos - 1 + before
			pos = end - 1 // the loop adds one
			available, length = false, zlibMinMatch-1
			if e.symCount == e.stop && e.full(end) {
				return
			}
			continue
		}
		if available {
			e.tally(uint32(e.src[pos-1]))
			if e.symCount == e.stop && e.full(pos) {
				return
			}
		}
		available = true
	}
	if available {
		e.tally(uint32(e.src[n-1]))
	}
	e.flush(n, true)
}

// greedy is deflate_fast: the first match is taken.
//
//go:norace
func (e *ZlibEncoder) greedy() {
	n := len(e.src)
	for pos := 0; ; {
		if e.filled-pos < minLookahead {
			e.fill(pos)
			if pos == n {
				break
			}
		}
		var cand uint32
		if n-pos >= zlibMinMatch {
			cand = e.insert(pos)
		}
		length, start := 0, 0
		if cand > uint32(e.base)+e.shift && uint32(pos)+e.shift-cand <= uint32(e.maxDist) {
			length, start = e.longest(pos, cand)
		}
		if length < zlibMinMatch {
			e.tally(uint32(e.src[pos]))
			pos++
		} else {
			e.tally(uint32(pos-start)<<8 | uint32(length-zlibMinMatch))
			end := pos + length
			if length <= e.search.lazy && n-end >= zlibMinMatch {
				for pos++; pos < end; pos++ {
					e.insert(pos)
				}
			}
			pos = end
		}
		if e.symCount == e.stop && e.full(pos) {
			return
		}
	}
	e.flush(n, true)
}

// longest is longest_match for greedy: it follows the chain that begins at cand
// and returns the longest match at pos, and where it is. A length of 2 means
// none. Nothing beyond the source counts.
//
//go:norace
func (e *ZlibEncoder) longest(pos int, cand uint32) (best, start int) {
	src, prev := e.src, e.prev
	most := min(maxMatch, len(src)-pos)
	nice, chain := min(e.search.nice, most), e.search.chain
	limit := uint32(max(pos-e.maxDist, e.base)) + e.shift
	// A longer match has the bytes best-3 to best in common too; at first they
	// are the first three.
	best = zlibMinMatch - 1
	at, want, mask := 0, load24(src, pos), uint32(0xffffff)
	for {
		cand, chain = next(src[at:], prev, cand, limit, e.shift, want, mask, chain)
		if chain == 0 {
			return best, start
		}
		if n := common(src, int(cand-e.shift), pos, most); n > best {
			best, start = n, int(cand-e.shift)
			if n >= nice {
				return best, start
			}
			at, want, mask = best-3, zlibLoad32(src, pos+best-3), 0xffffffff
		}
		cand = prev[cand%ringSize]
		if chain--; cand <= limit || chain == 0 {
			return best, start
		}
	}
}

// next follows the chain from cand to the first candidate, itself included, at
// which tail has the wanted bytes, and returns it and how many candidates may
// still be looked at, itself included. That is 0 when there is none.
//
//go:norace
func next(tail []byte, prev *[ringSize]uint32, cand, limit, shift, want, mask uint32, chain int) (uint32, int) {
	for {
		i := int(cand - shift)
		_ = tail[i+3]
		if v := uint32(tail[i]) | uint32(tail[i+1])<<8 | uint32(tail[i+2])<<16 | uint32(tail[i+3])<<24; (v^want)&mask == 0 {
			return cand, chain
		}
		cand = prev[cand%ringSize]
		if chain--; cand <= limit || chain == 0 {
			return cand, 0
		}
	}
}

// common returns how many bytes from a and from b on are equal, at most most. a
// lies before b, and most bytes follow b.
//
//go:norace
func common(src []byte, a, b, most int) int {
	x, y := src[a:a+most], src[b:b+most]
	n := 0
	for ; n+8 <= len(x) && n+8 <= len(y); n += 8 {
		if d := load64(x, n) ^ load64(y, n); d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
	}
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// literals is deflate_huff.
func (e *ZlibEncoder) literals() {
	for pos := 0; ; pos++ {
		if pos == e.filled {
			e.fill(pos)
			if pos == len(e.src) {
				break
			}
		}
		e.tally(uint32(e.src[pos]))
		if e.symCount == e.stop && e.full(pos+1) {
			return
		}
	}
	e.flush(len(e.src), true)
}

// runs is deflate_rle: matches of distance 1.
func (e *ZlibEncoder) runs() {
	n := len(e.src)
	for pos := 0; ; {
		if e.filled-pos <= maxMatch {
			e.fill(pos)
			if pos == n {
				break
			}
		}
		length := 0
		if pos > 0 {
			length = common(e.src, pos-1, pos, min(maxMatch, n-pos))
		}
		if length >= zlibMinMatch {
			e.tally(1<<8 | uint32(length-zlibMinMatch))
			pos += length
		} else {
			e.tally(uint32(e.src[pos]))
			pos++
		}
		if e.symCount == e.stop && e.full(pos) {
			return
		}
	}
	e.flush(n, true)
}
