package radix_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pakdb/internal/radix"
)

type element struct {
	key  int64
	tie  int32
	was  int
	name string
}

// Lists are sorted as package slices sorts them.
func TestSort(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		list := make([]element, r.IntN(2000))
		shift := r.IntN(64)
		for i := range list {
			list[i] = element{int64(r.Uint64()) >> shift, int32(r.IntN(3)), i, "text"}
		}
		key := func(e *element) int64 { return e.key }
		byTie := func(a, b element) int { return cmp.Compare(a.tie, b.tie) }
		for _, compare := range []func(a, b element) int{nil, byTie} {
			got, want := slices.Clone(list), slices.Clone(list)
			radix.Sort(got, key, compare)
			slices.SortStableFunc(want, func(a, b element) int {
				if a.key == b.key && compare != nil {
					return compare(a, b)
				}
				return cmp.Compare(a.key, b.key)
			})
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: lists of %d differ", seed, len(list))
			}
		}
	}
}
