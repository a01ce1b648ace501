package compare

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/diff/internal/facts"
	"pakdb/diff/internal/match"
	"pakdb/diff/internal/side"
	"pakdb/schema"
)

// addPublicNames notes entries whose public names differ, in formats that keep names
// apart. It returns all pairs, and the names by path where they differ.
func addPublicNames(ctx context.Context, db *sql.DB, s *side.Sides, pairs []match.Pair) ([]match.Pair, map[int64][2][]string, error) {
	if has, err := facts.Exists(ctx, db, "SELECT 1 FROM named_resource"); err != nil || !has {
		return pairs, nil, err
	}
	old, err := publicNames(ctx, db, s.Old)
	if err != nil {
		return nil, nil, err
	}
	new, err := publicNames(ctx, db, s.New)
	if err != nil {
		return nil, nil, err
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
		n.note(i, int32(j), match.Names)
	}
	return n.pairs, public, nil
}

// publicNames returns the names that archives of one build alone give paths, by
// path_id.
func publicNames(ctx context.Context, db *sql.DB, b *side.Side) (map[int64][]string, error) {
	var ordinals []int64
	for i := range b.Archives {
		if !b.Archives[i].Shared {
			ordinals = append(ordinals, b.Archives[i].Ordinal)
		}
	}
	names := map[int64][]string{}
	err := schema.EachRow(ctx, db, publicNamesSQL, []driver.Value{b.ID, facts.Array(ordinals)}, func(v []driver.Value) {
		if id := facts.Integer(v[0]); id != 0 {
			names[id] = append(names[id], facts.Text(v[1]))
		}
	})
	return names, err
}

// publicNamesSQL lists the names that archives ?2 give entries, with the paths of
// those entries.
const publicNamesSQL = `SELECT DISTINCT e.path_id, n.name
	FROM json_each(?2) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN named_resource n ON n.archive_id = ba.archive_id
	CROSS JOIN entry e ON e.archive_id = n.archive_id AND e.id_lo = n.id_lo AND e.id_hi IS n.id_hi AND e.type_id = n.type_id
	ORDER BY e.path_id, n.name`
