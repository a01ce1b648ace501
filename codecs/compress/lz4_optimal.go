package compress

// The optimal parse of levels 10 to 12 finds, over up to 4,096 positions, the
// sequences that take the fewest bytes.

const (
	priceMax = 1 << 12 // positions
	trailing = 3       // literals after the last match that have prices too
)

// price is the cheapest way to a position: the match or the literal (length 1)
// that ends there, how many literals are before it or with it, and the bytes of
// all.
type price struct{ bytes, distance, length, literals int }

func literalsPrice(n int) int {
	if n >= 15 {
		return n + 1 + (n-15)/255
	}
	return n
}

func sequencePrice(literals, length int) int {
	p := 3 + literalsPrice(literals)
	if length >= 15+lz4MinMatch {
		p += 1 + (length-15-lz4MinMatch)/255
	}
	return p
}

func (e *LZ4Encoder) optimal(l highLimits) bool {
	h := e.high
	for pos := 0; pos <= h.last; {
		m := h.longest(pos, pos, h.end, lz4MinMatch-1)
		switch {
		case m.length < lz4MinMatch:
			pos++
			continue
		case m.length > l.sufficient:
			if !e.put(m) {
				return false
			}
		default:
			last, at, length, distance := h.cheapest(m, l)
			h.retrace(at, length, distance)
			n, ok := e.putPath(pos, last)
			if !ok {
				return false
			}
			pos += n
			continue
		}
		pos = h.anchor
	}
	return true
}

// cheapest sets the prices of positions from the first match on. It returns the
// last position that has one, and the match or literal by which it is reached,
// from position at.
func (h *high) cheapest(m match, l highLimits) (last, at, length, distance int) {
	opt := &h.prices
	before := m.at - h.anchor
	for k := range lz4MinMatch {
		opt[k] = price{literalsPrice(before + k), 0, 1, before + k}
	}
	for n := lz4MinMatch; n <= m.length; n++ {
		opt[n] = price{sequencePrice(before, n), m.at - m.from, n, before}
	}
	last = m.length
	h.trail(last)
	for cur := 1; cur < last && m.at+cur <= h.last; cur++ {
		// A match here is of no use where the next position costs no more, unless
		// prices rise after it.
		if opt[cur+1].bytes <= opt[cur].bytes && (!l.full || opt[cur+lz4MinMatch].bytes < opt[cur].bytes+3) {
			continue
		}
		least := last - cur
		if l.full {
			least = lz4MinMatch - 1
		}
		next := h.longest(m.at+cur, m.at+cur, h.end, least)
		if next.length <= least {
			continue
		}
		if next.length > l.sufficient || next.length+cur >= priceMax {
			return cur + 1, cur, next.length, next.at - next.from
		}
		last = h.extend(cur, last, next)
	}
	p := opt[last]
	return last, last - p.length, p.length, p.distance
}

// extend sets the prices that a match at cur makes lower.
func (h *high) extend(cur, last int, m match) int {
	opt := &h.prices
	h.work -= m.length
	here := opt[cur]
	for n := 1; n < lz4MinMatch; n++ {
		p := here.bytes - literalsPrice(here.literals) + literalsPrice(here.literals+n)
		if p < opt[cur+n].bytes {
			opt[cur+n] = price{p, 0, 1, here.literals + n}
		}
	}
	for n := lz4MinMatch; n <= m.length; n++ {
		// What is at cur may have been changed by a shorter length.
		literals, p := 0, opt[cur].bytes+sequencePrice(0, n)
		if opt[cur].length == 1 {
			if literals, p = opt[cur].literals, 0; cur > literals {
				p = opt[cur-literals].bytes
			}
			p += sequencePrice(literals, n)
		}
		if to := cur + n; to > last+trailing || p <= opt[to].bytes {
			if n == m.length && last < to {
				last = to
			}
			opt[to] = price{p, m.at - m.from, n, literals}
		}
	}
	h.trail(last)
	return last
}

// trail sets the prices of literals after a match.
func (h *high) trail(last int) {
	for n := 1; n <= trailing; n++ {
		h.prices[last+n] = price{h.prices[last].bytes + literalsPrice(n), 0, 1, n}
	}
}

// retrace turns the path to the last position around: what ends somewhere then
// is where it begins.
func (h *high) retrace(at, length, distance int) {
	for {
		p := &h.prices[at]
		nextLength, nextDistance := p.length, p.distance
		p.length, p.distance = length, distance
		if nextLength > at {
			return
		}
		length, distance = nextLength, nextDistance
		at -= nextLength
	}
}

// putPath writes the sequences of a path from pos on, which may end with
// literals, and returns its length.
func (e *LZ4Encoder) putPath(pos, last int) (n int, ok bool) {
	for n < last {
		p := e.high.prices[n]
		if p.length > 1 && !e.put(match{pos + n, pos + n - p.distance, p.length}) {
			return n, false
		}
		n += p.length
	}
	return n, true
}
