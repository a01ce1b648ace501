package match

import (
	"cmp"
	"slices"
)

// position is what a pair is sorted by, and where it stood.
type position struct{ rank, archive, seq, index int32 }

// sort orders the pairs by folder, then by name: the order is the same whichever
// ids a catalog gave.
func (out *Outcome) sort() {
	order := make([]position, len(out.Pairs))
	for i := range out.Pairs {
		e := out.Place(&out.Pairs[i])
		order[i] = position{out.Names.Rank(e.Path), e.Archive, e.Seq, int32(i)}
	}
	slices.SortFunc(order, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(out.Pairs[a.index].What.First(), out.Pairs[b.index].What.First()),
			cmp.Compare(a.archive, b.archive), cmp.Compare(a.seq, b.seq), cmp.Compare(a.index, b.index))
	})
	for start := range order {
		out.rotate(order, int32(start))
	}
}

// rotate moves pairs to their places without another list of them: it fills the
// place start with the pair that belongs there, the place that this leaves with
// the next, until it comes back to where it began. It marks the places it filled.
func (out *Outcome) rotate(order []position, start int32) {
	const filled = -1
	pair := out.Pairs[start]
	for to := start; order[to].index != filled; {
		from := order[to].index
		order[to].index = filled
		if from == start {
			out.Pairs[to] = pair
			return
		}
		out.Pairs[to] = out.Pairs[from]
		to = from
	}
}
