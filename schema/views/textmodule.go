package views

import (
	"database/sql/driver"
	"fmt"

	"modernc.org/sqlite/vtab"
)

// textModule is the module of a table, and its only table.
type textModule struct {
	*textTable
	conn *TextTables
}

func (m *textModule) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return m.Connect(c, args)
}

func (m *textModule) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	return m, c.Declare("CREATE TABLE x (" + m.columns + ")")
}

// The plans of a text table, as SQLite hands them from BestIndex to Filter.
const (
	textsByNothing = "nothing"
	textsByText    = "text"
	textsByID      = "id"
	textsByAlso    = "also"
	textsByGlob    = "glob"
	textsByLike    = "like"
)

// finder returns the function that finds rows by a text, nil for a plan that has none.
func (t *textTable) finder(plan string) func(*TextTables, string, func(...driver.Value)) error {
	switch plan {
	case textsByText:
		return t.byText
	case textsByAlso:
		return t.byAlso
	case textsByGlob:
		return t.byGlob
	case textsByLike:
		return t.byLike
	}
	return nil
}

// BestIndex prefers a text, and to a folder or a pattern the id. The costs are small,
// because SQLite takes ten rows for what an archive holds.
func (m *textModule) BestIndex(info *vtab.IndexInfo) error {
	plan, arg := m.textPlan(info)
	// SQLite proposes the terms of one other table at a time, and then all of them. An id
	// of several columns, of several tables, is only among all.
	several := len(m.from) > 1
	switch {
	case (several || plan != textsByText) && m.idPlan(info):
		info.IdxNum, info.IdxStr = 2, textsByID
		info.EstimatedCost, info.EstimatedRows = 30, 1
	case plan == textsByNothing:
		info.IdxStr = textsByNothing
		info.EstimatedCost, info.EstimatedRows = 1e15, 1e9
	default:
		info.Constraints[arg].ArgIndex = 0
		info.IdxNum, info.IdxStr = 1, plan // 1: see KeyedBy
		info.EstimatedCost, info.EstimatedRows = 1, 1
		if plan != textsByText {
			info.EstimatedCost, info.EstimatedRows = 2, 2
		}
	}
	return nil
}

// textPlan returns the surest way to find rows by a text, and the constraint.
func (m *textModule) textPlan(info *vtab.IndexInfo) (plan string, arg int) {
	plan = textsByNothing
	for i, c := range info.Constraints {
		switch {
		case !c.Usable:
		case c.Column == 0 && c.Op == vtab.OpEQ:
			return textsByText, i
		case m.also != 0 && c.Column == m.also && c.Op == vtab.OpEQ:
			plan, arg = textsByAlso, i
		case m.globs && c.Column == 0 && c.Op == vtab.OpGLOB && plan == textsByNothing:
			plan, arg = textsByGlob, i
		case m.globs && m.conn.likes && c.Column == 0 && c.Op == vtab.OpLIKE && plan == textsByNothing:
			plan, arg = textsByLike, i
		}
	}
	return plan, arg
}

// idPlan asks for the columns that a row is found from.
func (m *textModule) idPlan(info *vtab.IndexInfo) bool {
	found := make([]int, len(m.from))
	for n, column := range m.from {
		found[n] = -1
		for i, c := range info.Constraints {
			if c.Usable && c.Column == column && (c.Op == vtab.OpEQ || c.Op == vtab.OpIS) {
				found[n] = i
			}
		}
		if found[n] < 0 {
			return false
		}
	}
	for n, i := range found {
		info.Constraints[i].ArgIndex = n
	}
	info.IdxFlags = vtab.IndexScanUnique
	return true
}

func (m *textModule) Open() (vtab.Cursor, error) { return &textCursor{m: m}, nil }
func (m *textModule) Disconnect() error          { return nil }
func (m *textModule) Destroy() error             { return nil }

type textCursor struct {
	m    *textModule
	rows [][]driver.Value
	at   int
	text string // that the rows were found by, with the plan; "" for none
}

func (c *textCursor) Filter(_ int, plan string, args []vtab.Value) error {
	c.at = 0
	if text, ok := args1(args).(string); ok && plan+text == c.text {
		return nil // asked for again by each archive
	}
	c.rows, c.text = c.rows[:0], ""
	add := func(v ...driver.Value) { c.rows = append(c.rows, append([]driver.Value(nil), v...)) }
	find := c.m.finder(plan)
	switch {
	case plan == textsByID:
		return c.m.byID(c.m.conn, args, add)
	case find == nil:
		return fmt.Errorf("%s serves the views and has no rows of its own", c.m.name)
	}
	if text, ok := args[0].(string); ok {
		err := find(c.m.conn, text, add)
		if err == nil {
			c.text = plan + text
		}
		return err
	}
	return nil // a number or a blob is no text
}

// args1 returns the first argument, nil for none.
func args1(args []vtab.Value) vtab.Value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

func (c *textCursor) Next() error                        { c.at++; return nil }
func (c *textCursor) Eof() bool                          { return c.at >= len(c.rows) }
func (c *textCursor) Column(col int) (vtab.Value, error) { return c.rows[c.at][col], nil }
func (c *textCursor) Rowid() (int64, error)              { return int64(c.at), nil }
func (c *textCursor) Close() error                       { c.rows = nil; return nil }
