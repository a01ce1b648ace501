package oodle

import (
	"math/rand/v2"
	"testing"
)

// slow reads a symbol and adapts the bounds m one by one, as LZNA is defined.
func slow(m []uint16, top int, state uint64) (s int, next uint64) {
	t := uint16(state & 0x7FFF)
	for s < len(m)-2 && m[s+1] <= t {
		s++
	}
	low, high := uint64(m[s]), uint64(m[s+1])
	for i := 1; i < len(m)-1; i++ {
		target := 8 * i
		if i > s {
			target += top
		}
		m[i] = uint16(int(m[i]) + (target-int(m[i]))>>7)
	}
	return s, (state>>15)*(high-low) + uint64(t) - low
}

// The models in lanes read and adapt as bounds one by one do, at their extremes too.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for run := range 60 {
		var nibble nibbleModel
		var three threeModel
		nibble.reset()
		three.reset()
		var slow16 [17]uint16
		var slow8 [9]uint16
		for i := range slow16 {
			slow16[i] = uint16(i * 0x800)
		}
		for i := range slow8 {
			slow8[i] = uint16(i * 0x1000)
		}
		for step := range 4000 {
			low := uint64(r.Uint32() & 0x7FFF)
			switch {
			case run < 17: // the same symbol again and again
				low = uint64(slow16[min(run, 15)])
				if run == 16 {
					low = 0x7FFF
				}
			case run%3 == 0: // the least and the largest
				low = uint64(step/300%2) * 0x7FFF
			}
			state := uint64(r.Uint32())<<15 | low
			for _, model := range []struct {
				name string
				read func(*lznaCoder) int
				m    []uint16
				top  int
			}{
				{"nibble", func(c *lznaCoder) int { return c.nibble(&nibble) }, slow16[:], 0x7FD9},
				{"three", func(c *lznaCoder) int { return c.three(&three) }, slow8[:], 0x7FE5},
			} {
				c := lznaCoder{a: state, src: make([]byte, 4)}
				want, next := slow(model.m, model.top, state)
				if next < 1<<31 {
					next <<= 32
				}
				if got := model.read(&c); got != want || c.b != next {
					t.Fatalf("%s, run %d, step %d: symbol %d, state %#x; want %d, %#x", model.name, run, step, got, c.b, want, next)
				}
			}
		}
	}
}

// find returns what a search through all bounds does, before and after adaptations.
func TestBitKnitFind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, v := range []struct{ n, bonus, even int }{{bitKnitLengths, 725, 264}, {40, 985, 40}, {21, 1004, 21}} {
		var m bitKnitModel
		m.init(v.n, v.bonus, v.even)
		for round := range 40 {
			want := 0
			for i := range bitKnitTotal {
				for int(m.cum[want+1]) <= i {
					want++
				}
				if got := m.find(uint16(i)); got != want {
					t.Fatalf("%d symbols, round %d: %d is of symbol %d, want %d", v.n, round, i, got, want)
				}
			}
			for range bitKnitPeriod {
				m.adapt(r.IntN(1 + r.IntN(v.n)))
			}
		}
	}
}
