package oodle

import "encoding/binary"

const (
	bitKnitLengths = 300 // symbols: 256 literals, then match lengths
	bitKnitTotal   = 1 << 15
	bitKnitPeriod  = 1024 // symbols between two adaptations of a model
	bitKnitTail    = 4    // bytes of a quantum that are in the coder's last states
)

// bitKnitState is what BitKnit keeps from quantum to quantum.
type bitKnitState struct {
	lengths [4]bitKnitModel
	slots   [4]bitKnitModel // recent distances, then the low part of new ones
	extra   bitKnitModel    // size of the high part of a new distance
	recent  [8]int
	last    int // distance of the last match
}

// bitKnitModel is an adaptive model of n symbols.
type bitKnitModel struct {
	n, bonus, count int
	cum             [bitKnitLengths + 1]uint16
	freq            [bitKnitLengths]uint16
	first           [bitKnitTotal >> bitKnitShift]uint16 // the symbol at each multiple of 1<<bitKnitShift
}

// bitKnitShift sets how many values of the coder share a place from which find begins.
const bitKnitShift = 6

// init gives the start values: shares of total as even as they go for the first even symbols, then 1 each.
func (m *bitKnitModel) init(n, bonus, even int) {
	m.n, m.bonus, m.count = n, bonus, 0
	rest := n - even
	for i := range n + 1 {
		if i < even {
			m.cum[i] = uint16((bitKnitTotal - rest) * i / even)
		} else {
			m.cum[i] = uint16(bitKnitTotal - n + i)
		}
	}
	for i := range n {
		m.freq[i] = 1
	}
	m.place()
}

// place fills first by cum.
func (m *bitKnitModel) place() {
	s := 0
	for i := range m.first {
		for int(m.cum[s+1]) <= i<<bitKnitShift {
			s++
		}
		m.first[i] = uint16(s)
	}
}

func (s *bitKnitState) reset() {
	for i := range s.lengths {
		s.lengths[i].init(bitKnitLengths, 725, 264)
		s.slots[i].init(40, 985, 40)
	}
	s.extra.init(21, 1004, 21)
	for i := range s.recent {
		s.recent[i] = 1
	}
	s.last = 1
}

// find returns the symbol with cum[s] <= t < cum[s+1].
func (m *bitKnitModel) find(t uint16) int {
	s := int(m.first[t>>bitKnitShift])
	for m.cum[s+1] <= t {
		s++
	}
	return s
}

// adapt counts symbol s.
func (m *bitKnitModel) adapt(s int) {
	m.freq[s] += 31
	m.count++
	if m.count < bitKnitPeriod {
		return
	}
	m.count = 0
	m.freq[s] += uint16(m.bonus)
	sum := 0
	for i := range m.n {
		sum += int(m.freq[i])
		m.freq[i] = 1
		c := int(m.cum[i+1])
		m.cum[i+1] = uint16(c + (sum-c)>>1)
	}
	m.place()
}

// bitKnitCoder are the two rANS states, which take turns, and the 16-bit words after them.
type bitKnitCoder struct {
	a, b uint32
	src  []byte
	over bool // a word was missing
}

// word takes the next word, 0 past the end.
func (c *bitKnitCoder) word() uint32 {
	if len(c.src) < 2 {
		c.over = true
		return 0
	}
	w := binary.LittleEndian.Uint16(c.src)
	c.src = c.src[2:]
	return uint32(w)
}

// start reads the initial states. It reports whether they are sound.
func (c *bitKnitCoder) start() bool {
	v := c.word()
	v |= c.word() << 16
	if v < 1<<16 {
		return false
	}
	u, n := v>>4, v&15
	if u < 1<<16 {
		u = u<<16 | c.word()
	}
	c.a = u >> n
	if c.a < 1<<16 {
		c.a = c.a<<16 | c.word()
	}
	u = u<<16 | c.word()
	c.b = 1<<(n+16) | u&(1<<(n+16)-1)
	return true
}

// step ends every read: it refills the state and passes the turn to the other.
func (c *bitKnitCoder) step(a uint32) {
	if a < 1<<16 {
		a = a<<16 | c.word()
	}
	c.a, c.b = c.b, a
}

func (c *bitKnitCoder) raw(n int) int {
	v := c.a & (1<<n - 1)
	c.step(c.a >> n)
	return int(v)
}

func (c *bitKnitCoder) symbol(m *bitKnitModel) int {
	t := c.a & (bitKnitTotal - 1)
	s := m.find(uint16(t))
	low, high := uint32(m.cum[s]), uint32(m.cum[s+1])
	c.step((c.a>>15)*(high-low) + t - low)
	m.adapt(s)
	return s
}

// decode decodes out[pos:] from the quantum src. It reports whether the quantum is sound.
func (s *bitKnitState) decode(out []byte, pos int, src []byte) bool {
	c := bitKnitCoder{src: src}
	limit := len(out) - bitKnitTail
	if !c.start() || pos > limit {
		return false
	}
	if pos == 0 {
		out[0] = byte(c.raw(8))
		pos = 1
	}
	for pos < limit && !c.over {
		sym := c.symbol(&s.lengths[pos&3])
		if sym < 256 {
			out[pos] = byte(sym) + out[pos-s.last]
			pos++
			continue
		}
		n := c.length(sym)
		dist := s.distance(&c, pos)
		if !copyMatch(out[:limit], pos, n, dist) {
			return false
		}
		s.last = dist
		pos += n
	}
	if pos != limit || c.over || len(c.src) != 0 {
		return false
	}
	binary.LittleEndian.PutUint16(out[pos:], uint16(c.a))
	binary.LittleEndian.PutUint16(out[pos+2:], uint16(c.b))
	return true
}

// length returns the match length of the symbol sym >= 256.
func (c *bitKnitCoder) length(sym int) int {
	if sym >= 288 {
		k := sym - 287
		sym = c.raw(k) + 1<<k + 286
	}
	return sym - 254
}

// distance reads a distance and updates the recent ones.
func (s *bitKnitState) distance(c *bitKnitCoder, pos int) int {
	t := c.symbol(&s.slots[pos&3])
	if t < len(s.recent) {
		dist := s.recent[t]
		copy(s.recent[1:t+1], s.recent[:t])
		s.recent[0] = dist
		return dist
	}
	n := c.symbol(&s.extra)
	v := c.raw(n & 15)
	if n >= 16 {
		v = v<<16 | int(c.word())
	}
	dist := 32<<n + 32*v + t - 39
	s.recent[7], s.recent[6] = s.recent[6], dist
	return dist
}
