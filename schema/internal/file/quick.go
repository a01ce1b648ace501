package file

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"time"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// QuickSize is the size up to which all pages of a catalog are checked before it is
// written to: SQLite checks 300 MB a second, so that it takes less than one.
const QuickSize = 256 << 20

// wholeSize is the size up to which that check compares indexes with their tables as
// well, of which SQLite does 100 MB a second.
const wholeSize = 32 << 20

// CheckForeign is [layout.Check] for a connection of db.
func CheckForeign(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	err = c.Raw(func(c any) error { return layout.Check(ctx, c.(driver.Conn)) })
	return errors.Join(err, c.Close())
}

// QuickCheck returns when all pages of the catalog at path were checked: now, unless it has a seal
// (see [Seal]) from a check before. db reads the catalog. It returns [conn.ErrDamaged], with what was found
// first, for a catalog whose pages do not fit together. It sees no value that was
// replaced by another one of the same length: SQLite has no checksums. The time is zero
// for a catalog that is too large.
func QuickCheck(ctx context.Context, db *sql.DB, path string) (checked time.Time, err error) {
	st, err := os.Stat(path)
	if err != nil || st.Size() > QuickSize {
		return time.Time{}, err
	}
	if checked = sealed(ctx, db, st.ModTime()); !checked.IsZero() {
		return checked, nil
	}
	pragma := "PRAGMA quick_check(1)"
	if st.Size() <= wholeSize {
		pragma = "PRAGMA integrity_check(1)"
	}
	var result string
	if err := db.QueryRowContext(ctx, pragma).Scan(&result); err != nil {
		return time.Time{}, err
	}
	if result != "ok" {
		return time.Time{}, fmt.Errorf("%w: %s", conn.ErrDamaged, conn.Flat(result))
	}
	return time.Now(), nil
}

// SealTime is how long a check of all pages holds for a file that only pakdb writes to.
// What a disk damages does not change the time of a file, and comes with time, not with
// the number of commands.
const SealTime = 24 * time.Hour

const sealSQL = `INSERT INTO x_seal (only_row, file_time, checked_time) VALUES (1, ?, ?)
	ON CONFLICT (only_row) DO UPDATE SET file_time = excluded.file_time, checked_time = excluded.checked_time`

// Seal writes down the time that the file of a catalog will have ([Stamp]), and when its
// pages were checked. It returns the former.
func Seal(ctx context.Context, tx *sql.Tx, checked time.Time) (at time.Time, err error) {
	at = time.UnixMicro(time.Now().UnixMicro()) // all file systems that matter keep as much
	_, err = tx.ExecContext(ctx, sealSQL, at.UnixMicro(), checked.UnixMicro())
	return at, err
}

// Stamp gives a sealed file its time. Writing to the file, and most ways to copy
// it, give it another one. A file system that does not keep the time has the file
// checked each time.
func Stamp(path string, at time.Time) error { return os.Chtimes(path, time.Time{}, at) }

// sealed returns when the pages of a file with a time were checked, if nothing but pakdb
// has written to it since and that was not too long ago. Otherwise, and whenever
// something cannot be read, it returns the zero time.
func sealed(ctx context.Context, db *sql.DB, fileTime time.Time) time.Time {
	var at, micro int64
	err := db.QueryRowContext(ctx, "SELECT file_time, checked_time FROM x_seal").Scan(&at, &micro)
	if err != nil || !fileTime.Equal(time.UnixMicro(at)) {
		return time.Time{}
	}
	checked := time.UnixMicro(micro)
	if age := time.Since(checked); age < 0 || age >= SealTime {
		return time.Time{}
	}
	return checked
}
