package oodle

const (
	lznaTail    = 8      // bytes of a quantum that are in the coder's last states
	lznaFar     = 0xC000 // recent distances from here on give way at a quantum's start
	lznaNear    = 4      // what takes their place if all are
	lznaStates  = 12
	lznaMatched = 7 // states from here on are those right after a match
)

// decode decodes out[pos:] from the quantum src. It reports whether the quantum is sound.
func (s *lznaState) decode(out []byte, pos int, src []byte) bool {
	var c lznaCoder
	limit := len(out) - lznaTail
	if !c.start(src) || pos > limit {
		return false
	}
	s.nearFirst()
	s.state = 5
	if pos == 0 {
		out[0] = s.firstByte(&c)
		pos = 1
	}
	for pos < limit && !c.over {
		if c.bit(&s.isMatch[s.state][pos&7], 13, 5) == 0 {
			out[pos] = s.literal(&c, pos, out[pos-int(s.recent[0])])
			pos++
			continue
		}
		n := s.match(&c, pos)
		if s.recent[0] > uint64(pos) || !copyMatch(out[:limit], pos, n, int(s.recent[0])) {
			return false
		}
		pos += n
	}
	return pos == limit && c.finish(out[limit:])
}

// nearFirst moves a near recent distance to the front, at the start of a quantum.
func (s *lznaState) nearFirst() {
	if s.recent[0] < lznaFar {
		return
	}
	for i, r := range s.recent {
		if r < lznaFar {
			s.toFront(i)
			return
		}
	}
	s.push(lznaNear)
}

// toFront moves the recent distance i to the front.
func (s *lznaState) toFront(i int) {
	r := s.recent[i]
	copy(s.recent[1:i+1], s.recent[:i])
	s.recent[0] = r
}

// push puts a new distance in front of the recent ones.
func (s *lznaState) push(dist uint64) {
	copy(s.recent[1:], s.recent[:])
	s.recent[0] = dist
}

// firstByte reads the first byte of the window.
func (s *lznaState) firstByte(c *lznaCoder) byte {
	if c.raw(1) == 1 {
		return 0
	}
	m := &s.literals[0]
	hi := c.nibble(&m.up[0])
	if hi != 0 {
		return byte(hi<<4 | c.nibble(&m.other[hi]))
	}
	return byte(c.nibble(&m.low[0]))
}

// literal reads a literal; expect is the byte at the last distance.
func (s *lznaState) literal(c *lznaCoder, pos int, expect byte) byte {
	m := &s.literals[pos&3]
	hi := c.nibble(&m.up[expect>>4])
	low := &m.low[expect&15]
	if hi != int(expect>>4) {
		low = &m.other[hi]
	}
	s.state = int([lznaStates]uint8{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[s.state])
	return byte(hi<<4 | c.nibble(low))
}

// match reads a match, returns its length and leaves its distance in front of the recent ones.
func (s *lznaState) match(c *lznaCoder, pos int) int {
	x := c.nibble(&s.kind[s.state][pos&7])
	n, next := 0, 8
	switch {
	case x == 0:
		n, next = 1, 9
	case x == 1:
		n, next = 3+c.bit(&s.short[s.state][pos&3], 14, 4), 7
		s.push(s.nearDistance(c, &s.near[n-3]))
	case x == 2:
		n, next = 5+c.three(&s.medium), 7
		s.push(s.farDistance(c))
	case x == 3:
		n, next = 13+s.long.read(c, pos), 7
		s.push(s.farDistance(c))
	case x >= 12:
		n = 2
		s.toFront(x - 12)
	case x&1 == 0:
		n = 3 + c.three(&s.shortRecent[(x-4)/2][pos&3])
		s.toFront((x - 4) / 2)
	default:
		n = 11 + s.longRecent.read(c, pos)
		s.toFront((x - 5) / 2)
	}
	if s.state >= lznaMatched {
		next = min(next+3, lznaStates-1)
	}
	s.state = next
	return n
}
