package coder

// slot has the estimates of 4 bits, those after the same bits before them.
type slot [16]estimate

const (
	slotBits = 14 // 1 MiB: more of them, as caches are, cost time and gain half a percent
	contexts = 4  // that find slots, in each half of a byte: a fifth gains 0.2 % and takes a sixth of the time
	kinds    = 2  // of moves
	inputs   = contexts + kinds + 1
	mixers   = 4 * 2 * 8
)

// literals codes the bytes that are no part of a reference.
type literals struct {
	slots  [1 << slotBits]slot
	moves  [kinds]moves
	mixers [mixers]mixer

	// The byte at hand.
	hashes [2][contexts]uint32 // for its halves

	// The bit at hand.
	at    [contexts]*slot
	leaf  uint32 // in these
	in    [contexts + kinds]int32
	mixer *mixer
}

// mixer weighs all inputs.
type mixer struct {
	weights [inputs]int32
	pace
}

//go:norace
func (l *literals) reset() {
	for i := range l.slots {
		start(l.slots[i][:])
	}
	for i := range l.moves {
		l.moves[i].reset()
	}
	for i := range l.mixers {
		m := &l.mixers[i]
		m.pace = mixFast << 3
		for k := range m.weights {
			m.weights[k] = 17000
		}
	}
}

// place is what is known where a literal stands.
type place struct {
	align    uint32  // of the position
	behind   uint32  // how many literals stand between it and a match, 3 for more
	run      int32   // bytes of that match
	before   uint32  // the four bytes before, the last one lowest
	expected [4]byte // what the last reference has: before, in its place, and behind
}

// begin computes what is the same for all bits of a byte.
func (l *literals) begin(x *place) {
	e, b := uint32(x.expected[1]), x.before
	behind := min(x.behind, 2)
	last, want, diff := 1<<24|b&0xff, 3<<24|e<<2|behind, 4<<24|e<<8|uint32(byte(b)-x.expected[0])
	l.hashes = [2][contexts]uint32{
		{2<<24 | b&0xffff, last, want, diff},
		{x.align, last, want, diff},
	}
	l.beginMoves(x)
}

// beginMoves computes what moves need of a place.
func (l *literals) beginMoves(x *place) {
	next := uint32(x.expected[2]) | uint32(x.expected[3])<<8
	l.moves[0].begin(x, x.behind<<6|uint32(min(x.run, 63)))
	l.moves[1].begin(x, x.behind<<10|next&0xffff*spread1>>22)
}

// foresees reports that b differs from the expected byte by what the last one did, as
// that one foresaw.
func (l *literals) foresees(x *place, b byte) bool {
	l.beginMoves(x)
	for k := range l.moves {
		if m := &l.moves[k]; m.byte == uint32(b)|0x100 && m.hits[m.kind]&1 == 1 {
			return true
		}
	}
	return false
}

// What hashes are multiplied by.
const (
	spread1 = 0x9e3779b1
	spread2 = 0x2c1b3c6d
	spread3 = 0x297a2d39
)

// find finds the slots of the contexts for a half of the byte behind the bits of node,
// of which the highest is a 1 that stands before them.
//
//go:norace
func (l *literals) find(half int, node uint32) {
	for i, h := range &l.hashes[half&1] {
		h = (h + node*spread1) * spread2
		h = (h ^ h>>15) * spread3
		l.at[i] = &l.slots[h>>(32-slotBits)]
	}
}

// look computes the probability of a 1 as the next bit behind the i bits of node. It
// and learn are most of the time that literals take: as loops over the inputs they are
// a tenth slower.
//
//go:norace
func (l *literals) look(x *place, i int, node uint32) uint32 {
	if i&3 == 0 {
		l.find(i>>2, node)
	}
	leaf := (node&(1<<(i&3)-1) | 1<<(i&3)) & 15
	agrees := bitOf((uint32(x.expected[1])|0x100)>>(8-i) == node)
	m := &l.mixers[(x.behind*2+agrees)*8+uint32(i)]
	l.leaf, l.mixer = leaf, m
	at, w, in := &l.at, &m.weights, &l.in
	v0, v1, v2, v3 := at[0][leaf].logit(), at[1][leaf].logit(), at[2][leaf].logit(), at[3][leaf].logit()
	v4, v5 := l.moves[0].look(i, node, agrees), l.moves[1].look(i, node, agrees)
	in[0], in[1], in[2], in[3], in[4], in[5] = v0, v1, v2, v3, v4, v5
	sum := int64(v0)*int64(w[0]) + int64(v1)*int64(w[1]) + int64(v2)*int64(w[2]) + int64(v3)*int64(w[3]) +
		int64(v4)*int64(w[4]) + int64(v5)*int64(w[5]) + 256*int64(w[6])
	return probability(sum >> 16)
}

// learn changes what led to the probability p of a bit.
//
//go:norace
func (l *literals) learn(p, bit uint32) {
	m, leaf := l.mixer, l.leaf&15
	err := m.err(p, bit)
	at, w, in := &l.at, &m.weights, &l.in
	w[0] += (in[0]*err + 1<<15) >> 16
	w[1] += (in[1]*err + 1<<15) >> 16
	w[2] += (in[2]*err + 1<<15) >> 16
	w[3] += (in[3]*err + 1<<15) >> 16
	w[4] += (in[4]*err + 1<<15) >> 16
	w[5] += (in[5]*err + 1<<15) >> 16
	w[6] += (256*err + 1<<15) >> 16
	at[0][leaf].learn(bit, literalRates)
	at[1][leaf].learn(bit, literalRates)
	at[2][leaf].learn(bit, literalRates)
	at[3][leaf].learn(bit, literalRates)
	for k := range l.moves {
		if e := l.moves[k].at; e != nil {
			e.learn(bit, literalRates)
		}
	}
}

// code codes a literal and returns it. Reading, it does not matter what b is.
//
//go:norace
func (l *literals) code(c *rangeCoder, x *place, b byte) byte {
	l.begin(x)
	node := uint32(1)
	for i := range 8 {
		p := l.look(x, i, node)
		bit := c.bit(p, uint32(b)>>(7-i)&1)
		l.learn(p, bit)
		node = node<<1 | bit
	}
	for k := range l.moves {
		l.moves[k].learn(x, byte(node))
	}
	return byte(node)
}

// price is that of a literal as code would code it now.
//
//go:norace
func (l *literals) price(x *place, b byte) (sum uint32) {
	l.begin(x)
	node := uint32(1)
	for i := range 8 {
		p := l.look(x, i, node)
		bit := uint32(b) >> (7 - i) & 1
		if bit == 0 {
			p = 1<<16 - p
		}
		sum += prices[p>>(16-priceBits)]
		node = node<<1 | bit
	}
	return sum
}

// moves predicts a byte behind a match by what the last one of its kind differed
// by from the expected one.
type moves struct {
	by        [3 << 10]byte  // by kind; 0: nothing is known
	hits      [3 << 10]uint8 // whether they differed by that, the last time lowest
	estimates [3][256][2]estimate

	kind   uint32
	behind uint32
	byte   uint32    // that is predicted, 0x100 above it, or 0
	at     *estimate // of the bit at hand, if that is predicted
}

func (m *moves) reset() {
	m.by, m.hits = [3 << 10]byte{}, [3 << 10]uint8{}
	for i := range m.estimates {
		for k := range m.estimates[i] {
			start(m.estimates[i][k][:])
		}
	}
}

func (m *moves) begin(x *place, kind uint32) {
	m.kind, m.behind, m.byte = kind, x.behind, 0
	if x.behind < 3 && m.by[kind] != 0 {
		m.byte = uint32(x.expected[1]+m.by[kind]) | 0x100
	}
}

// look returns the logit of bit i behind the bits of node, 0 where nothing is
// predicted.
func (m *moves) look(i int, node, agrees uint32) int32 {
	m.at = nil
	if m.byte>>(8-i) != node {
		return 0
	}
	m.at = &m.estimates[m.behind][uint32(m.hits[m.kind]&15)<<4|uint32(i)<<1|agrees][m.byte>>(7-i)&1]
	return m.at.logit()
}

// learn takes note of what a byte behind a match differs by.
func (m *moves) learn(x *place, b byte) {
	if x.behind >= 3 {
		return
	}
	k := m.kind
	m.hits[k] = m.hits[k]<<1 | uint8(bitOf(b == x.expected[1]+m.by[k]))
	if b != x.expected[1] {
		m.by[k] = b - x.expected[1]
	}
}
