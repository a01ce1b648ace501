package views

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/rows"
)

// Tables are the views of a catalog as virtual tables of one connection, under the views'
// names. They have the rows of the views; SQLite can find rows by any column.
//
// A view is stored as a statement over tables. What it computes, as a path of a folder and
// a name, has no index, and SQLite joins by it row by row. A virtual table offers equality
// on every column: by an index of the file where there is one, else by a hash index that is
// made of the rows when it is first used. Only rows of builds and columns that the
// statement needs are read.
type Tables struct {
	ctx        context.Context // of the statement that runs
	conn       driver.Conn
	statements *conn.Statements
	views      map[string]string // texts of all views, by their names
	tables     map[string]*table // that were made, by their names
	held       driver.Rows       // keeps one state of the catalog while a statement runs
	builds     []build
	total      int64 // entries of all builds
	texts      *ids
	places     *rows.Offsets
	collates   collation
	exact      uint64          // columns that are compared with texts byte by byte, by their places in any view
	asText     uint64          // the ones among them for which numbers become texts
	numbered   bool            // rows are distinguished by their numbers
	single     bool            // rows are found by one column at a time
	joins      map[string]bool // plans, by their names, that find rows by a value of another row
	work       int64
	failed     error
}

// build is a complete build.
type build struct {
	label   string
	id      int64
	entries int64
}

// collation says by what else than its bytes a statement compares texts.
type collation struct{ noCase, rtrim bool }

const moduleName = "pakdb_view"

// Register makes the module of the tables on a driver. They serve one connection, which
// [Tables.Bind] names.
func Register(d *sqlite.Driver) (*Tables, error) {
	t := &Tables{ctx: context.Background()}
	return t, d.RegisterModule(moduleName, t)
}

// Bind sets the connection.
func (t *Tables) Bind(c driver.Conn) error {
	t.conn, t.statements, t.tables, t.views = c, conn.StatementsOn(c), map[string]*table{}, map[string]string{}
	return t.each("SELECT name, sql FROM main.sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*'", nil, func(v []driver.Value) {
		name, _ := v[0].(string)
		text, _ := v[1].(string)
		t.views[name] = text
	})
}

// Missing returns the views that a statement may name and that have no table yet.
func (t *Tables) Missing(sql string) (names []string) {
	sql = strings.ToLower(sql)
	for name := range t.views {
		if t.tables[name] == nil && strings.Contains(sql, strings.ToLower(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Make makes the tables of views. The connection may be restricted only afterwards.
func (t *Tables) Make(names []string) error {
	for _, name := range names {
		v := &table{Tables: t, name: name}
		if err := v.describe(); err != nil {
			return fmt.Errorf("view %s: %w", name, err)
		}
		t.tables[name] = v
		if _, err := t.conn.(driver.ExecerContext).ExecContext(context.Background(),
			fmt.Sprintf("PRAGMA query_only = 0; CREATE VIRTUAL TABLE temp.%s USING %s; PRAGMA query_only = 1", quoted(name), moduleName), nil); err != nil {
			return fmt.Errorf("view %s: %w", name, err)
		}
	}
	return nil
}

// Begin begins a statement, with its values. All of it sees one state of the catalog.
func (t *Tables) Begin(ctx context.Context, sql string, values []driver.NamedValue) (err error) {
	t.ctx, t.failed, t.work, t.collates, t.exact, t.numbered, t.single, t.joins = ctx, nil, 0, collation{}, 0, false, false, map[string]bool{}
	if len(t.tables) == 0 {
		return nil
	}
	// A query that is not at its end keeps the state.
	if t.held, err = t.statements.Query(ctx, "SELECT name FROM main.sqlite_schema", nil); err != nil {
		return err
	}
	if err := t.held.Next(make([]driver.Value, 1)); err != nil && err != io.EOF {
		return err
	}
	t.builds, t.total = nil, 0
	if err := t.each("SELECT build, build_id, entry_count FROM main.builds ORDER BY build_id", nil, func(v []driver.Value) {
		var b build
		b.label, _ = v[0].(string)
		b.id, _ = v[1].(int64)
		b.entries, _ = v[2].(int64)
		t.builds, t.total = append(t.builds, b), t.total+b.entries
	}); err != nil {
		return err
	}
	t.single = len(selected.FindAllString(sql, 2)) > 1
	t.inspect(sql, values)
	for _, v := range t.tables { // plans depend on what was found
		compared := v.compared
		v.forget()
		v.compared = compared
	}
	return nil
}

// selected finds IN (SELECT. SQLite combines all values of several such lists, so that rows
// are looked up by one of them alone.
var selected = regexp.MustCompile(`(?i)\bin\s*(\(\s*(select|with|values|table)\b|\w)`)

// inspect finds in the program of a statement by what else than bytes it compares columns, whether it
// distinguishes rows of a table by their numbers, and what it joins.
func (t *Tables) inspect(sql string, values []driver.NamedValue) {
	all, err := programOf(t.ctx, t.conn.(driver.QueryerContext), sql, values)
	if err != nil { // it will fail when it runs, or is an EXPLAIN
		t.collates, t.numbered = collation{true, true}, true
		return
	}
	of := map[int64]bool{}     // cursors of virtual tables
	from := map[int64]uint64{} // the column of a virtual table that a register was given last
	read := map[int64]bool{}   // registers that were given a value of a row last
	var asBytes, asText, asNumber uint64
	for _, x := range all {
		switch x.op {
		case "SorterOpen":
			continue
		case "VOpen":
			of[x.p1] = true
			continue
		case "VFilter":
			for _, v := range t.tables {
				for _, p := range v.plans {
					joins := func(a arg) bool {
						return isEqual(a.op) && !v.isOfBuild(a.column) && read[x.p3+2+int64(slices.Index(p.args, a))]
					}
					t.joins[x.p4] = t.joins[x.p4] || p.name == x.p4 && slices.ContainsFunc(p.args, joins)
				}
			}
		case "Rowid":
			t.numbered = t.numbered || of[x.p1]
			continue
		case "String8":
			delete(from, x.p2)
			delete(read, x.p2)
		case "Column":
			read[x.p3] = true
		case "VColumn":
			from[x.p3], read[x.p3] = bit(int(x.p2)), true
		case "Eq", "Ne": // the column was read for it right before
			columns := from[x.p1] | from[x.p3]
			switch x.p5 & 0x47 { // the affinity that both sides are given
			case 0x40, 0x41:
				asBytes |= columns
			case 0x42:
				asText |= columns
			default:
				asNumber |= columns
			}
		}
		t.collates.noCase = t.collates.noCase || strings.Contains(x.p4, "NOCASE")
		t.collates.rtrim = t.collates.rtrim || strings.Contains(x.p4, "RTRIM")
	}
	if t.collates != (collation{}) {
		return
	}
	t.exact, t.asText = (asBytes^asText)&^asNumber, asText
	entries := t.tables["entries"]
	if entries == nil {
		return
	}
	own, _ := programOf(t.ctx, t.conn.(driver.QueryerContext), "SELECT 1 FROM temp.entries", nil)
	for _, x := range own {
		if x.op == "VOpen" {
			entries.compared = comparedAlone(all, entries, x.p4, strings.Contains(strings.ToLower(sql), "order"))
		}
	}
}

// bit is the bit of a column.
func bit(column int) uint64 { return 1 << min(column, 63) }

// End ends the statement and forgets its rows.
func (t *Tables) End() (err error) {
	for _, v := range t.tables {
		v.forget()
	}
	if t.held != nil {
		err = t.held.Close()
	}
	err = errors.Join(err, t.statements.Close())
	t.statements = conn.StatementsOn(t.conn)
	t.held, t.texts, t.places, t.ctx = nil, nil, nil, context.Background()
	return err
}

// Err returns the error of a table that ended the statement, of which SQLite passes on
// nothing.
func (t *Tables) Err() error { return t.failed }

func (t *Tables) fail(err error) error {
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

// ids returns the texts of the catalog.
func (t *Tables) ids() (x *ids, err error) {
	if t.texts == nil {
		t.texts, err = newIDs(t.ctx, t.statements)
	}
	return t.texts, err
}

// offsets returns the offsets of entries.
func (t *Tables) offsets() (o *rows.Offsets, err error) {
	if t.places == nil {
		t.places, err = rows.NewOffsets(t.ctx, t.statements)
	}
	return t.places, err
}

// each calls row for the rows of a query, which may run in the middle of a statement.
func (t *Tables) each(sql string, args []driver.Value, row func([]driver.Value)) error {
	return t.statements.EachRow(t.ctx, sql, args, row)
}

// VolatileArgs has Filter get texts where SQLite has them, which are whole and not copied.
func (t *Tables) VolatileArgs() bool { return true }

// Create is Connect.
func (t *Tables) Create(c vtab.Context, args []string) (vtab.Table, error) { return t.Connect(c, args) }

// Connect declares the table of a view. args are the module, the schema and the name.
func (t *Tables) Connect(c vtab.Context, args []string) (vtab.Table, error) {
	v := t.tables[args[2]]
	if v == nil {
		return nil, fmt.Errorf("%s serves the views of the catalog", moduleName)
	}
	var b strings.Builder
	for i, column := range v.columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(column.name) + " " + column.kind)
		if column.collation != "" {
			b.WriteString(" COLLATE " + column.collation)
		}
	}
	return v, c.Declare("CREATE TABLE x (" + b.String() + ")")
}

// table is the virtual table of a view.
type table struct {
	*Tables
	name      string
	columns   []column
	build     int // the column, -1 for none
	buildID   int
	recursive bool // each row is computed from others

	// Of the statement that runs.
	used     uint64 // columns that it reads
	compared uint64 // columns of texts that it only compares with each other, so that their ids do
	plans    []*plan
	stores   map[int64]*store // rows that are kept, by the build
	pool     *pool
	served   map[string]bool // conditions that an index of the file serves
}

type column struct{ name, kind, collation string }

// describe finds the columns of the view, as SQLite knows them.
func (t *table) describe() error {
	var order []string
	// What is CAST to INTEGER has the type INT, and NUM in UNION ALL.
	if err := t.each("SELECT name, iif(type IN ('INT', 'NUM'), 'INTEGER', type) FROM pragma_table_info(?1, 'main') ORDER BY cid", []driver.Value{t.name}, func(v []driver.Value) {
		var c column
		c.name, _ = v[0].(string)
		c.kind, _ = v[1].(string)
		t.columns, order = append(t.columns, c), append(order, "+"+quoted(c.name))
	}); err != nil {
		return err
	}
	// Nothing shows the collation of a view's column but the sorter of a statement.
	err := t.each(fmt.Sprintf("EXPLAIN SELECT * FROM main.%s ORDER BY %s", quoted(t.name), strings.Join(order, ", ")), nil, func(v []driver.Value) {
		key, _ := v[5].(string)
		key, _ = strings.CutPrefix(key, fmt.Sprintf("k(%d,", len(order)))
		by := strings.Split(strings.TrimSuffix(key, ")"), ",")
		if v[1] != "SorterOpen" || len(by) != len(order) {
			return
		}
		for i, name := range by {
			if name != "B" && name != "" {
				t.columns[i].collation = name
			}
		}
	})
	t.build, t.buildID = t.column("build"), t.column("build_id")
	t.recursive = strings.Contains(t.views[t.name], "RECURSIVE")
	t.forget()
	t.served = map[string]bool{}
	return err
}

// column returns the place of a column, -1 for none.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
}

// forget forgets the statement that ran.
func (t *table) forget() { t.used, t.compared, t.plans, t.stores, t.pool = 0, 0, nil, nil, nil }

// plan is a way to find rows, as BestIndex chose it.
type plan struct {
	name    string
	args    []arg
	key     []int // columns that are compared with values, but for the build
	keyName string
	ofBuild []int // args that builds are compared with
	filters int   // how often it ran in this statement
	lookups int   // of these, by an index of the file
}

// arg is a column that is compared with an argument of Filter.
type arg struct {
	column int
	op     vtab.ConstraintOp
	key    bool // it is the first one of a column of the key
	exact  bool // SQLite does not compare them again
}

// BestIndex takes all columns that are compared with known values.
func (t *table) BestIndex(info *vtab.IndexInfo) error {
	t.used |= info.ColUsed
	p := &plan{}
	best := -1
	if t.single {
		for i := range info.Constraints {
			if c := &info.Constraints[i]; t.isKey(c) && (best < 0 || t.perValue(c.Column) < t.perValue(info.Constraints[best].Column)) {
				best = i
			}
		}
	}
	for i := range info.Constraints {
		c := &info.Constraints[i]
		key := t.isKey(c)
		if !t.takes(c) || best >= 0 && key && i != best {
			continue
		}
		c.ArgIndex = len(p.args)
		if t.isOfBuild(c.Column) {
			p.ofBuild = append(p.ofBuild, len(p.args))
		}
		c.Omit = c.Op == vtab.OpEQ && t.isExact(c.Column)
		key = key && !slices.Contains(p.key, c.Column)
		p.args = append(p.args, arg{c.Column, c.Op, key, c.Omit})
		if key {
			p.key = append(p.key, c.Column)
		}
	}
	p.keyName = fmt.Sprint(p.key)
	t.estimate(info, p)
	p.name = t.nameOf(p)
	n := slices.IndexFunc(t.plans, func(other *plan) bool { return other.name == p.name })
	if n < 0 {
		n = len(t.plans)
		t.plans = append(t.plans, p)
	}
	info.IdxNum, info.IdxStr = int64(n), p.name
	return nil
}

// takes reports whether a condition finds rows.
func (t *table) takes(c *vtab.Constraint) bool {
	return c.Usable && c.Column >= 0 && c.Column < len(t.columns) &&
		(isEqual(c.Op) || c.Op == vtab.OpNE || isPattern(c.Op) || isOrder(c.Op) && t.columns[c.Column].kind == "INTEGER")
}

// isExact reports whether a column equals a value if [isSame] says so. SQLite takes
// nobody's word for conditions from the sixteenth on.
func (t *table) isExact(column int) bool {
	return t.columns[column].kind == "TEXT" && column < 63 && t.exact&bit(column) != 0
}

// isKey reports whether a condition compares a column with one value, but for the build.
func (t *table) isKey(c *vtab.Constraint) bool {
	return t.takes(c) && isEqual(c.Op) && !t.isOfBuild(c.Column)
}

// isOfBuild reports whether all rows of a build have the same value in a column.
func (t *table) isOfBuild(column int) bool { return column == t.build || column == t.buildID }

// nameOf says what a plan compares, for EXPLAIN QUERY PLAN.
func (t *table) nameOf(p *plan) string {
	var b strings.Builder
	for i, a := range p.args {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(t.columns[a.column].name + inSQL[a.op])
	}
	return b.String()
}

// estimate says what a plan costs and yields.
func (t *table) estimate(info *vtab.IndexInfo, p *plan) {
	rows := t.size()
	for _, a := range p.args {
		switch {
		case isEqual(a.op) && t.isOfBuild(a.column):
			rows /= float64(max(1, len(t.builds)))
		case isPattern(a.op):
			rows /= 4
		}
	}
	found := rows
	for _, column := range p.key {
		found = min(found, max(1, rows*t.perValue(column)))
	}
	found = max(1, found)
	info.EstimatedRows, info.EstimatedCost = int64(found), 2*found+8
	if len(p.key) == 0 {
		info.EstimatedCost = 2*t.size() + 8
	}
}

// size estimates how many rows the view has.
func (t *table) size() float64 {
	switch {
	case t.name == "entries":
		return float64(t.total) + 1
	case t.name == "builds":
		return float64(len(t.builds)) + 1
	case t.column("path_id") < 0 && t.column("content_id") < 0:
		return math.Sqrt(float64(t.total)) + 10
	}
	return float64(t.total)/2 + 10
}

// perValue guesses which share of the rows has one value of a column.
func (t *table) perValue(column int) float64 {
	switch name := t.columns[column].name; {
	case name == "archive" || name == "archive_id":
		return 0.3
	case slices.Contains(telling, name), strings.HasSuffix(name, "_id"), strings.HasSuffix(name, "_key"), strings.HasSuffix(name, "path"), strings.HasSuffix(name, "guid"):
		return 4 / t.size()
	case strings.HasSuffix(name, "name"), name == "value", name == "size", name == "offset", name == "stored":
		return 20 / t.size()
	}
	return 0.05
}

// telling are columns of which few rows have the same value.
var telling = []string{"content", "id", "hash", "digest", "object", "full_name", "asset", "package", "text", "padded_content", "path_hash"}

// Open opens a cursor.
func (t *table) Open() (vtab.Cursor, error) { return &cursor{t: t}, nil }

// Disconnect does nothing.
func (t *table) Disconnect() error { return nil }

// Destroy does nothing.
func (t *table) Destroy() error { return nil }

// columnsUsed returns the columns that the statement reads.
func (t *table) columnsUsed() (columns []int) {
	for i := range t.columns {
		if t.used>>min(i, 63)&1 != 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

// readAs returns the column that is read for one: where texts are only compared with each other, that
// of their ids.
func (t *table) readAs(column int) int {
	if t.compared&bit(column) != 0 {
		return t.column(t.columns[column].name + "_id")
	}
	return column
}

// isPacked reports whether a column is packed in the file, so that SQL has NULL.
func (t *table) isPacked(column int) bool {
	return t.name == "entries" && t.columns[column].name == "offset"
}

// ofBuild is the condition for the rows of a build.
func (t *table) ofBuild(b build) condition {
	if t.buildID >= 0 {
		return condition{"build_id = ?", b.id}
	}
	return condition{"build = ?", b.label}
}

// isSplit reports whether rows are kept by builds.
func (t *table) isSplit() bool { return t.build >= 0 || t.buildID >= 0 }

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
