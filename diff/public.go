package diff

import (
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// addPublicNames notes entries whose public names differ, in formats that keep
// names apart.
func (r *Result) addPublicNames(ctx context.Context) error {
	var has bool
	if err := r.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM named_resource)").Scan(&has); err != nil || !has {
		return err
	}
	old, err := r.publicNames(ctx, r.old)
	if err != nil {
		return err
	}
	new, err := r.publicNames(ctx, r.new)
	if err != nil {
		return err
	}
	at := r.pairsByNew()
	r.public = map[int64][2][]string{}
	rows := map[int64]int32{}
	for i := range r.old.rows {
		rows[r.old.rows[i].path] = int32(i)
	}
	for j := range r.new.rows {
		path := r.new.rows[j].path
		i, both := rows[path]
		if !both || slices.Equal(old[path], new[path]) {
			continue
		}
		r.public[path] = [2][]string{old[path], new[path]}
		r.note(at, i, int32(j), noteNames)
	}
	return nil
}

func (r *Result) publicNames(ctx context.Context, b *build) (map[int64][]string, error) {
	var ordinals []int64
	for i := range b.archives {
		if !b.archives[i].shared {
			ordinals = append(ordinals, b.archives[i].ordinal)
		}
	}
	names := map[int64][]string{}
	err := schema.EachRow(ctx, r.db, publicNames, []driver.Value{b.id, jsonInts(ordinals)}, func(v []driver.Value) {
		if id := integer(v[0]); id != 0 {
			names[id] = append(names[id], str(v[1]))
		}
	})
	return names, err
}
