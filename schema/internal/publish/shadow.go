package publish

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/codecs/mount"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// heldTwice lists the entries of build ?1 whose files temp.src names, as
// [mount.View] is to be offered them.
const heldTwice = `SELECT e.file_key, ba.ordinal, e.row, ba.mount_order, e.flags & 2 <> 0
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND e.file_key IN (SELECT a FROM src)
	ORDER BY ba.place, ba.ordinal, CASE WHEN ba.last_wins THEN -e.row ELSE e.row END`

// entryAt is an entry by the ordinals of its mount and its own.
type entryAt struct{ mount, ordinal int64 }

// shadow is an entry that a game does not see, and what hides it.
type shadow struct{ at, by entryAt }

// insertShadows says which entries of the build a game does not see. Files that
// stand twice are found here and not by SQL: for nearly all builds they are few
// or none, and to sort the files of all entries took as long as to write them.
func (b *Build) insertShadows(ctx context.Context, src *conn.Source, tx *sql.Tx) error {
	if err := b.addMountedFiles(ctx, tx); err != nil {
		return err
	}
	twice := repeated(b.Files)
	if len(twice) == 0 {
		return nil
	}
	src.Set(len(twice), func(row, _ int) driver.Value { return twice[row][:] })
	hidden, err := b.shadows(ctx, tx, len(twice))
	if err != nil {
		return err
	}
	src.Set(len(hidden), func(row, col int) driver.Value {
		s := &hidden[row]
		return [...]int64{s.at.mount, s.at.ordinal, s.by.mount, s.by.ordinal}[col]
	})
	_, err = tx.ExecContext(ctx, "INSERT INTO x_build_shadow (build_id, mount, row, by_mount, by_row) SELECT ?1, a, b, c, d FROM src", b.ID)
	return err
}

// shadows returns the hidden entries of the files in temp.src, in the order of
// their table.
func (b *Build) shadows(ctx context.Context, tx *sql.Tx, files int) (hidden []shadow, err error) {
	rows, err := tx.QueryContext(ctx, heldTwice, b.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	view := mount.NewView[record.Half, entryAt](files)
	for rows.Next() {
		var file sql.RawBytes
		var at entryAt
		var order int64
		var deleted bool
		if err := rows.Scan(&file, &at.mount, &at.ordinal, &order, &deleted); err != nil {
			return nil, err
		}
		if by, ok := view.Offer(record.Half(file), at, int(at.mount), order, deleted); ok {
			hidden = append(hidden, shadow{at, by})
		}
	}
	slices.SortFunc(hidden, func(a, b shadow) int {
		return cmp.Or(cmp.Compare(a.at.mount, b.at.mount), cmp.Compare(a.at.ordinal, b.at.ordinal))
	})
	return hidden, rows.Err()
}

// addMountedFiles adds the files of archives that earlier builds scanned to those
// that this one has.
func (b *Build) addMountedFiles(ctx context.Context, tx *sql.Tx) error {
	stmt, err := tx.PrepareContext(ctx, "SELECT file_key FROM x_entry WHERE archive_id = ? AND file_key IS NOT NULL")
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for _, m := range b.Mounts {
		if m.Archive > b.Before {
			continue
		}
		if err := b.addFiles(ctx, stmt, m.Archive); err != nil {
			return err
		}
	}
	return nil
}

func (b *Build) addFiles(ctx context.Context, stmt *sql.Stmt, archive int64) error {
	rows, err := stmt.QueryContext(ctx, archive)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var file sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&file); err != nil {
			return err
		}
		b.Files = append(b.Files, record.Half(file))
	}
	return rows.Err()
}

// repeated returns the hashes that stand there more than once, in order. Numbers sort
// three times as fast as hashes do, so these are sorted by their keys, and those whose
// keys stand there more than once are compared as a whole.
func repeated(hashes []record.Half) (twice []record.Half) {
	keys := make([]int64, len(hashes))
	for i := range hashes {
		keys[i] = hashes[i].Key()
	}
	slices.Sort(keys)
	shared := map[int64]bool{}
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			shared[keys[i]] = true
		}
	}
	if len(shared) == 0 {
		return nil
	}
	var found []record.Half
	for _, h := range hashes {
		if shared[h.Key()] {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b record.Half) int { return bytes.Compare(a[:], b[:]) })
	for i := 1; i < len(found); i++ {
		if h := found[i]; h == found[i-1] && (len(twice) == 0 || h != twice[len(twice)-1]) {
			twice = append(twice, h)
		}
	}
	return twice
}
