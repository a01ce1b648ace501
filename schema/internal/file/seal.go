package file

import (
	"context"
	"database/sql"
	"os"
	"time"
)

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
