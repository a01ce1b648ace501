package coder

import "bytes"

const topRange = 1 << 24

// rangeCoder is LZMA's range coder, for both ways: writing, it turns decisions
// into bytes, and reading, bytes into the same decisions. What codes something is
// so written once.
type rangeCoder struct {
	reading bool
	width   uint32

	// Writing.
	out     []byte
	low     uint64
	waiting byte // last byte, which a carry may still raise
	behind  int  // bytes 0xff that wait after held

	// Reading. After the end are zeros, which are counted.
	in   []byte
	pos  int
	code uint32
}

func (c *rangeCoder) write() { *c = rangeCoder{out: c.out[:0], width: 1<<32 - 1} }

func (c *rangeCoder) read(in []byte) {
	*c = rangeCoder{in: in, width: 1<<32 - 1, reading: true}
	for range 4 {
		c.code = c.code<<8 | uint32(c.take())
	}
}

func (c *rangeCoder) take() (b byte) {
	if c.pos < len(c.in) {
		b = c.in[c.pos]
	}
	c.pos++
	return b
}

// bit codes a bit that is 1 with a probability of p / 65536 and returns it. Reading, it
// does not matter what bit is.
//
//go:norace
func (c *rangeCoder) bit(p, bit uint32) uint32 {
	bound := c.width >> 16 * p
	if c.reading {
		if bit = 0; c.code < bound {
			bit = 1
		} else {
			c.code -= bound
		}
	} else if bit == 0 {
		c.low += uint64(bound)
	}
	if bit == 1 {
		c.width = bound
	} else {
		c.width -= bound
	}
	for c.width < topRange {
		c.shift()
	}
	return bit
}

// shift moves a byte out or in.
//
//go:norace
func (c *rangeCoder) shift() {
	c.width <<= 8
	if c.reading {
		c.code = c.code<<8 | uint32(c.take())
		return
	}
	c.emit()
}

// emit moves a byte out. It stays with the coder until no carry can reach it.
func (c *rangeCoder) emit() {
	if c.low < 0xff000000 || c.low >= 1<<32 {
		carry := byte(c.low >> 32)
		c.out = append(c.out, c.waiting+carry)
		for ; c.behind > 0; c.behind-- {
			c.out = append(c.out, 0xff+carry)
		}
		c.waiting, c.behind = byte(c.low>>24), 0
	} else {
		c.behind++
	}
	c.low = c.low << 8 & (1<<32 - 1)
}

// direct codes the lowest n bits of v as they are, up to 16 at once, the highest
// first, and returns them.
//
//go:norace
func (c *rangeCoder) direct(v uint64, n int) (got uint64) {
	for n > 0 {
		k := min(n, 16)
		n -= k
		got = got<<k | uint64(c.some(uint32(v>>n)&(1<<k-1), k))
	}
	return got
}

// some codes up to 16 bits.
//
//go:norace
func (c *rangeCoder) some(v uint32, n int) uint32 {
	c.width >>= n
	if c.reading {
		v = min(c.code/c.width, 1<<n-1)
		c.code -= v * c.width
	} else {
		c.low += uint64(c.width) * uint64(v)
	}
	for c.width < topRange {
		c.shift()
	}
	return v
}

// bytes codes p as it is, two bytes at once.
//
//go:norace
func (c *rangeCoder) bytes(p []byte) {
	for ; len(p) >= 2; p = p[2:] {
		v := c.some(uint32(p[0])<<8|uint32(p[1]), 16)
		p[0], p[1] = byte(v>>8), byte(v)
	}
	for i := range p {
		p[i] = byte(c.some(uint32(p[i]), 8))
	}
}

// spare is how many zeros a decoder takes for granted after the end.
const spare = 4

// finish returns the bytes. The first, which is always zero, is left out, and so
// are up to spare zeros at the end.
func (c *rangeCoder) finish() []byte {
	for range 5 {
		c.emit()
	}
	b := c.out[1:]
	for range spare {
		b = bytes.TrimSuffix(b, []byte{0})
	}
	return b
}

// overrun reports that more was read than a writer can have left out.
func (c *rangeCoder) overrun() bool { return c.pos > len(c.in)+spare }

func bitOf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// step is a symbol: a literal, or n bytes by a reference.
type step struct {
	kind      uint8
	corrected bool // by numbers that grew
	n         int32
	to        ref
}

// Kinds of steps.
const (
	literal = iota
	short   // one byte by the last reference
	repeat  // by the last one; repeat+1 to repeat+3 by those before it
	fresh   = repeat + 4
)

// site is where a step begins.
type site struct {
	pos    int
	align  int
	before byte // the byte before
}

// flag codes a decision of a step.
func (m *models) flag(c *rangeCoder, f *flagModel, x *site, bit uint32) uint32 {
	return f.code(c, &f.state[m.state][x.align], &f.recent[m.recent()], &f.byte[behindMatch(m.state)][x.before], bit)
}

// step codes a step but for the byte of a literal, and returns it. Reading, it
// does not matter what s is.
func (m *models) step(c *rangeCoder, x *site, s step) step {
	if m.flag(c, &m.match, x, bitOf(s.kind != literal)) == 0 {
		return step{kind: literal, n: 1}
	}
	state := m.state
	switch {
	case m.flag(c, &m.repeat, x, bitOf(s.kind != fresh)) == 0:
		s = m.fresh(c, x, s)
		m.push(s.to)
		state = afterMatch(state)
	default:
		if s.kind = m.which(c, x, s.kind); s.kind == short {
			s.n = 1
			state = afterShort(state)
			break
		}
		s.n = int32(m.repeatLen.code(c, int(s.n), x.align, m.recent()))
		m.use(int(s.kind - repeat))
		state = afterRepeat(state)
	}
	s.corrected = s.n > 1 && m.refs[0].old && m.corrections.known && m.isCorrected(c, &s)
	m.matched(x.pos+int(s.n), s.n, state)
	return s
}

// which codes which of the last references is used, and whether for one byte.
func (m *models) which(c *rangeCoder, x *site, kind uint8) uint8 {
	if m.flag(c, &m.repeat0, x, bitOf(kind > repeat)) == 0 {
		return short + uint8(m.flag(c, &m.long, x, bitOf(kind == repeat)))
	}
	if m.repeat1[m.state].code(c, bitOf(kind > repeat+1)) == 0 {
		return repeat + 1
	}
	return repeat + 2 + uint8(m.repeat2[m.state].code(c, bitOf(kind > repeat+2)))
}

// fresh codes a length and a new reference.
func (m *models) fresh(c *rangeCoder, x *site, s step) step {
	n := m.length.code(c, int(s.n), x.align, int(x.before))
	s.kind, s.n = fresh, int32(n)
	if s.to.old = m.old[isOld(m.refs[0])][m.few].code(c, isOld(s.to)) == 1; s.to.old {
		s.to.shift = m.oldShift(c, int64(x.pos), s.to.shift)
	} else {
		back := m.distanceOf(n).code(c, uint64(-s.to.shift-1))
		s.to.shift = -int64(min(back, maxWindow)) - 1
	}
	return s
}

// Ways of saying where in the old content a reference leads.
const (
	fromEnd   = iota // from the end of the last one to it
	fromShift        // by how the shift changes
	absolute
	fromPrior // as fromShift, from the one before
)

func (m *models) oldShift(c *rangeCoder, at, shift int64) int64 {
	way, _ := m.oldWay(&m.trail, at, shift)
	switch codeTree(c, m.way[m.few][:], way, 2) {
	case fromEnd:
		next := int64(m.end) + m.shift
		return next + unzigzag(m.fromEnd.code(c, zigzag(at+shift-next))) - at
	case fromShift:
		return m.shift + unzigzag(m.fromShift.code(c, zigzag(shift-m.shift)))
	case fromPrior:
		return m.prior + unzigzag(m.fromPrior.code(c, zigzag(shift-m.prior)))
	default:
		return int64(m.position.code(c, uint64(at+shift), m.limit)) - at
	}
}

// oldWay returns the cheapest way of saying that a reference to the old content from
// a position has this shift, and its price.
func (m *models) oldWay(t *trail, at, shift int64) (way, price uint32) {
	ways := &m.way[t.few]
	price = priceTree(ways[:], fromEnd, 2) + m.fromEnd.price(zigzag(at+shift-int64(t.end)-t.shift))
	if p := priceTree(ways[:], fromShift, 2) + m.fromShift.price(zigzag(shift-t.shift)); p < price {
		way, price = fromShift, p
	}
	if p := priceTree(ways[:], fromPrior, 2) + m.fromPrior.price(zigzag(shift-t.prior)); p < price {
		way, price = fromPrior, p
	}
	if uint64(at+shift) > m.limit {
		return way, price
	}
	if p := priceTree(ways[:], absolute, 2) + m.position.price(uint64(at+shift), m.limit); p < price {
		way, price = absolute, p
	}
	return way, price
}
