package schema

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"slices"
)

//go:embed shadows.sql
var shadows string

// insertShadows says which entries of the build a game does not see. Files that
// stand twice are found here and not by SQL: for nearly all builds they are few
// or none, and to sort the files of all entries took as long as to write them.
func (b *Build) insertShadows(ctx context.Context, tx *sql.Tx) error {
	if err := b.addMountedFiles(ctx, tx); err != nil {
		return err
	}
	twice := repeated(b.files)
	if len(twice) == 0 {
		return nil
	}
	b.c.src.set(len(twice), func(row, _ int) driver.Value { return twice[row][:] })
	_, err := tx.ExecContext(ctx, shadows, b.id)
	return err
}

// addMountedFiles adds the files of archives that earlier builds scanned to those
// that this one has.
func (b *Build) addMountedFiles(ctx context.Context, tx *sql.Tx) error {
	stmt, err := tx.PrepareContext(ctx, "SELECT file_key FROM entry WHERE archive_id = ? AND file_key IS NOT NULL")
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for _, m := range b.mounts {
		if m.Archive > b.before {
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
		b.files = append(b.files, halfHash(file))
	}
	return rows.Err()
}

// repeated sorts hashes and returns those that stand there more than once.
func repeated(hashes []halfHash) (twice []halfHash) {
	slices.SortFunc(hashes, func(a, b halfHash) int { return bytes.Compare(a[:], b[:]) })
	for i := 1; i < len(hashes); i++ {
		if h := hashes[i]; h == hashes[i-1] && (len(twice) == 0 || h != twice[len(twice)-1]) {
			twice = append(twice, h)
		}
	}
	return twice
}
