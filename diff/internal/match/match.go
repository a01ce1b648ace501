package match

import (
	"cmp"
	"context"
	"slices"

	"pakdb/diff/internal/side"
)

// Input is what two builds have alone, among pairs.
type Input struct {
	Sides *side.Sides
	Names *side.Names // of all pairs
	Pairs []Pair
	// Split reports whether what a path had on both sides was taken apart, because
	// it is that of different records.
	Split func(path int64) bool
}

// open is what is left over on one side: rows for which no other was found.
type open struct {
	*side.Side
	rows []int32 // indexes of Rows, in the order of their names, then of archives
}

// matcher holds what is left over, and what was found to belong together.
type matcher struct {
	Input
	old, new open
	found    []Pair
}

func newMatcher(in Input) *matcher {
	m := &matcher{Input: in, old: open{Side: in.Sides.Old}, new: open{Side: in.Sides.New}}
	for _, p := range in.Pairs {
		switch {
		case p.New < 0:
			m.old.rows = append(m.old.rows, p.Old)
		case p.Old < 0:
			m.new.rows = append(m.new.rows, p.New)
		}
	}
	if !m.done() {
		m.found = make([]Pair, 0, min(len(m.old.rows), len(m.new.rows)))
		m.old.sort(in.Names)
		m.new.sort(in.Names)
	}
	return m
}

func (s *open) sort(n *side.Names) {
	type item struct{ rank, archive, seq, row int32 }
	items := make([]item, len(s.rows))
	for i, row := range s.rows {
		items[i] = item{n.Rank(s.Rows[row].Path), s.Rows[row].Archive, s.Rows[row].Seq, row}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.archive, b.archive), cmp.Compare(a.seq, b.seq))
	})
	for i, it := range items {
		s.rows[i] = it.row
	}
}

func (m *matcher) done() bool { return len(m.old.rows) == 0 || len(m.new.rows) == 0 }

// match joins rows of equal keys, first with first. A row whose key is not ok
// matches nothing.
func match[K comparable](m *matcher, way Way, what What, key func(s *open, row int32) (k K, ok bool)) {
	if m.done() {
		return
	}
	first, next := waiting(m, key)
	if len(first) == 0 {
		return
	}
	taken := make([]bool, len(m.old.rows))
	m.new.rows = slices.DeleteFunc(m.new.rows, func(j int32) bool {
		k, ok := key(&m.new, j)
		at := first[k]
		if !ok || at == 0 {
			return false
		}
		first[k] = next[at-1]
		taken[at-1] = true
		m.found = append(m.found, Pair{Old: m.old.rows[at-1], New: j, What: what, By: way})
		return true
	})
	m.old.rows = untaken(m.old.rows, taken)
}

// waiting lists the open rows of the old side by their keys: the first of each,
// counted from 1, and for each row the next of its key, 0 for none.
func waiting[K comparable](m *matcher, key func(*open, int32) (K, bool)) (first map[K]int32, next []int32) {
	wanted := wantedKeys(m, key)
	next = make([]int32, len(m.old.rows))
	first = map[K]int32{}
	for i := len(m.old.rows) - 1; i >= 0; i-- {
		k, ok := key(&m.old, m.old.rows[i])
		if !ok || wanted != nil && !wanted[k] {
			continue
		}
		next[i] = first[k]
		first[k] = int32(i) + 1
	}
	return first, next
}

func untaken(rows []int32, taken []bool) []int32 {
	rest := rows[:0]
	for i, row := range rows {
		if !taken[i] {
			rest = append(rest, row)
		}
	}
	return rest
}

// wantedKeys are those of the new side, nil when it is not much smaller: a side
// may have a million rows where the other has ten.
func wantedKeys[K comparable](m *matcher, key func(*open, int32) (K, bool)) map[K]bool {
	if len(m.new.rows) > len(m.old.rows)/4 {
		return nil
	}
	wanted := make(map[K]bool, len(m.new.rows))
	for _, j := range m.new.rows {
		if k, ok := key(&m.new, j); ok {
			wanted[k] = true
		}
	}
	return wanted
}

// pairs returns the pairs of the input, with those that were found in place of what
// they join.
func (m *matcher) pairs() []Pair {
	goneOld, goneNew := make([]bool, len(m.old.Rows)), make([]bool, len(m.new.Rows))
	for _, p := range m.found {
		goneOld[p.Old], goneNew[p.New] = true, true
	}
	rest := slices.DeleteFunc(m.Pairs, func(p Pair) bool {
		return p.New < 0 && goneOld[p.Old] || p.Old < 0 && goneNew[p.New]
	})
	return append(rest, m.found...)
}

// paths lists the paths of what is left over, sorted.
func (s *open) paths() []int64 {
	ids := make([]int64, len(s.rows))
	for i, row := range s.rows {
		ids[i] = s.Rows[row].Path
	}
	return side.Set(ids)
}

// contents lists the contents of what is left over, sorted.
func (s *open) contents() []int64 {
	ids := make([]int64, len(s.rows))
	for i, row := range s.rows {
		ids[i] = s.Rows[row].Content
	}
	return side.Set(ids)
}

// Moves joins, where archives are compared one by one, what one archive lost and
// another got. It returns all pairs.
func Moves(in Input) []Pair {
	m := newMatcher(in)
	match(m, moveWay, Moved, func(s *open, i int32) (int64, bool) { return s.Rows[i].Key, !in.Split(s.Rows[i].Path) })
	return m.pairs()
}

// Renames joins what is gone and what is new: by identity, then by path, by content,
// by similarity of at least so many percent. It returns all pairs.
func Renames(ctx context.Context, in Input, similar int) ([]Pair, error) {
	m := newMatcher(in)
	if m.done() {
		return in.Pairs, nil
	}
	bySimilarity := func(ctx context.Context, m *matcher) error { return bySimilarity(ctx, m, similar) }
	for _, find := range []func(context.Context, *matcher) error{byGUID, byID, byCase, byContent, byAsset, bySimilarity, byAsset} {
		if err := find(ctx, m); err != nil {
			return nil, err
		}
	}
	byFile(m)
	return m.pairs(), nil
}
