package diff

import (
	"cmp"
	"slices"
	"strings"
)

// rankArchives orders the archives of a build from the bottom to the top. Of two
// archives with one path the higher one wins: the one of the higher mount order;
// of one order Unreal's last name, which its engine mounts first, and elsewhere
// the first archive of the build. Loose files lose to the paks of their order.
func rankArchives(archives []archive) {
	byRank := make([]*archive, len(archives))
	for i := range archives {
		byRank[i] = &archives[i]
	}
	slices.SortStableFunc(byRank, func(a, b *archive) int {
		byName := 0
		if a.unreal() && b.unreal() {
			byName = strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
		}
		return cmp.Or(cmp.Compare(a.order, b.order), compareBool(a.unreal(), b.unreal()), byName, cmp.Compare(b.ordinal, a.ordinal))
	})
	for rank, a := range byRank {
		a.rank = int32(rank)
	}
}

// unreal reports whether the format has a mount order. In such an archive the
// last of several entries of one path counts, elsewhere the first.
func (a *archive) unreal() bool { return a.format == "unrealpak" }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
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

// mounted reduces the rows to one for each key: the one the game sees. Rows must
// be sorted by compareKeys and from the top down. A delete record hides what lies
// in lower mount orders, unless deletions count as entries.
func (b *build) mounted(keepDeleted bool) []row {
	out := b.rows[:0]
	for i := 0; i < len(b.rows); {
		j := i + 1
		for j < len(b.rows) && compareKeys(&b.rows[i], &b.rows[j]) == 0 {
			j++
		}
		top, copies := b.top(b.rows[i:j], keepDeleted)
		if top != nil {
			seen := *top
			seen.copies = copies
			out = append(out, seen)
		}
		i = j
	}
	return out
}

// top returns the row of one key that the game sees, nil for none, and how many
// there are.
func (b *build) top(rows []row, keepDeleted bool) (top *row, copies int32) {
	highest := b.archives[rows[0].archive].order
	for i := range rows {
		r := &rows[i]
		if r.deleted() && !keepDeleted {
			continue
		}
		copies++
		if top == nil && (keepDeleted || b.archives[r.archive].order == highest) {
			top = r
		}
	}
	return top, copies
}
