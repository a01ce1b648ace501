package conn

import (
	"database/sql/driver"

	"modernc.org/sqlite/vtab"
)

// Source is the virtual table temp.src through which batches enter the
// catalog: INSERT ... SELECT FROM src pulls rows out of Go memory without
// binding parameters, several times faster than prepared inserts.
//
// Its columns are untyped; what they mean depends on the statement that runs.
type Source struct {
	rows  int
	value func(row, col int) driver.Value
}

// Set makes the next statements see n rows. value is called during them only.
func (s *Source) Set(n int, value func(row, col int) driver.Value) {
	s.rows, s.value = n, value
}

// Create makes temp.src; there is nothing but the columns to declare.
func (s *Source) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return s.Connect(c, args)
}

// Connect declares the columns.
func (s *Source) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	return s, c.Declare("CREATE TABLE src (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)")
}

// BestIndex has no plan but to read all rows.
func (s *Source) BestIndex(*vtab.IndexInfo) error { return nil }

// Open returns a cursor before the first row.
func (s *Source) Open() (vtab.Cursor, error) { return &sourceCursor{src: s}, nil }

// Disconnect does nothing: the rows are of the Source.
func (s *Source) Disconnect() error { return nil }

// Destroy does nothing, as Disconnect.
func (s *Source) Destroy() error { return nil }

type sourceCursor struct {
	src *Source
	row int
}

func (c *sourceCursor) Filter(int, string, []vtab.Value) error {
	c.row = 0
	return nil
}

func (c *sourceCursor) Next() error                        { c.row++; return nil }
func (c *sourceCursor) Eof() bool                          { return c.row >= c.src.rows }
func (c *sourceCursor) Column(col int) (vtab.Value, error) { return c.src.value(c.row, col), nil }
func (c *sourceCursor) Rowid() (int64, error)              { return int64(c.row), nil }
func (c *sourceCursor) Close() error                       { return nil }
