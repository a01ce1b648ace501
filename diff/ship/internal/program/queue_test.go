package program

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueue takes things in any order by the numbers that tell them.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(r, "n")
		left := make([]int, n)
		for i := range left {
			left[i] = i
		}
		a, b := NewQueue(n), NewQueue(n)
		for len(left) > 0 {
			i := left[rapid.IntRange(0, len(left)-1).Draw(r, "which")]
			run := rapid.IntRange(1, n-i).Draw(r, "run")
			skip := a.Skip(i)
			if got := b.at(skip); got != i || !b.has(i) {
				t.Fatalf("%d of %v is told by %d, which is %d", i, left, skip, got)
			}
			a.Take(i, run)
			b.Take(i, run)
			left = slices.DeleteFunc(left, func(k int) bool { return k >= i && k < i+run })
			if a.left != len(left) {
				t.Fatalf("%d left, not %d", a.left, len(left))
			}
		}
	})
}

// TestQueueInOrder: what stays in order is told by zeros, whatever was left out.
func TestQueueInOrder(t *testing.T) {
	q := NewQueue(10)
	q.Take(2, 3)
	for _, c := range []struct {
		i    int
		skip int64
	}{{5, 0}, {7, 1}, {8, 0}, {9, 0}, {0, 0}, {6, 1}, {1, 0}} {
		if got := q.Skip(c.i); got != c.skip || q.at(got) != c.i {
			t.Errorf("%d: %d, which is %d; %d expected", c.i, got, q.at(got), c.skip)
		}
		q.Take(c.i, 1)
	}
}
