package side

import (
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// pathRows lists the entries of paths ?2, a JSON array, in build ?1.
const pathRows = `
	FROM json_each(?2) j
	CROSS JOIN x_entry e ON e.path_id = j.value
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	ORDER BY ba.ordinal, e.row`

// Seen returns the rows of paths, which are path_ids, that the game sees in the build, by
// their paths: also those that the other build has alike, which Rows lacks.
func (b *Side) Seen(ctx context.Context, paths []int64) (map[int64]Row, error) {
	seen := map[int64]Row{}
	offer := func(r Row) {
		if r.Copies == 0 || r.storage&(flagDeleted|flagOwn) != 0 {
			return
		}
		before, ok := seen[r.Path]
		if !ok || b.Archives[r.Archive].place < b.Archives[before.Archive].place {
			seen[r.Path] = r
		}
	}
	if b.db == nil {
		paths = Set(slices.Clone(paths))
		for _, list := range [][]Row{b.Rows, b.shared} {
			for i := range list {
				if _, wanted := slices.BinarySearch(paths, list[i].Path); wanted {
					offer(list[i])
				}
			}
		}
		return seen, nil
	}
	return seen, Batches(paths, func(ids []int64) error {
		return schema.EachRow(ctx, b.db, "SELECT "+rowColumns+pathRows, []driver.Value{b.ID, Array(ids)}, func(v []driver.Value) {
			s := storedRow(v)
			at := entryAt{s.Mount, s.Row}
			if b.names[at].path != 0 {
				return // it has another path
			}
			r := rowOf(s, b.at[s.Mount])
			b.setState(&r, at)
			offer(r)
		})
	})
}
