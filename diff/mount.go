package diff

import (
	"cmp"
	"slices"
)

// rankArchives orders the archives of a build from the bottom to the top: by
// mount order, then in the order of the build. Of two archives with one path the
// higher one wins.
func rankArchives(archives []archive) {
	byRank := make([]*archive, len(archives))
	for i := range archives {
		byRank[i] = &archives[i]
	}
	slices.SortStableFunc(byRank, func(a, b *archive) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.ordinal, b.ordinal))
	})
	for rank, a := range byRank {
		a.rank = int32(rank)
	}
}

// markShared marks the archives that both builds mount, unless their order
// among themselves changed: then any of them may win where it lost before.
func markShared(old, new *build) {
	before := map[int64]*archive{}
	for i := range old.archives {
		before[old.archives[i].id] = &old.archives[i]
	}
	type pair struct{ a, b *archive }
	var pairs []pair
	for i := range new.archives {
		b := &new.archives[i]
		if a := before[b.id]; a != nil && a.group == b.group {
			pairs = append(pairs, pair{a, b})
		}
	}
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Compare(x.a.rank, y.a.rank) })
	if !slices.IsSortedFunc(pairs, func(x, y pair) int { return cmp.Compare(x.b.rank, y.b.rank) }) {
		return
	}
	for _, p := range pairs {
		p.a.shared, p.b.shared = true, true
	}
}

// mounted reduces rows to one for each key: the one the game sees. Rows must be
// sorted by compareKeys and from the top down. Where a delete record is on top,
// there is nothing, unless keepDeleted.
func mounted(rows []row, keepDeleted bool) []row {
	out := rows[:0]
	for i := 0; i < len(rows); {
		top := rows[i]
		top.copies = 0
		j := i
		for ; j < len(rows) && compareKeys(&rows[i], &rows[j]) == 0; j++ {
			if !rows[j].deleted() || keepDeleted {
				top.copies++
			}
		}
		if !top.deleted() || keepDeleted {
			out = append(out, top)
		}
		i = j
	}
	return out
}
