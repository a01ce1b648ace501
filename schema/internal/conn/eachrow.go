package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// EachRow runs a query and calls row for each of its rows; the values belong to
// row until it returns. It goes past database/sql, whose conversions cost more
// than SQLite does.
func EachRow(ctx context.Context, db *sql.DB, query string, args []driver.Value, row func([]driver.Value)) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return conn.Raw(func(c any) error {
		rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, named)
		if err != nil {
			return err
		}
		return errors.Join(Drain(ctx, rows, row), rows.Close())
	})
}

// Drain looks at the context now and then: the driver does so only while it
// compiles and steps to the first row.
func Drain(ctx context.Context, rows driver.Rows, row func([]driver.Value)) error {
	values := make([]driver.Value, len(rows.Columns()))
	for n := 1; ; n++ {
		if err := rows.Next(values); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		row(values)
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
