package side

import (
	"cmp"
	"slices"
)

// mount leaves the rows that the game sees, sorted by their keys.
func (b *Side) mount() {
	b.Rows = slices.DeleteFunc(b.Rows, func(r Row) bool { return r.Copies == 0 || r.storage&(flagDeleted|flagOwn) != 0 })
	b.sortRows(func(x, y Row) int {
		return cmp.Or(cmp.Compare(b.Archives[x.Archive].place, b.Archives[y.Archive].place), cmp.Compare(x.Seq, y.Seq))
	})
}

// byArchive leaves, of several entries of one path in one archive, the one that
// counts. Delete records count as entries.
func (b *Side) byArchive() {
	for i := range b.Rows {
		b.Rows[i].Group = b.Archives[b.Rows[i].Archive].Group
	}
	b.sortRows(func(x, y Row) int {
		if b.Archives[x.Archive].lastWins {
			return cmp.Compare(y.Seq, x.Seq)
		}
		return cmp.Compare(x.Seq, y.Seq)
	})
	out := b.Rows[:0]
	for i := 0; i < len(b.Rows); {
		top := b.Rows[i]
		top.Copies = 0
		for ; i < len(b.Rows) && CompareKeys(&b.Rows[i], &top) == 0; i++ {
			top.Copies++
		}
		out = append(out, top)
	}
	b.Rows = out
}

// sortRows sorts by keys. Rows go to further by value: through pointers each of a
// million comparisons would put both on the heap.
func (b *Side) sortRows(further func(x, y Row) int) {
	compare := func(x, y Row) int {
		if c := CompareKeys(&x, &y); c != 0 {
			return c
		}
		return further(x, y)
	}
	if !slices.IsSortedFunc(b.Rows, compare) {
		slices.SortFunc(b.Rows, compare)
	}
}
