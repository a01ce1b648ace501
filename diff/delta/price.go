package delta

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
