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

// oldRows returns the rows of a lineage in their order; never nil without an error. They
// are read by their pages: a statement takes three times as long for each.
func oldRows(ctx context.Context, db *sql.DB, lineage int64) (rows []OldRow, err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Together(ctx, func() error {
		pages, err := btree.Open(ctx, s)
		if err != nil {
			return err
		}
		table, err := pages.Table("x_entry_row", rowColumns...)
		if err != nil {
			return err
		}
		rows, err = rowsOf(ctx, table, lineage)
		return err
	})
	return rows, err
}

func rowsOf(ctx context.Context, table *btree.Tree, lineage int64) ([]OldRow, error) {
	rows := []OldRow{}
	c := table.Cursor()
	if err := c.From(lineage, math.MinInt64); err != nil {
		return nil, err
	}
	for {
		v, err := c.Next()
		if err != nil || v == nil || v[colLineage].Int != lineage {
			return rows, err
		}
		content := v[colContent].Int // 0 for NULL
		r := OldRow{Row: v[colRow].Int, Print: v[colPrint].Int, Live: v[colUntil].Int == 0, Unread: content == 0}
		if 0 < content && content <= math.MaxUint32 {
			r.ContentID = uint32(content)
		}
		rows = append(rows, r)
		if len(rows)%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
