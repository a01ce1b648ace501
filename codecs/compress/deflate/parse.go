package deflate

import "math/bits"

// parse makes symbols of the text from pos on, and returns the position behind them:
// the end of the text, or one that needs more of the source.
func (e *Encoder) parse(pos int, last bool) int {
	end := e.filled - lookahead
	if last {
		end = e.filled - 3 // the last bytes have no four to look up
	}
	matched := pos // the end of the last match
	for pos < end {
		length, dist := e.find(pos, minMatch-1, depth)
		if length == 0 {
			e.tally(uint32(e.text[uint16(pos)]), pos+1)
			pos++
			for skip := skipped(pos - matched); skip > 0 && pos < end; skip-- {
				e.tally(uint32(e.text[uint16(pos)]), pos+1)
				pos++
			}
			continue
		}
		at := pos + 1 // to be inserted
		for length < lazy && at < end {
			try := depth / 2
			if length >= good {
				try = depth / 8
			}
			n, d := e.find(at, length-1, try)
			at++
			if n == 0 || 4*(n-length)+bits.Len(uint(dist))-bits.Len(uint(d)) <= 2 {
				break
			}
			e.tally(uint32(e.text[uint16(pos)]), pos+1)
			pos++
			length, dist = n, d
		}
		pos += length
		matched = pos
		e.tally(uint32(dist)<<8|uint32(length-minMatch), pos)
		for stop := min(pos, end); at < stop; at++ {
			e.insert(uint16(at))
		}
	}
	if last {
		for ; pos < e.filled; pos++ {
			e.tally(uint32(e.text[uint16(pos)]), pos+1)
		}
	}
	return pos
}

// skipped returns how many positions to pass over where the last bytes had no matches:
// what is compressed already has none.
func skipped(since int) int { return min(since>>6, 15) }

// find enters a position, and returns the longest match there that is longer than best
// bytes, or 0.
func (e *Encoder) find(pos, best, depth int) (length, dist int) {
	at := uint16(pos)
	v := e.load32(at, 0)
	h, h3 := hash4(v), hash3(v)
	before, before3 := e.head[h], e.head3[h3]
	e.head[h], e.head3[h3] = at, at
	e.next[at] = before
	if before > lowest(at) {
		if n, place := e.longer(at, before, best, min(maxMatch, e.filled-pos), depth); place != 0 {
			return n, pos - int(place)
		}
	}
	if d := pos - int(before3); best < minMatch && before3 != 0 && d <= far3 && (v^e.load32(before3, 0))<<8 == 0 {
		return minMatch, d
	}
	return 0, 0
}
