package match

import (
	"cmp"
	"context"
	"pakdb/internal/sketch"
	"slices"
)

// commonHash is how many contents may share a chunk before it says nothing: a
// header, or a run of zeros.
const commonHash = 64

// bySimilarity joins contents that have at least so many percent in common, the
// most similar first.
func bySimilarity(ctx context.Context, m *matcher, percent int) error {
	if m.done() || percent > 100 {
		return nil
	}
	old, err := m.Sides.Source.Sketches(ctx, m.old.contents())
	if err != nil || len(old) == 0 {
		return err
	}
	new, err := m.Sides.Source.Sketches(ctx, m.new.contents())
	if err != nil || len(new) == 0 {
		return err
	}
	join(m, candidates(m, old, new, percent))
	return nil
}

// candidate is two rows that may be one entry, by their places in open.rows.
type candidate struct {
	old, new int32
	percent  int
	sameName bool
}

// candidates finds pairs by the chunks they share, without comparing each with
// each.
func candidates(m *matcher, old, new map[int64]sketch.Sketch, percent int) []candidate {
	holders := map[uint32][]int32{}
	for i, row := range m.old.rows {
		for _, h := range old[m.old.Rows[row].Content] {
			if len(holders[h]) <= commonHash {
				holders[h] = append(holders[h], int32(i))
			}
		}
	}
	var all []candidate
	for j, row := range m.new.rows {
		b := &m.new.Rows[row]
		seen := map[int32]bool{}
		for _, h := range new[b.Content] {
			if len(holders[h]) > commonHash {
				continue
			}
			for _, i := range holders[h] {
				if seen[i] {
					continue
				}
				seen[i] = true
				a := &m.old.Rows[m.old.rows[i]]
				if p := int(100*sketch.Common(old[a.Content], new[b.Content]) + 0.5); p >= percent {
					_, x := m.Names.Split(a.Path)
					_, y := m.Names.Split(b.Path)
					all = append(all, candidate{i, int32(j), p, x == y})
				}
			}
		}
	}
	return all
}

// join takes the best candidates; of equal ones that with the same name, then the
// first by path.
func join(m *matcher, all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int {
		same := 0
		if a.sameName != b.sameName {
			same = 1
			if a.sameName {
				same = -1
			}
		}
		return cmp.Or(cmp.Compare(b.percent, a.percent), same, cmp.Compare(a.old, b.old), cmp.Compare(a.new, b.new))
	})
	takenOld, takenNew := map[int32]bool{}, map[int32]bool{}
	for _, c := range all {
		if takenOld[c.old] || takenNew[c.new] {
			continue
		}
		takenOld[c.old], takenNew[c.new] = true, true
		m.found = append(m.found, Pair{Old: m.old.rows[c.old], New: m.new.rows[c.new], What: Renamed, By: similarWay})
	}
	m.old.rows = without(m.old.rows, takenOld)
	m.new.rows = without(m.new.rows, takenNew)
}

func without(rows []int32, taken map[int32]bool) []int32 {
	var rest []int32
	for i, row := range rows {
		if !taken[int32(i)] {
			rest = append(rest, row)
		}
	}
	return rest
}
