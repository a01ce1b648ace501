package mount

import "iter"

// View finds what a game sees of mounted archives. It is offered their entries
// archive by archive, the archive that wins first (see [Compare]); those of one
// archive begin with the one that counts among several of one file: its first,
// or in some formats its last. K tells files apart, E stands for an entry. The
// zero value is not ready; see [NewView].
type View[K comparable, E any] struct {
	at    map[K]int32
	cells []cell[E]
}

// cell is what is known of one file while archives are gone through.
type cell[E any] struct {
	seen      E // when isSeen
	gone      E // the uppermost delete record, when isGone
	goneOrder int64
	latest    int32 // the last archive that had the file, from 1
	isSeen    bool
	isGone    bool
}

// NewView returns a view that has room for so many files.
func NewView[K comparable, E any](files int) *View[K, E] {
	return &View[K, E]{at: make(map[K]int32, files), cells: make([]cell[E], 0, files)}
}

// Offer takes the next entry, of the file key, in an archive of that mount order.
// archive tells archives apart and is not below 0. It returns what hides the
// entry: the one that the game sees, else a delete record; hidden is false for
// the entry that the game sees, and for delete records.
//
// A delete record hides the file in archives of lower mount order, not in others
// of its own. In its own archive, as any entry, it hides the further ones of the
// file.
func (v *View[K, E]) Offer(key K, e E, archive int, order int64, deleted bool) (by E, hidden bool) {
	i, known := v.at[key]
	if !known {
		i = int32(len(v.cells))
		v.at[key] = i
		v.cells = append(v.cells, cell[E]{})
	}
	c := &v.cells[i]
	further := c.latest == int32(archive)+1
	c.latest = int32(archive) + 1
	switch {
	case deleted:
		if !further && !c.isGone {
			c.gone, c.goneOrder, c.isGone = e, order, true
		}
		return by, false
	case c.isSeen:
		return c.seen, true
	case c.isGone && (further || order < c.goneOrder):
		return c.gone, true
	}
	c.seen, c.isSeen = e, true
	return by, false
}

// Seen yields what the game sees, in no particular order.
func (v *View[K, E]) Seen() iter.Seq2[K, E] {
	return func(yield func(K, E) bool) {
		for key, i := range v.at {
			if c := &v.cells[i]; c.isSeen && !yield(key, c.seen) {
				return
			}
		}
	}
}
