package coder

import "math/bits"

// ref says where bytes of a content come from: from the old content, at the
// position in the new one plus shift, or from what the coder has seen last,
// -shift bytes back.
type ref struct {
	old   bool
	shift int64
}

// states are what came last, as LZMA has them: 0 to 6 end in a literal.
const (
	states       = 12
	literalState = 7
)

func afterLiteral(s uint8) uint8 {
	switch {
	case s < 4:
		return 0
	case s < 10:
		return s - 3
	}
	return s - 6
}

func after(s, literal, match uint8) uint8 {
	if s < literalState {
		return literal
	}
	return match
}

func afterMatch(s uint8) uint8  { return after(s, 7, 10) }
func afterRepeat(s uint8) uint8 { return after(s, 8, 11) }
func afterShort(s uint8) uint8  { return after(s, 9, 11) }

// behindMatch returns which byte after a match comes next, 0 to 2, and 3 where
// it is a later one.
func behindMatch(state uint8) uint32 {
	switch {
	case state >= literalState:
		return 0
	case state >= 4:
		return 1
	case state >= 1:
		return 2
	}
	return 3
}

const (
	posStates = 4 // many numbers are aligned to 4 bytes
	minMatch  = 2
	blockSize = 16 << 10 // bytes of a content that are coded, or are not
	maxWindow = 4 << 20  // bytes that a reference to seen ones goes back at most
	numbers   = 32       // contexts of Number
)

// models are all that a coder has learned. Encoder and decoder change theirs in
// the same way.
type models struct {
	match, repeat, repeat0, long  flagModel
	repeat1, repeat2              [states]estimate
	old                           [2][4]estimate // a new reference is to the old content
	length, repeatLen             lengthModel
	way                           [4][4]estimate // of saying where in the old content
	fromEnd, fromShift, fromPrior numberModel
	position                      positionModel
	distance                      [4]numberModel // by length
	number                        [numbers]numberModel
	plain                         estimate // a block is not coded
	literals                      literals
	corrections                   corrections
	corrected                     [8][8]estimate
	lately                        uint32 // whether references to the old content were corrected, the last one lowest
	trail
	limit uint64 // the last place of the old content
}

// trail is what the way to a place leaves.
type trail struct {
	refs  [4]ref
	shift int64 // of the last reference to the old content
	prior int64 // of the one before it that had another
	end   int   // where it ended
	gap   int   // bytes between the last step and that reference, if the step goes on with it
	state uint8
	few   uint8 // literals since the last match, 3 at most
	run   int32 // bytes of that
}

func (m *models) reset() {
	for _, f := range []*flagModel{&m.match, &m.repeat, &m.repeat0, &m.long} {
		f.reset()
	}
	start(m.repeat1[:])
	start(m.repeat2[:])
	for i := range m.old {
		start(m.old[i][:])
	}
	m.length.reset()
	m.repeatLen.reset()
	for i := range m.way {
		start(m.way[i][:])
	}
	m.fromEnd.reset(fewLow)
	m.fromShift.reset(fewLow)
	m.fromPrior.reset(fewLow)
	m.position.reset()
	for i := range m.distance {
		m.distance[i].reset(fewLow)
	}
	for i := range m.number {
		m.number[i].reset(manyLow)
	}
	m.plain = estimateStart
	m.literals.reset()
	m.corrections.reset()
	for i := range m.corrected {
		start(m.corrected[i][:])
	}
	m.lately = 0
	m.trail = trail{}
}

// begin starts a content of n bytes that probably are where they were, but for a
// shift: one that holds for its front, and one that holds for its end, which is the
// end of the old content.
func (m *models) begin(front, tail int64, n int) {
	end := tail - int64(n)
	m.limit = uint64(max(tail, 1) - 1)
	m.refs = [4]ref{{true, front}, {true, end}, {false, -1}, {false, -4}}
	m.shift, m.prior, m.end = front, end, 0
	m.state = literalState // as if the content so far had come from the old one
	m.few = 0
}

// next is where in the old content the byte after one of n bytes probably
// is.
func (m *models) next(n int) int64 { return m.shift + int64(n) }

func isOld(r ref) uint32 { return bitOf(r.old) }

// use moves a reference to the front.
func (t *trail) use(k int) {
	r := t.refs[k]
	copy(t.refs[1:k+1], t.refs[:k])
	t.refs[0] = r
}

// push puts a new reference to the front.
func (t *trail) push(r ref) {
	copy(t.refs[1:], t.refs[:3])
	t.refs[0] = r
}

// literal is noted for a byte by itself.
func (t *trail) literal() {
	t.state = afterLiteral(t.state)
	t.few = min(t.few+1, 3)
}

// matched is noted for a match of n bytes that ends at a position, and leaves a state.
func (t *trail) matched(end int, n int32, state uint8) {
	t.state, t.few, t.run, t.gap = state, 0, n, 0
	if r := t.refs[0]; r.old {
		if r.shift != t.shift {
			t.prior = t.shift
		} else {
			t.gap = end - int(n) - t.end
		}
		t.shift, t.end = r.shift, end
	}
}

// recent is a context of what came last, of 64.
func (m *models) recent() int { return min(bits.Len(uint(m.run)), 15)<<2 | int(m.few) }

// flagModel codes one decision of each step.
type flagModel struct {
	state  [states][posStates]estimate
	recent [64]estimate
	byte   [4][256]estimate
	trio
}

func (f *flagModel) reset() {
	for i := range f.state {
		start(f.state[i][:])
	}
	start(f.recent[:])
	for i := range f.byte {
		start(f.byte[i][:])
	}
	f.trio.reset()
}

// lengthModel codes the length of a match: up to 33 by a tree, more as the count
// of bits of what it exceeds 33 by, and these.
type lengthModel struct {
	align [posStates][64]estimate
	last  [64][64]estimate
	other [256][64]estimate
	trio  [6]trio
	bits  [32][1 << lengthLead]estimate
	low   [32][fewLow][2]estimate
	prior int // the length before, 63 at most
}

const (
	shortLengths = 32
	lengthLead   = 3
)

func (m *lengthModel) reset() {
	for i := range m.align {
		start(m.align[i][:])
	}
	for i := range m.last {
		start(m.last[i][:])
	}
	for i := range m.other {
		start(m.other[i][:])
	}
	for i := range m.trio {
		m.trio[i].reset()
	}
	for i := range m.bits {
		start(m.bits[i][:])
		for k := range m.low[i] {
			start(m.low[i][k][:])
		}
	}
	m.prior = 0
}

// lengthSymbol returns the leaf of the tree for a length, how many bits follow, and
// these.
func lengthSymbol(n int) (symbol uint32, more int, rest uint32) {
	n -= minMatch
	if n < shortLengths {
		return uint32(n), 0, 0
	}
	v := uint32(n - shortLengths + 1)
	more = bits.Len32(v) - 1
	return uint32(shortLengths + more), more, v & (1<<more - 1)
}

// code codes a length, which may be anything up to the largest int32 where it is
// read.
func (m *lengthModel) code(c *rangeCoder, n int, pos, other int) int {
	symbol, _, rest := lengthSymbol(n)
	at := uint32(1)
	x, y, z := &m.align[pos], &m.last[m.prior], &m.other[other]
	for i := range 6 {
		at = at<<1 | m.trio[i].code(c, &x[at], &y[at], &z[at], symbol>>(5-i)&1)
	}
	if symbol = at - 64; symbol < shortLengths {
		n = int(symbol) + minMatch
	} else {
		more := min(int(symbol)-shortLengths, 30)
		got := codeParts(c, m.bits[more][:], m.low[more][:], uint64(rest), more, lengthLead)
		n = int(1<<more|got) - 1 + shortLengths + minMatch
	}
	m.prior = min(n, 63)
	return n
}

// prices fills in those of all lengths that are weighed.
func (m *lengthModel) prices(to *[posStates][maxNice + 1]uint32) {
	var leaves [posStates][64]uint32
	for k := range leaves {
		priceLeaves(m.align[k][:], leaves[k][:])
	}
	for n := minMatch; n <= maxNice; n++ {
		symbol, more, rest := lengthSymbol(n)
		p := uint32(0)
		if more > 0 {
			p = priceParts(m.bits[more][:], m.low[more][:], uint64(rest), more, lengthLead)
		}
		for k := range leaves {
			to[k][n] = leaves[k][symbol] + p
		}
	}
}

// distanceOf returns the model of the distances of matches of that length.
func (m *models) distanceOf(n int) *numberModel { return &m.distance[min(n-minMatch, 3)] }

// positionModel codes a position below a limit.
type positionModel struct {
	lead [1 << positionLead]estimate
	low  [fewLow][2]estimate
}

const positionLead = 6

func (m *positionModel) reset() {
	start(m.lead[:])
	for i := range m.low {
		start(m.low[i][:])
	}
}

func (m *positionModel) code(c *rangeCoder, v, limit uint64) uint64 {
	return codeParts(c, m.lead[:], m.low[:], v, bits.Len64(limit), positionLead)
}

func (m *positionModel) price(v, limit uint64) uint32 {
	return priceParts(m.lead[:], m.low[:], v, bits.Len64(limit), positionLead)
}

// Several contexts predict a bit at once: each has its own estimate
// of the next bit, and a mixer, which learns as it goes, weighs how much each of
// them is worth. That is the model of PAQ, in whole numbers: encoder and decoder
// must agree on any machine.

// estimate is the probability of a 1 bit in the upper 22 bits, and in the lower 10
// how often it was learned from, up to a limit: it adapts by the reciprocal.
type estimate uint32

const (
	estimateStart = 1 << 31
	countBits     = 10
)

// rate is how fast an estimate learns that has learned so often.
type rate struct {
	by   int32  // 1 / (n + 2), in 1/65536
	more uint32 // 1 until the limit
}

// rates are by how often an estimate has learned.
type rates [128]rate

// How far back estimates look: those of literals, and all others.
var literalRates, flagRates = ratesTo(80), ratesTo(30)

func ratesTo(limit int) *rates {
	t := new(rates)
	for n := range t {
		t[n] = rate{1 << 16 / int32(n+2), bitOf(n < limit)}
	}
	return t
}

// learn moves an estimate towards a bit.
func (e *estimate) learn(bit uint32, r *rates) {
	v := uint32(*e)
	x := &r[v&127]
	d := (int64(bit<<22-bit) - int64(v>>countBits)) * int64(x.by) >> 16
	*e = estimate(v + uint32(d)<<countBits + x.more)
}

// start sets all of e, by copies of twice the length each: a megabyte of models
// begins anew with every segment.
func start(e []estimate) {
	if len(e) == 0 {
		return
	}
	e[0] = estimateStart
	for n := 1; n < len(e); n *= 2 {
		copy(e[n:], e[:n])
	}
}

// Where probabilities are mixed they are logits, ln(p / (1 - p)), in 1/256.
const maxLogit = 12 << 8

// logistic has 65536 / (1 + e^-x) for x from -12 to 12 in steps of 1/2.
var logistic = [49]int32{
	0, 1, 1, 2, 3, 5, 8, 13, 22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
	40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535, 65535, 65536,
}

// probabilities by logit + maxLogit, in 1/65536, from 1 to 65535. Between the values of
// logistic they are on straight lines.
var probabilities = func() (t [2*maxLogit + 1]uint16) {
	for x := range t {
		k, rest := x>>7, int32(x&127)
		p := logistic[k]
		if rest > 0 {
			p += (logistic[k+1] - p) * rest >> 7
		}
		t[x] = uint16(min(max(p, 1), 65535))
	}
	return t
}()

// logits by the upper 12 bits of a probability: the lowest whose probability is as
// high as the middle of these.
var logits = func() (t [1 << 12]int16) {
	x := 0
	for i := range t {
		for x < 2*maxLogit && int(probabilities[x]) < i<<4+8 {
			x++
		}
		t[i] = int16(x - maxLogit)
	}
	return t
}()

func (e estimate) logit() int32 { return int32(logits[e>>20]) }

// probability is in 1/65536.
func (e estimate) probability() uint32 { return min(max(uint32(e)>>16, 1), 65535) }

func probability(logit int64) uint32 {
	return uint32(probabilities[min(max(logit, -maxLogit), maxLogit)+maxLogit])
}

// A weight of 1 is 1 << 16. Weights learn fast at first.
const (
	mixFast = 160
	mixSlow = 20
)

// pace is how fast the weights of a mixer learn, times 8.
type pace int32

// err is what a prediction was off by, times the pace.
func (s *pace) err(p, bit uint32) int32 {
	v := int32(*s)
	if v > mixSlow<<3 {
		*s--
	}
	return (int32(bit<<16) - int32(p)) * (v >> 3) >> 4
}

// trio codes a bit by three estimates and the weights for them.
type trio struct {
	weights [3]int32
	pace
}

func (t *trio) reset() { *t = trio{[3]int32{26000, 26000, 26000}, mixFast << 3} }

func (t *trio) code(c *rangeCoder, x, y, z *estimate, bit uint32) uint32 {
	u, v, w := x.logit(), y.logit(), z.logit()
	p := probability((int64(u)*int64(t.weights[0]) + int64(v)*int64(t.weights[1]) + int64(w)*int64(t.weights[2])) >> 16)
	bit = c.bit(p, bit)
	err := t.err(p, bit)
	t.weights[0] += (u*err + 1<<15) >> 16
	t.weights[1] += (v*err + 1<<15) >> 16
	t.weights[2] += (w*err + 1<<15) >> 16
	x.learn(bit, flagRates)
	y.learn(bit, flagRates)
	z.learn(bit, flagRates)
	return bit
}

// code codes a bit by one estimate.
func (e *estimate) code(c *rangeCoder, bit uint32) uint32 {
	bit = c.bit(e.probability(), bit)
	e.learn(bit, flagRates)
	return bit
}
