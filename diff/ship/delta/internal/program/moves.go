package program

import (
	"cmp"
	"slices"
)

// Copied says that bytes of an old file stand in a new one, or, where they only
// guided how these were coded, something like them.
type Copied struct {
	File       int // of the old ones
	To         int // of the new ones
	Off, N, At int64
	Like       bool
}

// moves tell where places of one old file went in one new file.
type moves struct{ exact, like []Copied }

func newMoves(copies []Copied, file, to int) *moves {
	m := &moves{}
	for _, c := range copies {
		switch {
		case c.File != file || c.To != to:
		case c.Like:
			m.like = append(m.like, c)
		default:
			m.exact = append(m.exact, c)
		}
	}
	for _, list := range [][]Copied{m.exact, m.like} {
		slices.SortStableFunc(list, func(a, b Copied) int { return cmp.Compare(a.Off, b.Off) })
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
func placed(list []Copied, off int64) int64 {
	i, exact := slices.BinarySearchFunc(list, off, func(c Copied, off int64) int { return cmp.Compare(c.Off, off) })
	if !exact {
		i--
	}
	if i < 0 || off-list[i].Off >= list[i].N {
		return -1
	}
	return list[i].At + off - list[i].Off
}
