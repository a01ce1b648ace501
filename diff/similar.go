package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/internal/sketch"
)

// commonHash is how many contents may share a chunk before it says nothing: a
// header, or a run of zeros.
const commonHash = 64

// bySimilarity joins contents that have at least so many percent in common, the
// most similar first.
func (m *matcher) bySimilarity(ctx context.Context, percent int) error {
	if m.done() || percent > 100 {
		return nil
	}
	old, err := m.sketches(ctx, &m.old)
	if err != nil || len(old) == 0 {
		return err
	}
	new, err := m.sketches(ctx, &m.new)
	if err != nil || len(new) == 0 {
		return err
	}
	m.join(m.candidates(old, new, percent))
	return nil
}

func (m *matcher) sketches(ctx context.Context, s *side) (map[int64]sketch.Sketch, error) {
	ids := make([]int64, len(s.open))
	for i, row := range s.open {
		ids[i] = s.rows[row].content
	}
	return loadSketches(ctx, m.r.db, ids)
}

func loadSketches(ctx context.Context, db *sql.DB, contents []int64) (map[int64]sketch.Sketch, error) {
	found := map[int64]sketch.Sketch{}
	var has bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM content_sketch)").Scan(&has); err != nil || !has {
		return found, err
	}
	err := lookUp(ctx, db, sketches, "content_sketch c", "c.content_id", sortedSet(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			found[id] = sketch.Unmarshal(b)
		}
	})
	return found, err
}

// candidate is two rows that may be one entry, by their places in side.open.
type candidate struct {
	old, new int32
	percent  int
	sameName bool
}

// candidates finds pairs by the chunks they share, without comparing each with
// each.
func (m *matcher) candidates(old, new map[int64]sketch.Sketch, percent int) []candidate {
	holders := map[uint32][]int32{}
	for i, row := range m.old.open {
		for _, h := range old[m.old.rows[row].content] {
			if len(holders[h]) <= commonHash {
				holders[h] = append(holders[h], int32(i))
			}
		}
	}
	var all []candidate
	for j, row := range m.new.open {
		b := &m.new.rows[row]
		seen := map[int32]bool{}
		for _, h := range new[b.content] {
			if len(holders[h]) > commonHash {
				continue
			}
			for _, i := range holders[h] {
				if seen[i] {
					continue
				}
				seen[i] = true
				a := &m.old.rows[m.old.open[i]]
				if p := int(100*sketch.Common(old[a.content], new[b.content]) + 0.5); p >= percent {
					_, x := m.r.names.split(a.path)
					_, y := m.r.names.split(b.path)
					all = append(all, candidate{i, int32(j), p, x == y})
				}
			}
		}
	}
	return all
}

// join takes the best candidates; of equal ones that with the same name, then the
// first by path.
func (m *matcher) join(all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int {
		same := 0
		if a.sameName != b.sameName {
			same = 1
			if a.sameName {
				same = -1
			}
		}
		return cmp.Or(cmp.Compare(b.percent, a.percent), same, cmp.Compare(a.old, b.old), cmp.Compare(a.new, b.new))
	})
	takenOld, takenNew := map[int32]bool{}, map[int32]bool{}
	for _, c := range all {
		if takenOld[c.old] || takenNew[c.new] {
			continue
		}
		takenOld[c.old], takenNew[c.new] = true, true
		m.found = append(m.found, pair{old: m.old.open[c.old], new: m.new.open[c.new], what: Renamed, by: similarWay})
	}
	m.old.open = without(m.old.open, takenOld)
	m.new.open = without(m.new.open, takenNew)
}

func without(open []int32, taken map[int32]bool) []int32 {
	var rest []int32
	for i, row := range open {
		if !taken[int32(i)] {
			rest = append(rest, row)
		}
	}
	return rest
}
