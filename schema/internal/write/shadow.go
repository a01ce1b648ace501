package write

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"hash/maphash"
	"maps"
	"slices"

	"pakdb/internal/mount"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/rows"
)

// entryAt is an entry by the ordinal of its mount and its row.
type entryAt struct{ mount, row int64 }

// shadow is an entry that a game does not see, and what hides it.
type shadow struct{ at, by entryAt }

// seed makes hashes by which files that are there twice are found. Those of different files
// may be equal, since what is found is compared.
var seed = maphash.MakeSeed()

// AddFile notes that an entry is that file of the game, "" for none.
func (b *Publication) AddFile(file string) {
	if file != "" {
		b.files = append(b.files, maphash.String(seed, file))
	}
}

// FindShadows finds the entries that a game does not see. All entries are in the catalog.
// Files that are there twice are found by their keys first: most builds have few or none.
func (b *Publication) FindShadows(ctx context.Context, db *sql.DB) error {
	var scanned []int64 // by earlier builds
	mounts := map[int64][]int{}
	for i, m := range b.Mounts {
		mounts[m.Archive] = append(mounts[m.Archive], i)
		if m.Archive <= b.Before {
			scanned = append(scanned, m.Archive)
		}
	}
	err := rows.EachFile(ctx, db, scanned, func(f *rows.File) error {
		b.AddFile(f.File)
		return nil
	})
	if err != nil {
		return err
	}
	twice := repeated(b.files)
	b.files = nil
	if len(twice) == 0 {
		return nil
	}
	type held struct {
		entryAt
		key     record.Half
		deleted bool
	}
	var all []held
	archives := slices.Collect(maps.Keys(mounts))
	err = rows.EachFile(ctx, db, archives, func(f *rows.File) error {
		if twice[maphash.String(seed, f.File)] {
			key := record.HashOf(f.File)
			for _, m := range mounts[f.Archive] {
				all = append(all, held{entryAt{int64(m), f.Row}, key, f.Flags&flagDeleted != 0})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y held) int {
		m := &b.Mounts[x.mount]
		inArchive := cmp.Compare(x.row, y.row)
		if m.LastWins {
			inArchive = -inArchive
		}
		return cmp.Or(cmp.Compare(m.Place, b.Mounts[y.mount].Place), cmp.Compare(x.mount, y.mount), inArchive)
	})
	view := mount.NewView[record.Half, entryAt](len(twice))
	for _, h := range all {
		if by, ok := view.Offer(h.key, h.entryAt, int(h.mount), b.Mounts[h.mount].Order, h.deleted); ok {
			b.hidden = append(b.hidden, shadow{h.entryAt, by})
		}
	}
	slices.SortFunc(b.hidden, func(x, y shadow) int {
		return cmp.Or(cmp.Compare(x.at.mount, y.at.mount), cmp.Compare(x.at.row, y.at.row))
	})
	return nil
}

// insertShadows adds the entries that a game does not see.
func (b *Publication) insertShadows(ctx context.Context, src *conn.Source, tx *sql.Tx) error {
	src.Set(len(b.hidden), func(row, col int) driver.Value {
		s := &b.hidden[row]
		return [...]int64{s.at.mount, s.at.row, s.by.mount, s.by.row}[col]
	})
	_, err := tx.ExecContext(ctx, "INSERT INTO x_build_shadow (build_id, mount, row, by_mount, by_row) SELECT ?1, a, b, c, d FROM src", b.ID)
	return err
}

// repeated returns the keys that are there more than once.
func repeated(keys []uint64) map[uint64]bool {
	slices.Sort(keys)
	twice := map[uint64]bool{}
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			twice[keys[i]] = true
		}
	}
	return twice
}
