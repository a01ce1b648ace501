package match

import (
	"context"
	"slices"

	"pakdb/diff/internal/side"
)

// records is what the directories of the two builds say differently: of Marvel
// Heroes' builds, which give each file a GUID that outlives its name. What they
// say alike needs no look: path and record agree.
type records struct {
	*side.Apart
	has    [2]map[int64]bool // by path: which of these paths have rows
	before map[int64][]int64 // GUIDs that another took the place of, in either build, by that one
	after  map[int64]int64   // the same the other way round
	taken  map[int64]Taken   // by path
}

// readRecords reads what is needed to compare records that are said differently.
func readRecords(ctx context.Context, s *side.Sides) (*records, error) {
	rs := &records{Apart: s.Apart, taken: map[int64]Taken{}, before: map[int64][]int64{}}
	for i, b := range []*side.Side{s.Old, s.New} {
		rs.has[i] = make(map[int64]bool, min(len(b.Rows), len(rs.Of[0])+len(rs.Of[1])))
		for at := range b.Rows {
			path := b.Rows[at].Path
			if rs.Of[0][path].Value != 0 || rs.Of[1][path].Value != 0 {
				rs.has[i][path] = true
			}
		}
	}
	var err error
	rs.after, err = s.Source.Replacements(ctx, s.Old.ID, s.New.ID)
	for before, after := range rs.after {
		rs.before[after] = append(rs.before[after], before)
	}
	return rs, err
}

// elsewhere reports whether the record that a side has at a path, or one that took
// its place, has a file of another path on the other side.
func (rs *records) elsewhere(on int, path int64) bool {
	g := rs.Of[on][path]
	if g.Value == 0 {
		return false
	}
	found := func(g side.GUID) bool {
		to, ok := rs.Paths[1-on][g]
		return ok && to != 0 && to != path && rs.has[1-on][to]
	}
	return found(g) || found(side.GUID{Space: g.Space, Value: rs.after[g.Value]}) ||
		slices.ContainsFunc(rs.before[g.Value], func(before int64) bool { return found(side.GUID{Space: g.Space, Value: before}) })
}

// find fills taken: the paths that both builds have a file of, of different
// records. A record that is elsewhere now goes before the path that it left.
func (rs *records) find(renames bool) {
	for path := range rs.has[0] {
		if !rs.has[1][path] {
			continue
		}
		t := Taken{Old: rs.Of[0][path], New: rs.Of[1][path]}
		t.split = renames && (rs.elsewhere(0, path) || rs.elsewhere(1, path))
		if t.split || t.Old.Value != 0 && t.New.Value != 0 {
			rs.taken[path] = t
		}
	}
}

// counterpart returns the row of the new side that has the key of an old one.
func counterpart(s *side.Sides, old int32) (int32, bool) {
	i, ok := slices.BinarySearchFunc(s.New.Rows, &s.Old.Rows[old], func(a side.Row, key *side.Row) int { return side.CompareKeys(&a, key) })
	return int32(i), ok
}

// splitTaken takes pairs apart whose sides are different records of which one is
// found elsewhere: the identity of a file goes before its path. What no way to find
// renames claims of them is joined again by package match.
func (out *Outcome) splitTaken(ctx context.Context, renames bool) error {
	s := out.Sides
	if s.Apart == nil {
		return nil
	}
	rs, err := readRecords(ctx, s)
	if err != nil {
		return err
	}
	rs.find(renames)
	if len(rs.taken) == 0 {
		return nil
	}
	out.Taken = rs.taken
	n := newNoter(slices.DeleteFunc(out.Pairs, func(p Pair) bool {
		return p.Old >= 0 && p.New >= 0 && rs.taken[s.Old.Rows[p.Old].Path].split
	}))
	for at := range s.Old.Rows {
		t, ok := rs.taken[s.Old.Rows[at].Path]
		if !ok {
			continue
		}
		i := int32(at)
		if j, ok := counterpart(s, i); ok && t.split {
			n.pairs = append(n.pairs, Pair{Old: i, New: -1, What: Removed}, Pair{Old: -1, New: j, What: Added})
		} else if ok {
			n.note(i, j, Record)
		}
	}
	out.Pairs = n.pairs
	return nil
}

// noteTaken notes all changes of paths that have another record now.
func (out *Outcome) noteTaken() {
	for i := range out.Pairs {
		p := &out.Pairs[i]
		if p.Old >= 0 && out.isTaken(out.Sides.Old, p.Old) || p.New >= 0 && out.isTaken(out.Sides.New, p.New) {
			p.Notes |= Record
		}
	}
}

func (out *Outcome) isTaken(b *side.Side, row int32) bool {
	_, taken := out.Taken[b.Rows[row].Path]
	return taken
}

// addPublicNames notes entries whose public names differ, in formats that keep names
// apart. It returns all pairs, and the names by path where they differ.
func addPublicNames(ctx context.Context, s *side.Sides, pairs []Pair) ([]Pair, map[int64][2][]string, error) {
	old, err := publicNames(ctx, s, s.Old)
	if err != nil {
		return nil, nil, err
	}
	new, err := publicNames(ctx, s, s.New)
	if err != nil || len(old) == 0 && len(new) == 0 {
		return pairs, nil, err
	}
	n, public := newNoter(pairs), map[int64][2][]string{}
	rows := map[int64]int32{}
	for i := range s.Old.Rows {
		rows[s.Old.Rows[i].Path] = int32(i)
	}
	for j := range s.New.Rows {
		path := s.New.Rows[j].Path
		i, both := rows[path]
		if !both || slices.Equal(old[path], new[path]) {
			continue
		}
		public[path] = [2][]string{old[path], new[path]}
		n.note(i, int32(j), Names)
	}
	return n.pairs, public, nil
}

// publicNames returns the names that archives of one build alone give paths, by
// path_id.
func publicNames(ctx context.Context, s *side.Sides, b *side.Side) (map[int64][]string, error) {
	var ordinals []int64
	for i := range b.Archives {
		if !b.Archives[i].Shared {
			ordinals = append(ordinals, b.Archives[i].Ordinal)
		}
	}
	return s.Source.PublicNames(ctx, b.ID, ordinals)
}
