package compress

// High compression, LZ4_compress_HC: matches are looked for in chains of all
// earlier positions, and up to level 9 chosen by what of three overlapping ones
// is best.

// highLimits are what a level of a version consists of.
type highLimits struct {
	attempts   int
	sufficient int  // for the optimal parse: a match longer than this is taken at once; 0 for the other
	full       bool // for the optimal parse: all matches are looked for
}

// limits returns false for levels that the dialect does not have.
func (p LZ4Params) limits() (l highLimits, ok bool) {
	switch {
	case p.Dialect == LZ4Release15 && p.Level >= 1 && p.Level <= 16:
		return highLimits{attempts: 1 << (p.Level - 1)}, true
	case p.Dialect != LZ4Modern:
		return l, false
	case p.Level >= 3 && p.Level <= 9:
		return highLimits{attempts: 1 << (p.Level - 1)}, true
	case p.Level == 10:
		return highLimits{attempts: 96, sufficient: 64}, true
	case p.Level == 11:
		return highLimits{attempts: 512, sufficient: 128}, true
	case p.Level == 12:
		return highLimits{attempts: 16384, sufficient: priceMax - 1, full: true}, true
	}
	return l, false
}

// high is the memory of high compression.
type high struct {
	chains
	old    bool // of version 1.5 and before
	anchor int  // after the sequence before
	last   int  // position at which a match may begin
	end    int  // of what matches may cover
	prices [priceMax + trailing]price
}

// encodeHigh reports false when a trial has gone another way, or takes too long.
func (e *LZ4Encoder) encodeHigh(p LZ4Params) bool {
	if e.high == nil {
		e.high = new(high)
	}
	h := e.high
	l, _ := p.limits()
	h.begin(e.src)
	h.old = p.Dialect == LZ4Release15
	h.attempts, h.swap, h.within = l.attempts, l.sufficient > 0, h.old
	h.runs = l.sufficient > 0 || !h.old && l.attempts > 128
	h.anchor, h.end, h.last = 0, len(e.src)-lastLiterals, len(e.src)-matchMargin
	if h.old {
		h.last--
	}
	ok := true
	switch {
	case h.last < 0 || !h.old && h.last == 0:
	case l.sufficient > 0:
		ok = e.optimal(l)
	default:
		ok = e.lazy()
	}
	h.src = nil
	return ok && e.tail(h.anchor) && h.work >= 0
}

// lazy is the parse of levels up to 9.
func (e *LZ4Encoder) lazy() bool {
	h := e.high
	pos := 0
	if h.old {
		pos++
	}
	for pos <= h.last {
		m := h.longest(pos, pos, h.end, lz4MinMatch-1)
		if m.length < lz4MinMatch {
			pos++
			continue
		}
		if !e.two(m) {
			return false
		}
		pos = h.anchor
	}
	return true
}

// two looks for a better match that overlaps the first one, and writes both, or
// what has become of them.
func (e *LZ4Encoder) two(one match) bool {
	h := e.high
	saved := one
	for {
		second := match{length: one.length}
		if one.end() <= h.last {
			low := one.at
			if h.old {
				low++
			}
			second = h.longest(one.end()-2, low, h.end, one.length)
		}
		if second.length == one.length {
			return e.put(one)
		}
		if saved.at < one.at && second.at < one.at+saved.length {
			one = saved // it was given up too soon
		}
		if second.at-one.at < 3 {
			one = second // nothing would remain of the first
			continue
		}
		var ok, more bool
		if one, saved, more, ok = e.three(one, second); !ok || !more {
			return ok
		}
	}
}

// optimalLength is the longest match whose length takes no byte of its own.
const optimalLength = 14 + lz4MinMatch

// three looks for a third match that overlaps the second, and writes the first
// one. more says that the returned ones are still to be compared.
func (e *LZ4Encoder) three(one, second match) (first, saved match, more, ok bool) {
	h := e.high
	for {
		if second.at-one.at < optimalLength {
			n := min(one.length, optimalLength, second.end()-lz4MinMatch-one.at)
			if n -= second.at - one.at; n > 0 {
				second.cut(n)
			}
		}
		third := match{length: second.length}
		if second.end() <= h.last {
			third = h.longest(second.end()-3, second.at, h.end, second.length)
		}
		if third.length == second.length {
			one.length = min(one.length, second.at-one.at)
			return one, one, false, e.put(one) && e.put(second)
		}
		if third.at < one.end()+3 { // no room for the second one
			if third.at < one.end() {
				second = third
				continue
			}
			if second.at < one.end() {
				second.cut(one.end() - second.at)
				if second.length < lz4MinMatch {
					second = third
				}
			}
			return third, second, true, e.put(one)
		}
		e.shorten(&one, &second)
		if !e.put(one) {
			return one, one, false, false
		}
		one, second = second, third
	}
}

// shorten divides what the first of three ascending matches shares with the
// second.
func (e *LZ4Encoder) shorten(one, second *match) {
	if second.at >= one.end() {
		return
	}
	near := optimalLength
	if e.high.old {
		near = 15
	}
	if second.at-one.at >= near {
		one.length = second.at - one.at
		return
	}
	one.length = min(one.length, optimalLength, second.end()-lz4MinMatch-one.at)
	if n := one.end() - second.at; n > 0 {
		second.cut(n)
	}
}

// put writes a match with the literals before it.
func (e *LZ4Encoder) put(m match) bool {
	literals := e.src[e.high.anchor:m.at]
	e.high.anchor = m.end()
	return e.sequence(literals, m.at-m.from, m.length-lz4MinMatch)
}
