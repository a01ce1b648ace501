package schema

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"modernc.org/sqlite/vtab"
)

// TableFunction is a function in SQL that yields rows, for read-only connections:
// SELECT ... FROM name('a', 'b').
//
// SQLite calls it while a statement runs, so Rows must not use the connection of
// that statement.
type TableFunction struct {
	Name    string
	Doc     string   // for help, one line
	Columns []string // names, each with its type after a space where it has one
	// Params are the names of the arguments, which are hidden columns. All must
	// be given.
	Params []string
	// Rows calls add with each row, a value for each column: int64, float64, string, []byte
	// or nil. It returns the first error of add; an error of its own ends the statement.
	Rows func(ctx context.Context, args []driver.Value, add func(row []driver.Value) error) error
}

// Usage returns how it is called: "diff(old, new)".
func (f *TableFunction) Usage() string { return f.Name + "(" + strings.Join(f.Params, ", ") + ")" }

// create is run on each new connection. The driver's virtual tables have to be
// created; SQLite takes one that has hidden columns for a function. That happens
// before the authorizer is set, in the temporary database, which is in memory.
func (f *TableFunction) create(ctx context.Context, c driver.ExecerContext) error {
	for _, s := range []string{
		"PRAGMA query_only = 0",
		fmt.Sprintf("CREATE VIRTUAL TABLE temp.%s USING %s", f.Name, f.moduleName()),
		"PRAGMA query_only = 1",
	} {
		if _, err := c.ExecContext(ctx, s, nil); err != nil {
			return fmt.Errorf("table function %s: %w", f.Name, err)
		}
	}
	return nil
}

func (f *TableFunction) moduleName() string { return "pakdb_" + f.Name }

// tableModule is a module and its only table.
type tableModule struct {
	*TableFunction
	ctx context.Context
}

func (m *tableModule) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return m.Connect(c, args)
}

func (m *tableModule) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	var columns []string
	for _, name := range m.Columns {
		name, kind, _ := strings.Cut(name, " ")
		columns = append(columns, `"`+name+`" `+kind)
	}
	for _, name := range m.Params {
		columns = append(columns, `"`+name+`" HIDDEN`)
	}
	return m, c.Declare("CREATE TABLE x (" + strings.Join(columns, ", ") + ")")
}

// BestIndex asks for the arguments, in their order. A plan that lacks one, as
// in a join in another order, is refused by its cost and, if there is no other,
// by the cursor.
func (m *tableModule) BestIndex(info *vtab.IndexInfo) error {
	given := 0
	for i := range info.Constraints {
		c := &info.Constraints[i]
		if p := c.Column - len(m.Columns); p >= 0 && c.Op == vtab.OpEQ && c.Usable {
			c.ArgIndex, c.Omit = p, true
			given++
		}
	}
	info.EstimatedCost, info.EstimatedRows = 1e5, 1e4
	if given < len(m.Params) {
		for i := range info.Constraints {
			info.Constraints[i].ArgIndex, info.Constraints[i].Omit = -1, false
		}
		info.EstimatedCost = 1e15
		return nil
	}
	info.IdxNum = 1
	return nil
}

func (m *tableModule) Open() (vtab.Cursor, error) { return &tableCursor{m: m}, nil }
func (m *tableModule) Disconnect() error          { return nil }
func (m *tableModule) Destroy() error             { return nil }

type tableCursor struct {
	m    *tableModule
	next func() ([]driver.Value, error, bool)
	stop func()
	args []driver.Value
	row  []driver.Value // nil at the end
	n    int64
}

func (c *tableCursor) Filter(plan int, _ string, args []vtab.Value) error {
	_ = c.Close()
	if plan == 0 {
		return fmt.Errorf("%s needs its arguments: %s", c.m.Name, c.m.Usage())
	}
	c.args = slices.Clone(args)
	c.next, c.stop = iter.Pull2(c.rows)
	c.n = 0
	return c.Next()
}

// errEnough ends a function of whose rows the statement wants no more.
var errEnough = errors.New("no more rows are wanted")

// rows yields the rows of the function.
func (c *tableCursor) rows(yield func([]driver.Value, error) bool) {
	err := c.m.Rows(c.m.ctx, c.args, func(row []driver.Value) error {
		if !yield(row, nil) {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		yield(nil, err)
	}
}

func (c *tableCursor) Next() error {
	row, err, ok := c.next()
	c.row = row
	c.n++
	if !ok || err != nil {
		c.row = nil
	}
	return err
}

func (c *tableCursor) Eof() bool { return c.row == nil }

func (c *tableCursor) Column(col int) (vtab.Value, error) {
	if col >= len(c.row) {
		return c.args[col-len(c.row)], nil
	}
	return c.row[col], nil
}

func (c *tableCursor) Rowid() (int64, error) { return c.n, nil }

func (c *tableCursor) Close() error {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
	return nil
}
