package write

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
)

// rowColumns are the columns of entry_row that an edition is compared with, and where.
var rowColumns = []string{"row", "print", "until", "content_id", "lineage_id"}

const (
	colRow = iota
	colPrint
	colUntil
	colContent
	colLineage
)

// scanPages calls each for the rows of a table whose key is two numbers, in their order and from
// the one on whose first number is from, until it returns false. They are read by their pages: a
// statement takes three times as long for each.
func scanPages(ctx context.Context, db *sql.DB, table string, columns []string, from int64, each func([]btree.Value) bool) (err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Together(ctx, func() error {
		pages, err := btree.Open(ctx, s)
		if err != nil {
			return err
		}
		tree, err := pages.Table(table, columns...)
		if err != nil {
			return err
		}
		c := tree.Cursor()
		if err := c.From(from, math.MinInt64); err != nil {
			return err
		}
		for n := 1; ; n++ {
			v, err := c.Next()
			if err != nil || v == nil || !each(v) {
				return err
			}
			if n%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
}

// oldRows returns the rows of a lineage in their order; never nil without an error.
func oldRows(ctx context.Context, db *sql.DB, lineage int64) ([]OldRow, error) {
	rows := []OldRow{}
	err := scanPages(ctx, db, "x_entry_row", rowColumns, lineage, func(v []btree.Value) bool {
		if v[colLineage].Int != lineage {
			return false
		}
		content := v[colContent].Int // 0 for NULL
		r := OldRow{Row: v[colRow].Int, Print: v[colPrint].Int, Live: v[colUntil].Int == 0, Unread: content == 0}
		if 0 < content && content <= math.MaxUint32 {
			r.ContentID = uint32(content)
		}
		rows = append(rows, r)
		return true
	})
	return rows, err
}
