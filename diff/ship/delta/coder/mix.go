package coder

// What is likely is told by several contexts at once: each has its own estimate
// of the next bit, and a mixer, which learns as it goes, tells how much each of
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
