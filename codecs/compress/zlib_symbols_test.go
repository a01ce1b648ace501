package compress

import (
	"math/rand/v2"
	"testing"
)

// Codes that are looked up are those that are found bit by bit, of whole codes, of codes
// that lack some and of damaged ones that have too many; also at the end of a stream.
func TestQuickCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var d decoding
	for range 2000 {
		lengths := make([]uint8, 1+r.IntN(litCodes))
		longest := 1 + r.IntN(maxBits)
		for i := range lengths {
			if r.IntN(4) > 0 {
				lengths[i] = uint8(r.IntN(longest + 1))
			}
		}
		d.from(lengths)
		stream := make([]byte, r.IntN(40))
		for i := range stream {
			stream[i] = byte(r.Uint32())
		}
		quick, slow := bitReader{b: stream}, bitReader{b: stream}
		for {
			got, ok := quick.next(&d)
			want, wantOK := slow.slowly(&d)
			if got != want || ok != wantOK {
				t.Fatalf("%v: %d %v, bit by bit %d %v", lengths, got, ok, want, wantOK)
			}
			if !ok {
				break
			}
			if r.IntN(3) == 0 {
				if n := uint(r.IntN(14)); quick.take(n) != slow.take(n) {
					t.Fatal("other bits")
				}
			}
		}
	}
}
