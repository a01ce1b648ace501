package match

import (
	"cmp"
	"context"
	"slices"

	"pakdb/diff/internal/side"
	"pakdb/internal/longest"
	"pakdb/internal/radix"
	"pakdb/schema"
)

// orders collects the places of entries in archives that stayed where they were,
// to find those that lie elsewhere among the others.
type orders struct {
	steps []step
	akin  []step // of archives that are akin
}

type step struct {
	group    int32
	old, new int32 // seq
	row      int32 // index in the new side
	oldRow   int32
}

// add takes a pair in. Entries with several copies have no one place.
func (o *orders) add(s *side.Sides, p Pair) {
	a, b := &s.Old.Rows[p.Old], &s.New.Rows[p.New]
	from, to := &s.Old.Archives[a.Archive], &s.New.Archives[b.Archive]
	if from.Group != to.Group || from.ID == to.ID || a.Copies > 1 || b.Copies > 1 {
		return
	}
	at := step{to.Group, a.Seq, b.Seq, p.New, p.Old}
	if from.Akin {
		o.akin = append(o.akin, at)
	} else {
		o.steps = append(o.steps, at)
	}
}

// moved returns the steps that break the order: of each archive as few as
// possible, those outside of a longest run of growing places. An archive in
// which more than half would break it is reordered as a whole.
func (o *orders) moved() (moved []step, reordered []int32) {
	radix.Sort(o.steps, func(s *step) int64 { return int64(s.group)<<32 | int64(s.old) }, nil)
	for i := 0; i < len(o.steps); {
		j := i
		for ; j < len(o.steps) && o.steps[j].group == o.steps[i].group; j++ {
		}
		switch out := outOfOrder(o.steps[i:j]); {
		case len(out) > 1 && len(out) > (j-i)/2:
			reordered = append(reordered, o.steps[i].group)
		default:
			moved = append(moved, out...)
		}
		i = j
	}
	return moved, reordered
}

// outOfOrder returns what is outside of a longest increasing subsequence of the
// new places.
func outOfOrder(steps []step) []step {
	if slices.IsSortedFunc(steps, func(a, b step) int { return cmp.Compare(a.new, b.new) }) {
		return nil
	}
	var out []step
	at := 0
	for _, stays := range longest.Run(steps, func(s step) int { return int(s.new) }) {
		out = append(out, steps[at:stays]...)
		at = stays + 1
	}
	return append(out, steps[at:]...)
}

// addOrder notes the entries that lie elsewhere in their archive. It returns all
// pairs, and the names of archives that were reordered as a whole.
func addOrder(ctx context.Context, s *side.Sides, pairs []Pair, order *orders) (all []Pair, archives []string, err error) {
	moved, reordered := order.moved()
	movedToo, reorderedToo, err := movedAkin(ctx, s, order.akin)
	if err != nil {
		return nil, nil, err
	}
	moved, reordered = append(moved, movedToo...), append(reordered, reorderedToo...)
	whole := make(map[int32]bool, len(reordered))
	for _, group := range reordered {
		whole[group] = true
	}
	for i := range s.New.Archives {
		if whole[s.New.Archives[i].Group] {
			archives = append(archives, s.New.Archives[i].Name)
		}
	}
	if moved == nil {
		return pairs, archives, nil
	}
	n := newNoter(pairs)
	for _, s := range moved {
		n.note(s.oldRow, s.row, Order)
	}
	return n.pairs, archives, nil
}

// movedAkin returns which entries of archives that are akin lie elsewhere among the
// others, as [orders.moved] does. Those that both editions have keep their order.
func movedAkin(ctx context.Context, s *side.Sides, steps []step) (moved []step, reordered []int32, err error) {
	from := func(p step) int64 { return s.Old.Places[p.old] }
	to := func(p step) int64 { return s.New.Places[p.new] }
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(from(a), from(b))) })
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, func(s step) bool { return s.group != steps[0].group })
		if n < 0 {
			n = len(steps)
		}
		of := steps[:n]
		steps = steps[n:]
		out, err := movedOf(ctx, s, of, from, to)
		if err != nil {
			return nil, nil, err
		}
		if archive := &s.New.Archives[s.New.Rows[of[0].row].Archive]; len(out) > 1 && int64(len(out)) > archive.Entries/2 {
			reordered = append(reordered, of[0].group)
		} else {
			moved = append(moved, out...)
		}
	}
	return moved, reordered, nil
}

// movedOf does that for one archive; its steps are sorted by where they come from.
func movedOf(ctx context.Context, s *side.Sides, steps []step, from, to func(step) int64) (moved []step, err error) {
	ranks := make([]step, len(steps))
	order := make([]int, len(steps))
	for i := range steps {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(to(steps[i]), to(steps[j])) })
	for rank, i := range order {
		ranks[i] = step{old: int32(i), new: int32(rank)}
	}
	out := map[int32]bool{}
	for _, s := range outOfOrder(ranks) {
		out[s.old] = true
	}
	var asked []int
	var rows [][2]int64
	for i, p := range steps {
		if !out[int32(i)] && from(p)>>schema.RowBits != to(p)>>schema.RowBits {
			asked, rows = append(asked, i), append(rows, [2]int64{from(p), to(p)})
		}
	}
	passes, err := s.PassKept(ctx, &s.New.Archives[s.New.Rows[steps[0].row].Archive], rows)
	if err != nil {
		return nil, err
	}
	for k, i := range asked {
		if passes[k] {
			out[int32(i)] = true
		}
	}
	for i, p := range steps {
		if out[int32(i)] {
			moved = append(moved, p)
		}
	}
	return moved, nil
}
