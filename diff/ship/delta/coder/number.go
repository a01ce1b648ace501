package coder

import "math/bits"

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
