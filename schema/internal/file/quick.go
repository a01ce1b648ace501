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
