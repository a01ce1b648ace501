package deflate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Codes are complete, keep to their limit, and take as few bits as any where that does
// not matter.
func TestCode(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var c code
	for range 2000 {
		n := []int{lenSyms, distSyms, litSyms}[r.IntN(3)]
		limit := maxBits
		if n == lenSyms {
			limit = maxLenBits
		}
		used := 0
		for s := range n {
			c.freq[s] = 0
			if r.IntN(3) > 0 {
				c.freq[s] = 1 + uint32(r.ExpFloat64()*float64(int(1)<<r.IntN(8)))
				used++
			}
		}
		c.build(n, limit)
		sum, bits, most := 0, 0, 0
		for s := range n {
			size := int(c.size[s])
			if size > limit || size == 0 && c.freq[s] > 0 {
				t.Fatalf("%d bits for a frequency of %d", size, c.freq[s])
			}
			if size > 0 {
				sum += 1 << (limit - size)
			}
			bits, most = bits+size*int(c.freq[s]), max(most, size)
		}
		if sum != 1<<limit {
			t.Fatalf("the code of %d symbols is not complete: %d of %d", used, sum, 1<<limit)
		}
		if used < 2 {
			continue
		}
		if least := leastBits(c.freq[:n]); bits < least || bits > least && most < limit {
			t.Fatalf("%d bits, the least are %d", bits, least)
		}
	}
}

// leastBits returns how many bits symbols take without a limit, at two trees a step.
func leastBits(freq []uint32) (bits int) {
	var trees []int
	for _, f := range freq {
		if f > 0 {
			trees = append(trees, int(f))
		}
	}
	for len(trees) > 1 {
		slices.Sort(trees)
		trees[1] += trees[0]
		bits += trees[1]
		trees = trees[1:]
	}
	return bits
}
