package patch

import (
	"cmp"
	"slices"
)

// copied says that bytes of an old file stand in a new one, or, where they only
// guided how these were coded, something like them.
type copied struct {
	file       int // of the old ones
	to         int // of the new ones
	off, n, at int64
	like       bool
}

// moves tell where places of one old file went in one new file.
type moves struct{ exact, like []copied }

func newMoves(copies []copied, file, to int) *moves {
	m := &moves{}
	for _, c := range copies {
		switch {
		case c.file != file || c.to != to:
		case c.like:
			m.like = append(m.like, c)
		default:
			m.exact = append(m.exact, c)
		}
	}
	for _, list := range [][]copied{m.exact, m.like} {
		slices.SortStableFunc(list, func(a, b copied) int { return cmp.Compare(a.off, b.off) })
	}
	return m
}

// place returns where an offset went: by what was copied, else by what is like
// it; -1 when it is nowhere.
func (m *moves) place(off int64) int64 {
	if at := placed(m.exact, off); at >= 0 {
		return at
	}
	return placed(m.like, off)
}

// placed looks at the first of those that begin there, else at the last that
// begins before.
func placed(list []copied, off int64) int64 {
	i, exact := slices.BinarySearchFunc(list, off, func(c copied, off int64) int { return cmp.Compare(c.off, off) })
	if !exact {
		i--
	}
	if i < 0 || off-list[i].off >= list[i].n {
		return -1
	}
	return list[i].at + off - list[i].off
}
