package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"iter"
	"slices"

	"pakdb/diff/internal/side"
	"pakdb/internal/seq"
	"pakdb/schema"
)

// Dependent is an entry of the new build that depends on something that changed.
type Dependent struct {
	Path string
	// Depth is 1 for what refers to a changed entry itself.
	Depth int
	// Via is what Path refers to, of the step before; Kind how it refers to it.
	Via, Kind string
	// Changed reports whether the entry itself changed as well.
	Changed bool
}

// referrers lists who, in build ?1, refers to paths ?3, by the keys that the paths
// have in build ?2: by what contents say, and by what asset registries say of packages.
const referrers = `SELECT DISTINCT want.path_id, e.path_id, k.word
	FROM json_each(?3) j
	CROSS JOIN x_build_symbol want ON want.path_id = j.value AND want.build_id = ?2
	CROSS JOIN x_ref_key rk ON rk.key = want.key
	CROSS JOIN x_ref r ON r.content_id = rk.content_id AND r.key = want.key AND r.space_id = want.space_id
	CROSS JOIN x_entry e ON e.content_id = rk.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN x_word k ON k.word_id = r.kind_id
	WHERE e.path_id IS NOT NULL
	UNION
	SELECT want.path_id, fs.path_id,
		CASE r.kind WHEN 2 THEN 'registry_manage' ELSE CASE WHEN r.flags & 1 THEN 'registry_hard' ELSE 'registry_soft' END END
	FROM json_each(?3) j
	CROSS JOIN x_build_symbol want ON want.path_id = j.value AND want.build_id = ?2
		AND want.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
	CROSS JOIN x_registry_dependency r ON r.to_key = want.key AND r.kind <> 1
	CROSS JOIN x_entry e ON e.content_id = r.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN x_build_symbol fs ON fs.build_id = ?1 AND fs.key = r.from_key AND fs.space_id = want.space_id
	WHERE fs.path_id IS NOT NULL
	ORDER BY 2, 1, 3`

// hit is a path that was reached, from another.
type hit struct {
	path, via int64
	kind      string
	depth     int
}

// Impact yields what in the new build of a comparison depends on the changes that keep
// takes, transitively, from what the catalog db has: level by level, each path once, ordered by path within a level.
// What refers to an entry that is gone counts as well. depth bounds the levels;
// below 1 there is no bound.
func Impact(ctx context.Context, db *sql.DB, r *Result, depth int, keep func(*Change) bool) iter.Seq2[Dependent, error] {
	return seq.Of(func(add func(Dependent) error) error {
		changed, gone, err := start(ctx, r, keep)
		seen := map[int64]bool{}
		level := changed
		for d := 1; err == nil && (len(level) > 0 || len(gone) > 0) && (depth < 1 || d <= depth); d++ {
			var hits []hit
			if hits, err = reach(ctx, db, r, level, gone, seen, d); err == nil {
				err = addHits(ctx, db, hits, changed, add)
			}
			level, gone = nil, nil
			for _, h := range hits {
				level = append(level, h.path)
			}
			slices.Sort(level)
		}
		return err
	})
}

// start lists the changed paths of the new build, and those that only
// the old one has.
func start(ctx context.Context, r *Result, keep func(*Change) bool) (changed, gone []int64, err error) {
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if !keep(&c) || (c.Kind|c.Also)&(Added|Removed|Renamed|Modified) == 0 {
			continue
		}
		if c.New != nil {
			changed = append(changed, c.New.PathID)
		}
		if c.Old != nil && (c.New == nil || c.Kind == Renamed) {
			gone = append(gone, c.Old.PathID)
		}
	}
	return side.Set(changed), side.Set(gone), nil
}

// reach goes one step.
func reach(ctx context.Context, db *sql.DB, r *Result, level, gone []int64, seen map[int64]bool, depth int) ([]hit, error) {
	var hits []hit
	for _, from := range []struct {
		build int64
		paths []int64
	}{{r.NewID, level}, {r.OldID, gone}} {
		err := side.Batches(from.paths, func(ids []int64) error {
			return schema.EachRow(ctx, db, referrers, []driver.Value{r.NewID, from.build, side.Array(ids)}, func(v []driver.Value) {
				via, path := side.Integer(v[0]), side.Integer(v[1])
				if seen[path] || path == via {
					return
				}
				seen[path] = true
				hits = append(hits, hit{path, via, side.Text(v[2]), depth})
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// addHits looks up names and hands hits on in their order.
func addHits(ctx context.Context, db *sql.DB, hits []hit, changed []int64, add func(Dependent) error) error {
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.path, h.via)
	}
	n, err := (&side.Catalog{DB: db}).Names(ctx, ids)
	if err != nil {
		return err
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(n.Rank(a.path), n.Rank(b.path)) })
	for _, h := range hits {
		_, itself := slices.BinarySearch(changed, h.path)
		if err := add(Dependent{Path: n.Path(h.path), Depth: h.depth, Via: n.Path(h.via), Kind: h.kind, Changed: itself}); err != nil {
			return err
		}
	}
	return nil
}
