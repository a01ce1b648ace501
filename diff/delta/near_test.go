package delta

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNear: rows know the positions that chains know, in the same order.
func TestNear(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 3, 4, 11, 12, 500, 70_000} {
		old := make([]byte, n)
		for i := range old {
			old[i] = byte(r.IntN(4))
		}
		var x near
		x.reset(old)
		for i := 0; i+4 <= n; i += 7 {
			x.asked = -1 << 60
			chained := withHead(x.find(old, old[i:], 50), old, old[i:])
			x.asked = 1 << 60
			rows := withHead(x.find(old, old[i:], 50), old, old[i:])
			if len(chained) == 0 || !slices.Equal(chained, rows) {
				t.Fatalf("%d bytes, at %d: %x, and in rows %x", n, i, chained, rows)
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
	content := make([]byte, 200_000)
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
