package lzo

// endMarker ends every stream.
var endMarker = []byte{0x11, 0, 0}

// parse cuts the source into literals and matches, and writes them. It reports
// false when it was given up.
func (e *Encoder) parse() bool {
	found := e.find(0, e.effort.chain)
	for e.at < len(e.src) {
		if !e.worth(found) {
			e.at++
			found = e.find(e.at, e.effort.chain)
			continue
		}
		m := e.traded(found)
		better, ahead, ok := e.better(m)
		if ok {
			e.wait(m, ahead)
			found = better
			continue
		}
		e.take(m)
		if !e.goesOn() {
			return false
		}
		e.skip(e.at-m.length+ahead+1, m.length-ahead-1)
		found = e.find(e.at, e.effort.chain)
	}
	e.run(e.src[e.anchor:])
	return e.goesOn()
}

// literals is how many have not been written.
func (e *Encoder) literals() int { return e.at - e.anchor }

// take writes m after the literals before it.
func (e *Encoder) take(m match) {
	n := e.literals()
	e.run(e.src[e.anchor:e.at])
	e.copy(m, n)
	e.at += m.length
	e.anchor = e.at
}

// wait goes on to a better match. What of m comes before it is taken, if it can be
// said, else it is literals.
func (e *Encoder) wait(m match, ahead int) {
	if m.length = ahead; ahead == 2 && m.size(e.literals()) > 0 {
		e.take(m)
	} else {
		e.at += ahead
	}
}

// worth reports whether to take m at all. Two bytes are not taken by the first
// match of a stream; three not from afar after literals that are a run: as many
// literals take no more.
func (e *Encoder) worth(m match) bool {
	switch m.length {
	case 0, 1:
		return false
	case 2:
		return e.anchor > 0 && m.size(e.literals()) > 0
	case 3:
		return m.distance <= runDistance || e.literals() <= 3
	}
	return true
}

// trades are matches that are given for shorter ones.
var trades = [...]struct{ shortest, longest, beyond, less, within int }{
	{4, class2Length + 1, class2Distance, 1, class2Distance},
	{class4Length + 1, class2Length + 2, class3Distance, 2, class2Distance},
	{class4Length + 1, class3Length + 1, class3Distance, 1, class3Distance},
}

// traded returns what the last search saw instead of m if that takes a byte less
// to say, for one or two bytes less that it covers.
func (e *Encoder) traded(m match) match {
	if !e.effort.trade {
		return m
	}
	for _, t := range trades {
		if m.length < t.shortest || m.length > t.longest || m.distance <= t.beyond {
			continue
		}
		if d := int(e.nearest[m.length-t.less]); 0 < d && d <= t.within {
			return match{m.length - t.less, d}
		}
	}
	return m
}

// better looks for a match at the next positions that is worth more than m here,
// and returns how far ahead it begins; or, when there is none, how many positions
// have been searched.
func (e *Encoder) better(m match) (found match, ahead int, ok bool) {
	if m.length >= e.effort.lazy {
		return match{}, 0, false
	}
	depth := e.effort.chain
	if m.length >= e.effort.good {
		depth /= 4
	}
	steps := min(e.effort.ahead, m.size(e.literals())-1)
	for ahead < steps && len(e.src)-e.at-ahead > m.length {
		ahead++
		found = e.find(e.at+ahead, depth)
		if found.length < m.length || found.length == m.length && found.distance >= m.distance {
			continue
		}
		if found = e.traded(found); e.gains(m, found, ahead) {
			return found, ahead, true
		}
	}
	return match{}, ahead, false
}

// gains reports whether found, so many bytes ahead, is so much longer than m that
// it pays for what it takes, and for what the literals before it take.
func (e *Encoder) gains(m, found match, ahead int) bool {
	n := e.literals()
	size := found.size(n + ahead)
	if size == 0 {
		return false
	}
	least := ahead + 2*(size-m.size(n))
	switch {
	case n <= 3 && n+ahead > 3:
		least += 2
	case n > 3 && n <= 18 && n+ahead > 18:
		least++
	}
	return found.length >= m.length+max(least, 0)
}
