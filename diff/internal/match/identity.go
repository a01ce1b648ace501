package match

import (
	"context"

	"pakdb/diff/internal/side"
)

// byGUID asks the directories of Marvel Heroes, which give every file a GUID that
// outlives its name, and then what they say took the place of what.
func byGUID(ctx context.Context, m *matcher) error {
	if has, err := m.Sides.Source.HasRecords(ctx); err != nil || !has {
		return err
	}
	guids := map[*side.Side]map[int64]side.GUID{}
	for _, s := range []*open{&m.old, &m.new} {
		of, err := m.Sides.Source.Records(ctx, s.ID, s.paths())
		if err != nil {
			return err
		}
		guids[s.Side] = of
	}
	key := func(s *open, i int32) (side.GUID, bool) {
		g := guids[s.Side][s.Rows[i].Path]
		return g, g.Value != 0
	}
	match(m, guidWay, Renamed, key)
	if err := byReplacement(ctx, m, key); err != nil {
		return err
	}
	rejoin(m)
	return nil
}

func byReplacement(ctx context.Context, m *matcher, key func(*open, int32) (side.GUID, bool)) error {
	if m.done() {
		return nil
	}
	replaced, err := m.Sides.Source.Replacements(ctx, m.old.ID, m.new.ID)
	if err != nil || len(replaced) == 0 {
		return err
	}
	match(m, replacementWay, Renamed, func(s *open, i int32) (side.GUID, bool) {
		g, ok := key(s, i)
		if by := replaced[g.Value]; by != 0 {
			g.Value = by
		}
		return g, ok
	})
	return nil
}

// rejoin joins what was split and no GUID claimed.
func rejoin(m *matcher) {
	type place struct {
		group int32
		key   int64
	}
	match(m, NoWay, 0, func(s *open, i int32) (place, bool) {
		r := &s.Rows[i]
		return place{r.Group, r.Key}, m.Split(r.Path)
	})
}

// byID goes by asset ids, which are the same under any name, and by the hashes
// that archives store of paths: two spellings of one path share theirs.
func byID(ctx context.Context, m *matcher) error {
	if m.done() {
		return nil
	}
	known := map[*side.Side]*side.Identities{}
	for _, s := range []*open{&m.old, &m.new} {
		found, err := s.Identities(ctx, s.rows)
		if err != nil || found == nil {
			return err
		}
		known[s.Side] = found
	}
	match(m, idWay, Renamed, func(s *open, i int32) (side.AssetID, bool) {
		id := known[s.Side].AssetID(&s.Rows[i])
		return id, id.Bits != 0
	})
	match(m, hashWay, Renamed, func(s *open, i int32) (int64, bool) {
		h := known[s.Side].PathHash(&s.Rows[i])
		return h, h != 0
	})
	return nil
}

// byFile joins two loose files that are all there is to compare.
func byFile(m *matcher) {
	if m.old.lonely(m.Names) && m.new.lonely(m.Names) {
		match(m, fileWay, Renamed, func(*open, int32) (int, bool) { return 0, true })
	}
}

// lonely reports whether the build is one file that is its own entry.
func (s *open) lonely(n *side.Names) bool {
	return len(s.Archives) == 1 && len(s.Rows) == 1 && s.Archives[0].Entries == 1 && n.Path(s.Rows[0].Path) == s.Archives[0].Name
}
