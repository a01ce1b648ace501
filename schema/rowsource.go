package schema

import (
	"database/sql/driver"

	"modernc.org/sqlite/vtab"
)

// rowSource is the virtual table temp.src through which batches enter the
// catalog: INSERT ... SELECT FROM src pulls rows out of Go memory without
// binding parameters, several times faster than prepared inserts.
//
// Its columns are untyped; what they mean depends on the statement that runs.
type rowSource struct {
	rows  int
	value func(row, col int) driver.Value
}

// set makes the next statements see n rows. value is called during them only.
func (s *rowSource) set(n int, value func(row, col int) driver.Value) {
	s.rows, s.value = n, value
}

func (s *rowSource) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return s.Connect(c, args)
}

func (s *rowSource) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	return s, c.Declare("CREATE TABLE src (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)")
}

func (s *rowSource) BestIndex(*vtab.IndexInfo) error { return nil }
func (s *rowSource) Open() (vtab.Cursor, error)      { return &rowCursor{src: s}, nil }
func (s *rowSource) Disconnect() error               { return nil }
func (s *rowSource) Destroy() error                  { return nil }

type rowCursor struct {
	src *rowSource
	row int
}

func (c *rowCursor) Filter(int, string, []vtab.Value) error {
	c.row = 0
	return nil
}

func (c *rowCursor) Next() error                        { c.row++; return nil }
func (c *rowCursor) Eof() bool                          { return c.row >= c.src.rows }
func (c *rowCursor) Column(col int) (vtab.Value, error) { return c.src.value(c.row, col), nil }
func (c *rowCursor) Rowid() (int64, error)              { return int64(c.row), nil }
func (c *rowCursor) Close() error                       { return nil }
