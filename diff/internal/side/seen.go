package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/internal/mount"
	"pakdb/schema"
)

// entryAt is an entry by the ordinals of its archive and its own.
type entryAt struct{ archive, ordinal int64 }

// below is a path and the mount point that it is below.
type below struct {
	path  int64
	mount string
}

func (b *Side) readNames(ctx context.Context, db *sql.DB) error {
	mounts := map[int64]string{}
	for i := range b.Archives {
		mounts[b.Archives[i].Ordinal] = b.Archives[i].mount
	}
	b.names, b.under = map[entryAt]below{}, map[int32]string{}
	return schema.EachRow(ctx, db, chunkNames, []driver.Value{b.ID}, func(v []driver.Value) {
		b.names[entryAt{Integer(v[0]), Integer(v[1])}] = below{Integer(v[2]), mounts[Integer(v[3])]}
	})
}

// MountOf returns the mount point that the path of a row is below.
func (b *Side) MountOf(r *Row) string {
	if mount, ok := b.under[r.Seq]; ok {
		return mount
	}
	return b.Archives[r.Archive].mount
}

// mountPoint is where an archive's paths begin: "" or a folder with its slash.
func mountPoint(point string) string {
	if point = mount.Path(point, ""); point == "" {
		return ""
	}
	return point + "/"
}

// readShadows reads what the catalog stores of what the game sees: which entries
// are hidden, and how many each hides. Package mount decided that when the build
// was written; the view files reads the same.
func (b *Side) readShadows(ctx context.Context, db *sql.DB) error {
	b.hidden, b.hides = map[entryAt]bool{}, map[entryAt]int32{}
	return schema.EachRow(ctx, db, buildShadows, []driver.Value{b.ID}, func(v []driver.Value) {
		b.hidden[entryAt{Integer(v[0]), Integer(v[1])}] = true
		b.hides[entryAt{Integer(v[2]), Integer(v[3])}]++
	})
}

// state is what a build makes of an entry of an archive.
type state struct {
	hidden bool
	hides  int32
	name   below
}

func (b *Side) stateOf(at entryAt) state { return state{b.hidden[at], b.hides[at], b.names[at]} }

// changedState lists, by the ordinals of the archives that both builds mount, as
// this build has them, the entries of which the other build makes something else:
// another archive hides them now, or does no more.
func (b *Side) changedState(other *Side) map[int64][]int64 {
	twins := map[int64]int64{}
	for i := range b.Archives {
		if a := &b.Archives[i]; a.Shared || a.Akin {
			twins[a.Ordinal] = a.twin
		}
	}
	changed := map[int64][]int64{}
	add := func(at entryAt) {
		if twin, shared := twins[at.archive]; shared && b.stateOf(at) != other.stateOf(entryAt{twin, at.ordinal}) {
			changed[at.archive] = append(changed[at.archive], at.ordinal)
		}
	}
	for at := range b.hidden {
		add(at)
	}
	for at := range b.hides {
		add(at)
	}
	for at := range b.names {
		add(at)
	}
	return changed
}

// readShared adds those entries of archives that both builds mount of which the
// builds make something else. All others are the same on both sides.
func (l *loader) readShared(ctx context.Context, old, new *Side) error {
	changed, changedToo := old.changedState(new), new.changedState(old)
	for i := range new.Archives {
		a := &new.Archives[i]
		if entries := changedToo[a.Ordinal]; len(entries) > 0 {
			changed[a.twin] = append(changed[a.twin], entries...)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return both(ctx, old, new, func(ctx context.Context, b *Side) error {
		read := b.akinRows()
		for i := range b.Archives {
			a := &b.Archives[i]
			entries := changed[a.Ordinal]
			if b == new {
				entries = changed[a.twin]
			}
			if !a.Shared && !a.Akin || len(entries) == 0 {
				continue
			}
			b.partly = true
			entries = slices.DeleteFunc(slices.Clone(entries), func(row int64) bool { return read[entryAt{a.Ordinal, row}] })
			slices.Sort(entries)
			err := Batches(slices.Compact(entries), func(entries []int64) error {
				return l.readRows(ctx, b, someRows, b.ID, a.Ordinal, Array(entries))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

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
