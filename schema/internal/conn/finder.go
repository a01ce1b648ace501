package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// Finder looks up what the catalog holds, on a connection of its own, while
// another connection writes. It sees what is committed.
type Finder struct {
	DB  *sql.DB // for other reading
	src *Source // temp.src of each of its connections
}

// NewFinder opens a connection to the catalog at path when it is first used, and never
// a second one.
func NewFinder(path string) *Finder {
	f := NewSharedFinder(path)
	f.DB.SetMaxOpenConns(1)
	return f
}

// NewSharedFinder is NewFinder with as many connections as are used at a time, whichever goroutine
// reads by DB. They stay open: each of them has to read the whole schema.
func NewSharedFinder(path string) *Finder {
	src := &Source{}
	db := openFinder(path, src)
	db.SetMaxIdleConns(8)
	return &Finder{DB: db, src: src}
}

// Each runs a query with temp.src showing n rows, as EachRow does.
func (f *Finder) Each(ctx context.Context, query string, n int, value func(row, col int) driver.Value, row func([]driver.Value)) error {
	if n == 0 {
		return nil
	}
	f.src.Set(n, value)
	return EachRow(ctx, f.DB, query, nil, row)
}

// Hold keeps the catalog as it is now for all look-ups that follow, whatever others write to it, and
// returns statements that see the same. The Finder must be one of [NewFinder].
func (f *Finder) Hold(ctx context.Context) (s *Statements, err error) {
	if _, err := f.DB.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	if err := EachRow(ctx, f.DB, "SELECT count(*) FROM sqlite_schema", nil, func([]driver.Value) {}); err != nil {
		return nil, err
	}
	one, err := f.DB.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = one.Raw(func(c any) error {
		s = StatementsOn(c.(driver.Conn))
		return nil
	})
	return s, errors.Join(err, one.Close())
}

// Close closes the connection.
func (f *Finder) Close() error { return f.DB.Close() }
