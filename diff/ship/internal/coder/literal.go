package coder

import (
	"math"
	"math/bits"
)

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

// place is what is known where a literal is.
type place struct {
	align    uint32  // of the position
	behind   uint32  // how many literals are between it and a match, 3 for more
	run      int32   // bytes of that match
	before   uint32  // the four bytes before, the last one lowest
	expected [4]byte // what the last reference has: before, in its place, and after
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

// spread returns a hash. Its upper bits are the better ones.
func spread(h, n uint32) uint32 {
	h = (h + n*spread1) * spread2
	return (h ^ h>>15) * spread3
}

// find finds the slots of the contexts for a half of the byte after the bits of node,
// of which the highest is a 1 that is before them.
//
//go:norace
func (l *literals) find(half int, node uint32) {
	for i, h := range &l.hashes[half&1] {
		l.at[i] = &l.slots[spread(h, node)>>(32-slotBits)]
	}
}

// look computes the probability of a 1 as the next bit after the i bits of node. It
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

// moves predicts a byte after a match by what the last one of its kind differed
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

// look returns the logit of bit i after the bits of node, 0 where nothing is
// predicted.
func (m *moves) look(i int, node, agrees uint32) int32 {
	m.at = nil
	if m.byte>>(8-i) != node {
		return 0
	}
	m.at = &m.estimates[m.behind][uint32(m.hits[m.kind]&15)<<4|uint32(i)<<1|agrees][m.byte>>(7-i)&1]
	return m.at.logit()
}

// learn takes note of what a byte after a match differs by.
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

// numberModel codes a number as the count of its bits, of which each number has
// its own, then up to leadBits bits below the highest by what followed before,
// then some of the lowest ones, the lowest first, each by the one below it:
// places are often multiples of something. Those between are as they are.
type numberModel struct {
	length [128]estimate
	lead   [65][1 << leadBits]estimate
	low    [manyLow][2]estimate
	lows   int // bits of low that are used
}

const (
	leadBits = 4
	fewLow   = 8  // of references in contents, and of lengths
	manyLow  = 16 // of numbers between them
)

func (m *numberModel) reset(lows int) {
	m.lows = lows
	start(m.length[:])
	for i := range m.lead {
		start(m.lead[i][:])
	}
	for i := range m.low {
		start(m.low[i][:])
	}
}

// code codes v and returns it. Reading, it does not matter what v is.
func (m *numberModel) code(c *rangeCoder, v uint64) uint64 {
	n := int(codeTree(c, m.length[:], uint32(bits.Len64(v)), 7))
	if n < 2 {
		return uint64(n)
	}
	if n > 64 {
		c.pos = len(c.in) + 1<<20 // nothing writes it
		return 0
	}
	return 1<<(n-1) | codeParts(c, m.lead[n][:], m.low[:m.lows], v, n-1, leadBits)
}

// codeParts codes the lowest n bits of v: the highest of these, leads at most, by a tree,
// as many of the lowest as low has estimates for, the lowest first, and before them
// those between as they are.
func codeParts(c *rangeCoder, tree []estimate, low [][2]estimate, v uint64, n, leads int) uint64 {
	lead, direct, lows := parts(n, leads, len(low))
	got := uint64(codeTree(c, tree, uint32(v>>(direct+lows)), lead))
	got = got<<direct | c.direct(v>>lows&(1<<direct-1), direct)
	return got<<lows | codeLow(c, low, v, lows)
}

// priceParts is the price of what codeParts codes.
func priceParts(tree []estimate, low [][2]estimate, v uint64, n, leads int) uint32 {
	lead, direct, lows := parts(n, leads, len(low))
	return priceTree(tree, uint32(v>>(direct+lows)), lead) + uint32(direct)*bitPrice + priceLow(low, v, lows)
}

func parts(n, leads, lows int) (lead, direct, low int) {
	lead = min(n, leads)
	low = min(n-lead, lows)
	return lead, n - lead - low, low
}

// codeLow codes the lowest bits of v, the lowest first.
func codeLow(c *rangeCoder, m [][2]estimate, v uint64, n int) (got uint64) {
	before := uint32(0)
	for i := range n {
		before = m[i][before].code(c, uint32(v>>i)&1)
		got |= uint64(before) << i
	}
	return got
}

func (m *numberModel) price(v uint64) uint32 {
	n := bits.Len64(v)
	p := priceTree(m.length[:], uint32(n), 7)
	if n < 2 {
		return p
	}
	return p + priceParts(m.lead[n][:], m.low[:m.lows], v, n-1, leadBits)
}

func priceLow(m [][2]estimate, v uint64, n int) (p uint32) {
	before := uint64(0)
	for i := range n {
		bit := v >> i & 1
		p += m[i][before].price(uint32(bit))
		before = bit
	}
	return p
}

// A tree of estimates codes n bits, the highest first.
func codeTree(c *rangeCoder, t []estimate, v uint32, n int) uint32 {
	at := uint32(1)
	for k := n - 1; k >= 0; k-- {
		at = at<<1 | t[at].code(c, v>>k&1)
	}
	return at - 1<<n
}

func priceTree(t []estimate, v uint32, n int) (p uint32) {
	at := uint32(1)
	for n--; n >= 0; n-- {
		bit := v >> n & 1
		p += t[at].price(bit)
		at = at<<1 | bit
	}
	return p
}

// priceLeaves fills in what priceTree returns for each value, of which there are as
// many as the tree has estimates.
func priceLeaves(t []estimate, p []uint32) {
	n := len(p)
	p[0] = 0
	for size := 1; size < n; size *= 2 {
		// From the last node of the level on, so that none is overwritten that is still needed.
		for i := size - 1; i >= 0; i-- {
			e := t[size+i]
			p[2*i], p[2*i+1] = p[i]+e.price0(), p[i]+e.price1()
		}
	}
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Prices are in 1/16 bit.
const (
	priceShift = 4
	bitPrice   = 1 << priceShift
	priceBits  = 8 // of a probability that a price is looked up by
)

// prices of a 1 bit by its probability.
var prices = func() (t [1 << priceBits]uint32) {
	for i := range t {
		p := (float64(i) + 0.5) / float64(len(t))
		t[i] = uint32(math.Round(-math.Log2(p) * bitPrice))
	}
	return t
}()

func (e estimate) price1() uint32 { return prices[e>>(32-priceBits)] }
func (e estimate) price0() uint32 { return prices[1<<priceBits-1-e>>(32-priceBits)] }

func (e estimate) price(bit uint32) uint32 {
	if bit == 1 {
		return e.price1()
	}
	return e.price0()
}

// frequency prices bytes by how often they were coded of late.
type frequency struct {
	counts [256]uint16
	total  int
	prices [256]uint32
}

// late is how many bytes count in full.
const late = 1 << 10

func (f *frequency) add(c byte) {
	f.counts[c]++
	if f.total++; f.total < late {
		return
	}
	f.total = 0
	for c := range f.counts {
		f.counts[c] /= 2
		f.total += int(f.counts[c])
	}
}

// reprice makes prices those of now.
func (f *frequency) reprice() {
	for c, n := range &f.counts {
		f.prices[c] = prices[int(n)<<priceBits/(f.total+1)]
	}
}

// stepPrices are what steps cost by now, of what is too slow to compute each time.
type stepPrices struct {
	lengths [2][posStates][maxNice + 1]uint32 // of new and repeated references
	costs   [2]frequency                      // of literals: right after a match, and further on
	stale   int                               // symbols until these are computed again
}

// reset forgets all prices: those of another stream would decide about the first steps of
// this one, and its bytes depend on what the encoder did before.
func (p *stepPrices) reset() { *p = stepPrices{} }

// count takes note of a symbol that is coded next.
func (p *stepPrices) count(m *models) {
	if p.stale--; p.stale >= 0 {
		return
	}
	p.stale = 256
	for i := range p.costs {
		p.costs[i].reprice()
	}
	m.length.prices(&p.lengths[0])
	m.repeatLen.prices(&p.lengths[1])
}

// literal is the price of a byte by how often it was a literal of late, and how many
// literals are before it.
func (p *stepPrices) literal(few, c byte) uint32 { return p.costs[min(few, 1)].prices[c] }

// addLiteral takes note of a literal that was coded.
func (p *stepPrices) addLiteral(few, c byte) { p.costs[min(few, 1)].add(c) }
