package coder

import (
	"math/rand/v2"
	"testing"
)

// TestNear: chains and rows find the last positions that have 4 bytes, and tell whether
// these are all.
func TestNear(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const most = 50
	for _, n := range []int{0, 3, 4, 11, 12, 500, 70_000, rowSplit + 1, rowSplit + 200_000} {
		old := make([]byte, n)
		for i := range old {
			old[i] = byte(r.IntN(4))
			if i > n/2 {
				old[i] = byte(r.IntN(256))
			}
		}
		where := map[string][]int{}
		for i := 0; i+4 <= n; i++ {
			where[string(old[i:i+4])] = append(where[string(old[i:i+4])], i)
		}
		var x near
		x.reset(old)
		for _, asked := range []int{-1 << 60, 1 << 60} { // chains, unless it is large, and rows
			x.asked = asked
			for i := 0; i+4 <= n; i += 7 + n/1000 {
				list, all := x.find(old, old[i:], most)
				got, want := withHead(list, old, old[i:]), where[string(old[i:i+4])]
				if all && len(got) != len(want) || len(got) == 0 {
					t.Fatalf("%d bytes, at %d: %d of %d places, all: %v", n, i, len(got), len(want), all)
				}
				for k, q := range got {
					if q != placeOf(old, want[len(want)-1-k]) {
						t.Fatalf("%d bytes, at %d: place %d is %x", n, i, k, q)
					}
				}
			}
		}
	}
}

// withHead leaves the positions that have the first 4 bytes of p.
func withHead(list []uint64, old, p []byte) (same []uint64) {
	for _, q := range list {
		if common(old[q&(1<<rowBits-1):], p) >= 4 {
			same = append(same, q)
		}
	}
	return same
}

// TestMost: Content gives up where the stream is longer than it may be, and no sooner.
func TestMost(t *testing.T) {
	t.Parallel()
	content := make([]byte, 60_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range content {
		content[i] = byte(r.IntN(100))
	}
	var e Encoder
	size := func(most int) int {
		e.Reset()
		e.Most = most
		e.Content(content, NewIndex(nil), 0, 0)
		return len(e.Bytes())
	}
	all := size(0)
	if n := size(all); n != all || e.IsOver() {
		t.Errorf("%d bytes where %d are allowed", n, all)
	}
	if n := size(1000); !e.IsOver() || n < 1000 || n > 20_000 {
		t.Errorf("%d bytes where 1000 are allowed, and 1000 or a little more are wanted", n)
	}
}
