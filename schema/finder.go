package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// finder looks up what the catalog holds, on a connection of its own, while
// another connection writes. It sees what is committed.
type finder struct {
	db  *sql.DB
	src *rowSource
}

func newFinder(path string) *finder {
	src := &rowSource{}
	db := sql.OpenDB(findConnector(path, src))
	db.SetMaxOpenConns(1) // temp.src belongs to one connection
	return &finder{db: db, src: src}
}

func (f *finder) find(ctx context.Context, query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	return find(ctx, f.db, f.src, query, n, value, found)
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// find runs a look-up with temp.src showing n rows; the query yields the row's
// number and the id found.
func find(ctx context.Context, q querier, src *rowSource, query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	if n == 0 {
		return nil
	}
	src.set(n, value)
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row int
		var id int64
		if err := rows.Scan(&row, &id); err != nil {
			return err
		}
		found(row, id)
	}
	return rows.Err()
}
