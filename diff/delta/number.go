package delta

import "math/bits"

// numberModel codes a number as the count of its bits, of which each number has
// its own, then up to leadBits bits below the highest by what followed before,
// then some of the lowest ones, the lowest first, each by the one below it:
// places are often multiples of something. Those between are as they are.
type numberModel struct {
	length [128]prob
	lead   [65][1 << leadBits]prob
	low    [manyLow][2]prob
	lows   int // bits of low that are used
}

const (
	leadBits = 4
	fewLow   = 4  // of references in contents
	manyLow  = 16 // of numbers between them
)

func (m *numberModel) reset(lows int) {
	m.lows = lows
	fill(m.length[:])
	for i := range m.lead {
		fill(m.lead[i][:])
	}
	for i := range m.low {
		fill(m.low[i][:])
	}
}

func fill(p []prob) {
	for i := range p {
		p[i] = probStart
	}
}

func (m *numberModel) encode(e *rangeEncoder, v uint64) {
	n := bits.Len64(v)
	encodeTree(e, m.length[:], uint32(n), 7)
	if n < 2 {
		return
	}
	lead := min(n-1, leadBits)
	rest := n - 1 - lead
	encodeTree(e, m.lead[n][:], uint32(v>>rest)&(1<<lead-1), lead)
	low := min(rest, m.lows)
	e.direct(v>>low, rest-low)
	before := uint64(0)
	for i := range low {
		bit := v >> i & 1
		e.bit(&m.low[i][before], uint32(bit))
		before = bit
	}
}

func (m *numberModel) decode(d *rangeDecoder) uint64 {
	n := int(decodeTree(d, m.length[:], 7))
	if n < 2 {
		return uint64(n)
	}
	if n > 64 {
		d.pos = len(d.in) + 1<<20 // no encoder writes it
		return 0
	}
	lead := min(n-1, leadBits)
	rest := n - 1 - lead
	v := 1<<lead | uint64(decodeTree(d, m.lead[n][:], lead))
	low := min(rest, m.lows)
	v = v<<rest | d.direct(rest-low)<<low
	before := uint32(0)
	for i := range low {
		before = d.bit(&m.low[i][before])
		v |= uint64(before) << i
	}
	return v
}

func (m *numberModel) price(v uint64) uint32 {
	n := bits.Len64(v)
	p := priceTree(m.length[:], uint32(n), 7)
	if n < 2 {
		return p
	}
	lead := min(n-1, leadBits)
	rest := n - 1 - lead
	low := min(rest, m.lows)
	before := uint64(0)
	for i := range low {
		bit := v >> i & 1
		p += m.low[i][before].price(uint32(bit))
		before = bit
	}
	return p + priceTree(m.lead[n][:], uint32(v>>rest)&(1<<lead-1), lead) + uint32(rest-low)*bitPrice
}

// A tree of probabilities codes n bits, the highest first.
func encodeTree(e *rangeEncoder, t []prob, v uint32, n int) {
	at := uint32(1)
	for n--; n >= 0; n-- {
		bit := v >> n & 1
		e.bit(&t[at], bit)
		at = at<<1 | bit
	}
}

func decodeTree(d *rangeDecoder, t []prob, n int) uint32 {
	at := uint32(1)
	for range n {
		at = at<<1 | d.bit(&t[at])
	}
	return at - 1<<n
}

func priceTree(t []prob, v uint32, n int) (p uint32) {
	at := uint32(1)
	for n--; n >= 0; n-- {
		bit := v >> n & 1
		p += t[at].price(bit)
		at = at<<1 | bit
	}
	return p
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
