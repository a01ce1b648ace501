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

// find runs a look-up with temp.src showing n rows; the query yields the row's
// number and the id found.
func (f *finder) find(ctx context.Context, query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	return f.each(ctx, query, n, value, func(row []driver.Value) { found(int(row[0].(int64)), row[1].(int64)) })
}

// each runs a query with temp.src showing n rows, as EachRow does.
func (f *finder) each(ctx context.Context, query string, n int, value func(row, col int) driver.Value, row func([]driver.Value)) error {
	if n == 0 {
		return nil
	}
	f.src.set(n, value)
	return EachRow(ctx, f.db, query, nil, row)
}
