package coder

import "math"

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
	costs   [2]frequency                      // of literals: right behind a match, and further on
	stale   int                               // symbols until these are computed again
}

func (p *stepPrices) reset() { p.costs, p.stale = [2]frequency{}, 0 }

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
// literals stand before it.
func (p *stepPrices) literal(few, c byte) uint32 { return p.costs[min(few, 1)].prices[c] }

// addLiteral takes note of a literal that was coded.
func (p *stepPrices) addLiteral(few, c byte) { p.costs[min(few, 1)].add(c) }
