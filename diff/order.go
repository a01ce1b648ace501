package diff

import (
	"cmp"
	"context"
	"slices"
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
	row      int32 // in the new build
	oldRow   int32
}

// add takes a pair in. Entries with several copies have no one place.
func (o *orders) add(r *Result, p pair) {
	a, b := &r.old.rows[p.old], &r.new.rows[p.new]
	from, to := &r.old.archives[a.archive], &r.new.archives[b.archive]
	if from.group != to.group || from.id == to.id || a.copies > 1 || b.copies > 1 {
		return
	}
	s := step{to.group, a.seq, b.seq, p.new, p.old}
	if from.akin {
		o.akin = append(o.akin, s)
	} else {
		o.steps = append(o.steps, s)
	}
}

// moved returns the steps that break the order: of each archive as few as
// possible, those outside of a longest run of growing places. An archive in
// which more than half would break it is reordered as a whole.
func (o *orders) moved() (moved []step, reordered []int32) {
	compare := func(a, b step) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.old, b.old)) }
	if !slices.IsSortedFunc(o.steps, compare) {
		slices.SortFunc(o.steps, compare)
	}
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
	ends := make([]int32, 0, len(steps)) // index of the lowest end of a run of each length
	before := make([]int32, len(steps))
	for i := range steps {
		n, _ := slices.BinarySearchFunc(ends, steps[i].new, func(end, at int32) int { return cmp.Compare(steps[end].new, at) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, int32(i))
		} else {
			ends[n] = int32(i)
		}
	}
	stays := make([]bool, len(steps))
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		stays[i] = true
	}
	var out []step
	for i := range steps {
		if !stays[i] {
			out = append(out, steps[i])
		}
	}
	return out
}

// addOrder notes the entries that lie elsewhere in their archive.
func (r *Result) addOrder(ctx context.Context, o *orders) error {
	moved, reordered := o.moved()
	movedToo, reorderedToo, err := movedAkin(ctx, r, o.akin)
	if err != nil {
		return err
	}
	moved, reordered = append(moved, movedToo...), append(reordered, reorderedToo...)
	for i := range r.new.archives {
		if slices.Contains(reordered, r.new.archives[i].group) {
			r.Reordered = append(r.Reordered, r.new.archives[i].name)
		}
	}
	if moved == nil {
		return nil
	}
	at := r.pairsByNew()
	for _, s := range moved {
		r.note(at, s.oldRow, s.row, noteOrder)
	}
	return nil
}

// note adds to what differs in the metadata of a pair, which at finds by its row
// in the new build; one that is not there is added.
func (r *Result) note(at map[int32]int, old, new int32, what uint8) {
	i, ok := at[new]
	if !ok {
		i = len(r.pairs)
		at[new] = i
		r.pairs = append(r.pairs, pair{old: old, new: new})
	}
	r.pairs[i].notes |= what
	r.pairs[i].what |= Metadata
}
