package delta

import "math"

// Prices are in 1/16 bit.
const (
	priceShift = 4
	bitPrice   = 1 << priceShift
	priceStep  = 4 // probabilities are looked up in steps of 16
)

// prices of a 0 bit by its probability.
var prices = func() (t [1 << (probBits - priceStep)]uint32) {
	for i := range t {
		p := (float64(i) + 0.5) / float64(len(t))
		t[i] = uint32(math.Round(-math.Log2(p) * bitPrice))
	}
	return t
}()

func (p prob) price0() uint32 { return prices[p>>priceStep] }
func (p prob) price1() uint32 { return prices[(1<<probBits-1-p)>>priceStep] }

func (p prob) price(bit uint32) uint32 {
	if bit == 0 {
		return p.price0()
	}
	return p.price1()
}
