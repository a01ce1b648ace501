package schema

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"
)

// textTable is a virtual table of texts and the ids that they stand for. Its first
// column is the text, the others up to keys are what a text is found from.
type textTable struct {
	name    string
	columns string
	from    []int // columns that a row is found from, all of them; other than 0
	also    int   // a column that finds rows like the text does, 0 for none
	globs   bool  // the text finds rows by GLOB as well
	byText  func(c *textConn, text string, row func(...driver.Value)) error
	byAlso  func(c *textConn, text string, row func(...driver.Value)) error
	byGlob  func(c *textConn, pattern string, row func(...driver.Value)) error
	byID    func(c *textConn, ids []driver.Value, row func(...driver.Value)) error
}

var textTables = []textTable{
	{name: "pakdb_by_path", columns: "path, dir TEXT, path_id", from: []int{2}, also: 1, globs: true,
		byText: pathsByText, byAlso: pathsByDir, byGlob: pathsByGlob, byID: pathByID},
	{name: "pakdb_by_content", columns: "content, content_id", from: []int{1}, byText: contentsByText, byID: contentByID},
	{name: "pakdb_by_asset", columns: "asset_id, archive_id, row", from: []int{1, 2}, byText: assetsByText, byID: assetByID},
	{name: "pakdb_by_hex", columns: "hex, n", from: []int{1}, byText: hexByText, byID: hexByID},
}

// textConn is the connection that the tables are of. A statement that runs asks it
// for rows, which SQLite allows: they are read to their end at once.
type textConn struct {
	conn       driver.Conn
	statements map[string]driver.Stmt
}

// registerTexts makes the modules of the tables; the connection is set when there is
// one.
func registerTexts(d *sqlite.Driver) (*textConn, error) {
	c := &textConn{statements: map[string]driver.Stmt{}}
	for i := range textTables {
		t := &textTables[i]
		if err := d.RegisterModule(t.name, &textModule{t, c}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// each runs a query. It is compiled once.
func (c *textConn) each(query string, row func([]driver.Value), args ...driver.Value) error {
	stmt := c.statements[query]
	if stmt == nil {
		var err error
		if stmt, err = c.conn.Prepare(query); err != nil {
			return err
		}
		c.statements[query] = stmt
	}
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), named)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	return drain(context.Background(), rows, row)
}

const textOfPath = "SELECT d.prefix || p.name, d.dir, p.path_id FROM "

func pathsByText(c *textConn, text string, row func(...driver.Value)) error {
	return c.each(textOfPath+`path_key k
		CROSS JOIN path p ON p.path_id = k.path_id
		CROSS JOIN dir d ON d.dir_id = p.dir_id
		WHERE k.key = ?1`, func(v []driver.Value) {
		if v[0] == text { // keys of different texts may agree
			row(v...)
		}
	}, PathKey(text))
}

func pathsByDir(c *textConn, text string, row func(...driver.Value)) error {
	return c.each(textOfPath+`dir d
		CROSS JOIN path p ON p.dir_id = d.dir_id
		WHERE d.prefix IN (?1, ?1 || '/') AND d.dir = ?1`, func(v []driver.Value) { row(v...) }, text)
}

// pathsByGlob goes by the folders that the pattern begins with.
func pathsByGlob(c *textConn, pattern string, row func(...driver.Value)) error {
	all := func(v []driver.Value) { row(v...) }
	fixed := pattern
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		fixed = pattern[:i]
	}
	folder := fixed[:strings.LastIndexByte(fixed, '/')+1]
	if folder == "" {
		return c.each(textOfPath+"path p CROSS JOIN dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name GLOB ?1", all, pattern)
	}
	return c.each(textOfPath+`dir d
		CROSS JOIN path p ON p.dir_id = d.dir_id
		WHERE d.prefix >= ?2 AND d.prefix < ?3 AND d.prefix || p.name GLOB ?1`, all,
		pattern, folder, folder[:len(folder)-1]+"0") // what follows the slash
}

func pathByID(c *textConn, ids []driver.Value, row func(...driver.Value)) error {
	if ids[0] == nil {
		row(nil, nil, nil)
		return nil
	}
	return c.each(textOfPath+"path p CROSS JOIN dir d ON d.dir_id = p.dir_id WHERE p.path_id = ?1",
		func(v []driver.Value) { row(v...) }, ids[0])
}

func contentsByText(c *textConn, text string, row func(...driver.Value)) error {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) < 8 {
		return nil // no content has such a text
	}
	return c.each(`SELECT lower(hex(c.hash)), c.content_id
		FROM content_key k
		CROSS JOIN content c ON c.content_id = k.content_id
		WHERE k.key = ?1`, func(v []driver.Value) {
		if v[0] == text {
			row(v...)
		}
	}, ContentKey(hash))
}

func contentByID(c *textConn, ids []driver.Value, row func(...driver.Value)) error {
	if ids[0] == nil {
		row(nil, nil)
		return nil
	}
	return c.each("SELECT lower(hex(hash)), content_id FROM content WHERE content_id = ?1",
		func(v []driver.Value) { row(v...) }, ids[0])
}

const assetRow = "SELECT archive_id, row, id_hi, id_lo, id_bits FROM entry WHERE "

func assetsByText(c *textConn, text string, row func(...driver.Value)) error {
	if len(text) < 8 || len(text) > 32 || len(text)%8 != 0 {
		return nil
	}
	lo, err := strconv.ParseUint(text[max(len(text)-16, 0):], 16, 64)
	if err != nil {
		return nil
	}
	return c.each(assetRow+"id_lo = ?1", func(v []driver.Value) {
		if assetText(v[2:]) == text {
			row(text, v[0], v[1])
		}
	}, int64(lo))
}

func assetByID(c *textConn, ids []driver.Value, row func(...driver.Value)) error {
	return c.each(assetRow+"archive_id = ?1 AND row = ?2", func(v []driver.Value) {
		row(assetText(v[2:]), v[0], v[1])
	}, ids...)
}

// assetText is the column asset_id of the view entries, from id_hi, id_lo and id_bits.
func assetText(v []driver.Value) driver.Value {
	hi, _ := v[0].(int64)
	lo, _ := v[1].(int64)
	switch bits, _ := v[2].(int64); bits {
	case 32:
		return fmt.Sprintf("%08x", uint64(lo))
	case 64:
		return fmt.Sprintf("%016x", uint64(lo))
	case 96:
		return fmt.Sprintf("%08x%016x", uint64(hi), uint64(lo))
	case 128:
		return fmt.Sprintf("%016x%016x", uint64(hi), uint64(lo))
	}
	return nil
}

func hexByText(_ *textConn, text string, row func(...driver.Value)) error {
	n, err := strconv.ParseUint(text, 16, 64)
	if err == nil && fmt.Sprintf("%016x", n) == text {
		row(text, int64(n))
	}
	return nil
}

func hexByID(_ *textConn, ids []driver.Value, row func(...driver.Value)) error {
	if n, ok := ids[0].(int64); ok {
		row(fmt.Sprintf("%016x", uint64(n)), n)
	}
	return nil
}

// textModule is the module of a table, and its only table.
type textModule struct {
	*textTable
	conn *textConn
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
)

// finder returns the function that finds rows by a text, nil for a plan that has none.
func (t *textTable) finder(plan string) func(*textConn, string, func(...driver.Value)) error {
	switch plan {
	case textsByText:
		return t.byText
	case textsByAlso:
		return t.byAlso
	case textsByGlob:
		return t.byGlob
	}
	return nil
}

// BestIndex prefers a text, and to a folder or a pattern the id. The costs are small,
// because SQLite takes ten rows for what an archive holds.
func (m *textModule) BestIndex(info *vtab.IndexInfo) error {
	plan, arg := m.textPlan(info)
	switch {
	case plan != textsByText && m.idPlan(info):
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
