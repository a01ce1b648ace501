package diff

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"iter"
	"slices"

	"pakdb/schema"
)

// Impact is an entry of the new build that depends on something that changed.
type Impact struct {
	Path string
	// Depth is 1 for what refers to a changed entry itself.
	Depth int
	// Via is what Path refers to, of the step before; Kind how it refers to it.
	Via, Kind string
	// Changed reports whether the entry itself changed as well.
	Changed bool
}

// referrers lists who, in build ?1, refers to paths ?3, by the keys that the paths
// have in build ?2.
const referrers = `SELECT DISTINCT want.path_id, e.path_id, k.word
	FROM json_each(?3) j
	CROSS JOIN build_symbol want ON want.path_id = j.value AND want.build_id = ?2
	CROSS JOIN ref_key rk ON rk.key = want.key
	CROSS JOIN ref r ON r.content_id = rk.content_id AND r.key = want.key AND r.space_id = want.space_id
	CROSS JOIN entry e ON e.content_id = rk.content_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN word k ON k.word_id = r.kind_id
	WHERE e.path_id IS NOT NULL
	ORDER BY e.path_id, want.path_id, k.word`

// errStopped ends an iteration that nobody follows any longer.
var errStopped = errors.New("stopped")

// hit is a path that was reached, from another.
type hit struct {
	path, via int64
	kind      string
	depth     int
}

// Impact yields what in the new build depends on the changes that keep takes,
// transitively: level by level, each path once, ordered by path within a level.
// What refers to an entry that is gone counts as well. depth bounds the levels;
// below 1 there is no bound.
func (r *Result) Impact(ctx context.Context, depth int, keep func(*Change) bool) iter.Seq2[Impact, error] {
	return func(yield func(Impact, error) bool) {
		changed, gone, err := r.startOfImpact(ctx, keep)
		if err != nil {
			yield(Impact{}, err)
			return
		}
		seen := map[int64]bool{}
		level := changed
		for d := 1; (len(level) > 0 || len(gone) > 0) && (depth < 1 || d <= depth); d++ {
			hits, err := r.reach(ctx, level, gone, seen, d)
			if err == nil {
				err = r.yieldHits(ctx, hits, changed, yield)
			}
			if err == errStopped {
				return
			}
			if err != nil {
				yield(Impact{}, err)
				return
			}
			level, gone = nil, nil
			for _, h := range hits {
				level = append(level, h.path)
			}
			slices.Sort(level)
		}
	}
}

// startOfImpact lists the changed paths of the new build, and those that only
// the old one has.
func (r *Result) startOfImpact(ctx context.Context, keep func(*Change) bool) (changed, gone []int64, err error) {
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if !keep(&c) || (c.Kind|c.Also)&(Added|Removed|Renamed|Modified) == 0 {
			continue
		}
		if c.New != nil {
			changed = append(changed, c.New.path)
		}
		if c.Old != nil && (c.New == nil || c.Kind == Renamed) {
			gone = append(gone, c.Old.path)
		}
	}
	return sortedSet(changed), sortedSet(gone), nil
}

// reach goes one step.
func (r *Result) reach(ctx context.Context, level, gone []int64, seen map[int64]bool, depth int) ([]hit, error) {
	var hits []hit
	for _, from := range []struct {
		build int64
		paths []int64
	}{{r.new.id, level}, {r.old.id, gone}} {
		err := batches(from.paths, func(ids []int64) error {
			return schema.EachRow(ctx, r.db, referrers, []driver.Value{r.new.id, from.build, jsonInts(ids)}, func(v []driver.Value) {
				via, path := integer(v[0]), integer(v[1])
				if seen[path] || path == via {
					return
				}
				seen[path] = true
				hits = append(hits, hit{path, via, str(v[2]), depth})
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// yieldHits looks up names and hands hits on in their order.
func (r *Result) yieldHits(ctx context.Context, hits []hit, changed []int64, yield func(Impact, error) bool) error {
	var ids []int64
	for _, h := range hits {
		ids = append(ids, h.path, h.via)
	}
	n := &names{}
	if err := n.load(ctx, r.db, ids); err != nil {
		return err
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(n.rank(a.path), n.rank(b.path)) })
	for _, h := range hits {
		_, itself := slices.BinarySearch(changed, h.path)
		if !yield(Impact{Path: n.path(h.path), Depth: h.depth, Via: n.path(h.via), Kind: h.kind, Changed: itself}, nil) {
			return errStopped
		}
	}
	return nil
}
