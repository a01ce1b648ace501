package lifetime

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"

	"pakdb/schema"
)

// Numbers of paths and contents follow each other, so what is known of them is in pages.
const pageBits = 8

type page[T any] [1 << pageBits]T

// paged has a value for each id; that of 0 is of rows without one.
type paged[T any] struct {
	pages map[int64]*page[T]
	last  *page[T]
	at    int64 // of last
}

// pathSets has a set of builds for each path.
type pathSets = paged[uint32]

func (p *paged[T]) of(id int64) *T {
	if n := id >> pageBits; p.last == nil || n != p.at {
		p.last, p.at = p.pages[n], n
		if p.last == nil {
			if p.pages == nil {
				p.pages = map[int64]*page[T]{}
			}
			p.last = &page[T]{}
			p.pages[n] = p.last
		}
	}
	return &p.last[id&(1<<pageBits-1)]
}

// pathBuilds yields the paths of entries with the builds that have them, in the order of
// their ids; entries without a path together, with NULL, first.
func pathBuilds(ctx context.Context, db *sql.DB, deleted bool, yield func([]driver.Value, error) bool) error {
	m, err := readMounts(ctx, db)
	if err != nil {
		return err
	}
	query := "SELECT path_id, lineage_id, since, until FROM x_entry_row"
	if !deleted {
		query += " WHERE flags & 2 = 0"
	}
	all, paths := newSets(m), pathSets{}
	err = schema.EachRow(ctx, db, query, nil, func(v []driver.Value) {
		builds := paths.of(integer(v[0]))
		*builds = all.join(*builds, all.of(validity{integer(v[1]), integer(v[2]), integer(v[3])}))
	})
	if err != nil {
		return err
	}
	rows := make([][]driver.Value, len(all.all)) // what follows the path
	for i, builds := range all.all[1:] {
		first, last := &m.builds[builds.first()], &m.builds[builds.last()]
		rows[i+1] = []driver.Value{first.label, last.label, int64(builds.count()), first.id, last.id}
	}
	for _, n := range slices.Sorted(maps.Keys(paths.pages)) {
		for i, builds := range paths.pages[n] {
			if builds == 0 { // of builds that are not complete
				continue
			}
			var id driver.Value
			if path := n<<pageBits | int64(i); path != 0 {
				id = path
			}
			if !yield(append([]driver.Value{id}, rows[builds]...), nil) {
				return nil
			}
		}
	}
	return nil
}
