package oodle

import "encoding/binary"

// lznaState is what LZNA keeps from quantum to quantum.
type lznaState struct {
	literals    [4]lznaLiteral
	isMatch     [lznaStates][8]uint16
	kind        [lznaStates][8]nibbleModel
	shortRecent [4][4]threeModel
	longRecent  lznaLength
	long        lznaLength
	short       [lznaStates][4]uint16
	medium      threeModel
	near        [2]lznaNearModel
	far         lznaFarModel
	low         [2]lznaLow
	recent      [4]uint64
	state       int // what the last literals and matches were, set anew in each quantum
}

// nibbleModel and threeModel are adaptive models of 16 and 8 symbols: cumulative frequencies, out of 1<<15, in lanes of
// 16 bits, the first one lowest. The last word holds the total.
type (
	nibbleModel [5]uint64
	threeModel  [3]uint64
)

const (
	lznaOnes  = 0x0001_0001_0001_0001
	lznaTotal = 1 << 15
)

type lznaLiteral struct{ up, low, other [16]nibbleModel }

type lznaLength struct {
	first         [4]nibbleModel
	second, third nibbleModel
}

type lznaNearModel struct {
	first nibbleModel
	bits  lznaHigh
}

type lznaFarModel struct {
	firstLow, firstHigh nibbleModel
	bits                lznaHigh
}

// lznaHigh models the two bits below the leading one of a distance's high part, by the number of its bits.
type lznaHigh struct {
	second [31]uint16
	third  [2][31]uint16
}

// lznaLow models the low 5 bits of a distance.
type lznaLow struct {
	bit    uint16
	nibble [2]nibbleModel
}

func (m *nibbleModel) reset() {
	resetLanes(m[:], 0x800)
}

func (m *threeModel) reset() {
	resetLanes(m[:], 0x1000)
}

// resetLanes sets the bounds to multiples of step.
func resetLanes(m []uint64, step uint64) {
	last := len(m) - 1
	for i := range m[:last] {
		m[i] = (uint64(4*i)*lznaOnes + lznaFirst) * step
	}
	m[last] = lznaTotal
}

// lznaFirst has the numbers 0 to 3 in its lanes.
const lznaFirst = 0x0003_0002_0001_0000

func (m *lznaLength) reset() {
	resetNibbles(m.first[:])
	m.second.reset()
	m.third.reset()
}

func resetNibbles(m []nibbleModel) {
	for i := range m {
		m[i].reset()
	}
}

func (m *lznaHigh) reset() {
	setAll(m.second[:], 0x2000)
	setAll(m.third[0][:], 0x2000)
	setAll(m.third[1][:], 0x2000)
}

func setAll(p []uint16, v uint16) {
	for i := range p {
		p[i] = v
	}
}

func (s *lznaState) reset() {
	for i := range s.literals {
		m := &s.literals[i]
		resetNibbles(m.up[:])
		resetNibbles(m.low[:])
		resetNibbles(m.other[:])
	}
	for i := range lznaStates {
		setAll(s.isMatch[i][:], 0x1000)
		resetNibbles(s.kind[i][:])
		setAll(s.short[i][:], 0x2000)
	}
	for i := range s.shortRecent {
		for j := range s.shortRecent[i] {
			s.shortRecent[i][j].reset()
		}
	}
	s.longRecent.reset()
	s.long.reset()
	s.medium.reset()
	for i := range s.near {
		s.near[i].first.reset()
		s.near[i].bits.reset()
	}
	s.far.firstLow.reset()
	s.far.firstHigh.reset()
	s.far.bits.reset()
	for i := range s.low {
		s.low[i].bit = 0x2000
		resetNibbles(s.low[i].nibble[:])
	}
	s.recent = [4]uint64{1, 1, 1, 1}
}

// lznaCoder are the two rANS states, which take turns, and the 32-bit words after them.
type lznaCoder struct {
	a, b uint64
	src  []byte
	over bool // a word was missing
}

// start reads the initial states. It reports whether they are there.
func (c *lznaCoder) start(src []byte) bool {
	for _, state := range []*uint64{&c.a, &c.b} {
		if len(src) == 0 {
			return false
		}
		d, n := src[0], int(src[0]>>4)
		src = src[1:]
		if n > 8 || n > len(src) {
			return false
		}
		v := uint64(0)
		for _, b := range src[:n] {
			v = v<<8 | uint64(b)
		}
		*state = v<<4 | uint64(d&15)
		src = src[n:]
	}
	c.src = src
	return true
}

// finish writes the last bytes of the quantum, which are in the states. It reports whether all words are used.
func (c *lznaCoder) finish(out []byte) bool {
	binary.LittleEndian.PutUint32(out, uint32(c.a))
	binary.LittleEndian.PutUint32(out[4:], uint32(c.b))
	return !c.over && len(c.src) == 0
}

// step ends every read: it refills the state and passes the turn to the other.
func (c *lznaCoder) step(a uint64) {
	if a < 1<<31 {
		if len(c.src) < 4 {
			c.over = true
		} else {
			a = a<<32 | uint64(binary.LittleEndian.Uint32(c.src))
			c.src = c.src[4:]
		}
	}
	c.a, c.b = c.b, a
}

func (c *lznaCoder) raw(n int) uint64 {
	v := c.a & (1<<n - 1)
	c.step(c.a >> n)
	return v
}

// bit reads a bit whose 0 has the probability m / 1<<n, and adapts m at the rate 1>>s.
func (c *lznaCoder) bit(m *uint16, n, s int) int {
	p := uint64(*m)
	low, hi := c.a&(1<<n-1), c.a>>n
	if low >= p {
		*m -= *m >> s
		c.step(hi*(1<<n-p) + low - p)
		return 1
	}
	*m += (1<<n - *m) >> s
	c.step(hi*p + low)
	return 0
}

// nibble reads a symbol of the model m and adapts m: each bound goes 1/128 of its way to where it would be if only this
// symbol ever came.
func (c *lznaCoder) nibble(m *nibbleModel) int {
	t := c.a & (lznaTotal - 1)
	s := lanesSum(notAbove(m[0], t)+notAbove(m[1], t)+notAbove(m[2], t)+notAbove(m[3], t)) - 1
	low, high := m[s>>2]>>(s&3*16)&0xffff, m[(s+1)>>2]>>((s+1)&3*16)&0xffff
	c.step((c.a>>15)*(high-low) + t - low)
	m[0] = adapt(m[0], 0, s, 0x7FD9)
	m[1] = adapt(m[1], 4, s, 0x7FD9)
	m[2] = adapt(m[2], 8, s, 0x7FD9)
	m[3] = adapt(m[3], 12, s, 0x7FD9)
	return int(s)
}

// three is nibble for 8 symbols.
func (c *lznaCoder) three(m *threeModel) int {
	t := c.a & (lznaTotal - 1)
	s := lanesSum(notAbove(m[0], t)+notAbove(m[1], t)) - 1
	low, high := m[s>>2]>>(s&3*16)&0xffff, m[(s+1)>>2]>>((s+1)&3*16)&0xffff
	c.step((c.a>>15)*(high-low) + t - low)
	m[0] = adapt(m[0], 0, s, 0x7FE5)
	m[1] = adapt(m[1], 4, s, 0x7FE5)
	return int(s)
}

// notAbove has a 1 in each lane whose bound is t or less. All are below lznaTotal: see adapt.
func notAbove(m, t uint64) uint64 { return ((t|lznaTotal)*lznaOnes - m) >> 15 & lznaOnes }

func lanesSum(ones uint64) uint64 { return ones * lznaOnes >> 48 }

// adapt moves the bounds of the symbols from first on, after symbol s came: that of symbol i by 1/128 of the way to 8i,
// or to 8i + top where i > s, rounded down. So it is never less than 8i, nor more than 8i + top - 127 below lznaTotal,
// and no lane borrows from another.
func adapt(m, first, s, top uint64) uint64 {
	const steps = lznaOnes * 0x1ff
	x := m - 8*(first*lznaOnes+lznaFirst)
	down := (x + 127*lznaOnes) >> 7 & steps
	up := (top*lznaOnes - x) >> 7 & steps
	above := lznaAbove[(s-first+32)&63]
	return m - down&^above + up&above
}

// lznaAbove has all bits of the lanes whose number is greater than the index less 32.
var lznaAbove = func() (masks [64]uint64) {
	for i := range masks {
		for lane := range 4 {
			if lane > i-32 {
				masks[i] |= 0xffff << (16 * lane)
			}
		}
	}
	return masks
}()

// read reads a length, from 0 on.
func (m *lznaLength) read(c *lznaCoder, pos int) int {
	n := c.nibble(&m.first[pos&3])
	if n < 12 {
		return n
	}
	g := c.nibble(&m.second)
	if g == 15 {
		g += c.nibble(&m.third)
	}
	k, base := 0, 0
	if g > 0 {
		k = (g - 1) >> 1
		base = (2+(g-1)&1)<<k - 1
	}
	return n + (int(c.raw(k))+base)*4
}

// nearDistance reads a distance with the models of short matches.
func (s *lznaState) nearDistance(c *lznaCoder, m *lznaNearModel) uint64 {
	return s.distance(c, &m.bits, c.nibble(&m.first))
}

// farDistance reads a distance with the models of longer matches.
func (s *lznaState) farDistance(c *lznaCoder) uint64 {
	n := c.nibble(&s.far.firstLow)
	if n == 15 {
		n += c.nibble(&s.far.firstHigh)
	}
	return s.distance(c, &s.far.bits, n)
}

// distance reads a distance whose high part has n bits below its leading one.
func (s *lznaState) distance(c *lznaCoder, m *lznaHigh, n int) uint64 {
	high := uint64(0)
	if n > 0 {
		k := c.bit(&m.second[n-1], 14, 6)
		high = 2 + uint64(k)
		if n > 1 {
			high = 2*high + uint64(c.bit(&m.third[k][n-1], 14, 6))
		}
		if n > 2 {
			high = high<<(n-2) + c.raw(n-2)
		}
		high--
	}
	z := &s.low[0]
	if high == 0 {
		z = &s.low[1]
	}
	e := c.bit(&z.bit, 14, 6)
	f := c.nibble(&z.nibble[e])
	return 32*high + 2*uint64(f) + uint64(e) + 1
}
