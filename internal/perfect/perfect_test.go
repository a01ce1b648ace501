package perfect_test

import (
	"math/rand/v2"
	"testing"

	"pakdb/internal/perfect"
)

// TestOrder: a perfect hash serves all ids, or lists them.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 17, 100, 5000} {
		ids := make([]perfect.ID, n)
		for i := range ids {
			for k := range ids[i] {
				ids[i][k] = byte(r.Uint32())
			}
		}
		order, seeds, left := perfect.Order(ids)
		if missed := check(ids, order, seeds, left); missed >= 0 || len(left) > 0 {
			t.Errorf("%d ids: place %d, %d left out", n, missed, len(left))
		}
	}
}

// check returns a place that the hash does not lead to, or -1.
func check(ids []perfect.ID, order []int, seeds, left []int32) int {
	listed := map[int32]bool{}
	for _, i := range left {
		listed[i] = true
	}
	seen := map[int]bool{}
	for slot, i := range order {
		seed := seeds[perfect.Hash(0, ids[i])%uint64(len(seeds))]
		switch {
		case seen[i]:
			return slot
		case seed < 0 && int(-seed-1) == slot:
		case seed > 0 && perfect.Hash(uint64(seed), ids[i])%uint64(len(ids)) == uint64(slot):
		case seed == 0 && listed[int32(slot)]:
		default:
			return slot
		}
		seen[i] = true
	}
	return -1
}

// TestTwins: what collides under every seed is left out, and soon.
func TestTwins(t *testing.T) {
	if order, seeds, left := perfect.Order(make([]perfect.ID, 2)); len(left) != 2 || seeds[0] != 0 || order[0] == order[1] {
		t.Errorf("twins: %v, %v, %v", order, seeds, left)
	}
	pairs := make([]perfect.ID, 10_000) // a bucket of two for each, none of which can be served
	for i := range pairs {
		pairs[i][0], pairs[i][1] = byte(i/2), byte(i/512)
	}
	order, seeds, left := perfect.Order(pairs)
	if missed := check(pairs, order, seeds, left); missed >= 0 || len(left) != len(pairs) {
		t.Errorf("place %d, %d left out", missed, len(left))
	}
}
