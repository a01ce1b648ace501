package schema

import (
	"context"
	"database/sql/driver"
	"hash/fnv"
	"slices"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/other"
)

// A scan searches contents of unknown structure for the ids of all builds that are in the
// catalog by then. Two catalogs searched a content for the ids of their own builds: of
// both together it has what either found.

// searchedAtOnce is how many contents are compared at once.
const searchedAtOnce = 4096

// addSearched adds what the other catalog found by searching contents that this one has
// searched for other ids.
func (m *merge) addSearched(ctx context.Context) error {
	all, err := m.from.Searched(ctx, m.step.build.ID)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(all, searchedAtOnce) {
		if err := m.addSearchedOf(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) addSearchedOf(ctx context.Context, searched []other.Searched) error {
	at := map[int64]*other.Searched{}
	ids := make([]int64, len(searched))
	for i := range searched {
		ids[i] = searched[i].Content
		at[ids[i]] = &searched[i]
	}
	here, err := m.find(ctx, ids, func(id int64) other.Hash { return other.Hash{Hash: at[id].Hash, Size: at[id].Size} })
	if err != nil {
		return err
	}
	theirs := map[int64]*other.Searched{} // by ids of this catalog
	var ours []int64
	for _, id := range ids {
		if our, ok := here[id]; ok {
			theirs[our], ours = at[id], append(ours, our)
		}
	}
	var differ []int64
	err = m.finder.Each(ctx, "SELECT s.content_id, s.known FROM src CROSS JOIN x_content_scan s ON s.content_id = src.a", len(ours),
		func(row, _ int) driver.Value { return ours[row] }, func(v []driver.Value) {
			if id := v[0].(int64); v[1] != theirs[id].Known {
				differ = append(differ, id)
			}
		})
	if err != nil || len(differ) == 0 {
		return err
	}
	old, err := m.searchedHere(ctx, differ)
	if err != nil {
		return err
	}
	var found []Scanned
	for _, s := range old {
		found = append(found, Scanned{Content: s.Content, Known: bothKnown(s.Known, theirs[s.Content].Known), Refs: bothFound(s.Refs, theirs[s.Content].Refs)})
	}
	return m.AddScanned(ctx, found)
}

// searchedHere returns what this catalog has found in contents.
func (m *merge) searchedHere(ctx context.Context, ids []int64) ([]other.Searched, error) {
	layouts := conn.OpenNew()
	defer func() { _ = layouts.Close() }()
	if err := layout.Fill(ctx, layouts); err != nil {
		return nil, err
	}
	c, err := other.Open(ctx, m.c.path, layouts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	return c.SearchedOf(ctx, ids)
}

// bothKnown is the hash of two sets of ids together, in either order. No scan has
// that number, so that the next one of the archive searches it again.
func bothKnown(a, b int64) int64 {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	h := fnv.New64a()
	for _, n := range []int64{min(a, b), max(a, b)} {
		for i := range 8 {
			_, _ = h.Write([]byte{byte(n >> (8 * i))})
		}
	}
	return int64(h.Sum64() | 1)
}

// bothFound returns references that are in either list, each once.
func bothFound(a, b []Ref) []Ref {
	type key struct {
		space string
		key   int64
	}
	seen := map[key]bool{}
	var all []Ref
	for _, refs := range [][]Ref{a, b} {
		for _, r := range refs {
			if k := (key{r.Space, r.Key}); !seen[k] {
				seen[k] = true
				all = append(all, r)
			}
		}
	}
	return all
}
