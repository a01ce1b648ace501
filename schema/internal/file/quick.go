package file

import (
	"context"
	"fmt"
	"os"

	"pakdb/schema/internal/conn"
)

// QuickSize is the size up to which all pages of a catalog are checked before it is
// written to: SQLite checks 300 MB a second, so that it takes less than one.
const QuickSize = 256 << 20

// wholeSize is the size up to which that check compares indexes with their tables as
// well, of which SQLite does 100 MB a second.
const wholeSize = 32 << 20

// QuickCheck returns [conn.ErrDamaged], with what was found first, for a catalog whose pages
// do not fit together. It sees no value that was replaced by another one of the same
// length: SQLite has no checksums. checked is false for one that is too large.
func QuickCheck(ctx context.Context, path string) (checked bool, err error) {
	st, err := os.Stat(path)
	if err != nil || st.Size() > QuickSize {
		return false, err
	}
	db := conn.OpenReader(path)
	defer func() { _ = db.Close() }()
	pragma := "PRAGMA quick_check(1)"
	if st.Size() <= wholeSize {
		pragma = "PRAGMA integrity_check(1)"
	}
	var result string
	if err := db.QueryRowContext(ctx, pragma).Scan(&result); err != nil {
		return false, err
	}
	if result != "ok" {
		return true, fmt.Errorf("%w: %s", conn.ErrDamaged, conn.Flat(result))
	}
	return true, nil
}
