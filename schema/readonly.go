package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"

	"pakdb/internal/process"
	"pakdb/internal/seq"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/views"
)

// Function is a scalar SQL function for read-only connections. Call gets
// int64, float64, string, []byte or nil, and returns one of them; an error ends
// the statement.
type Function struct {
	Name  string
	Args  int    // -1: any number
	Usage string // for help: "human_size(n)"
	Doc   string // one line
	// Pure functions return the same for the same arguments, so SQLite may
	// call them once and use them in more places.
	Pure bool
	Call func(ctx context.Context, args []driver.Value) (driver.Value, error)
}

// OpenReadOnly opens a catalog for queries of users. Whatever SQL it is given,
// it cannot write: the file is opened with mode=ro, and an authorizer admits
// reading only, so that no statement reaches another file either (ATTACH,
// VACUUM INTO), nor makes temporary tables, nor changes the connection.
func OpenReadOnly(ctx context.Context, path string) (*sql.DB, error) {
	db := ReadLater(path)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// ReadLater returns a catalog for reading, which is opened by the first statement. A function of
// SQL asks it: the connection of the statement that runs is not free.
func ReadLater(path string) *sql.DB { return readOnly(context.Background(), path, nil, nil, false).DB }

// ReadOnly is a catalog that [OpenReadOnlyWith] opened.
type ReadOnly struct {
	*sql.DB
	tables []TableFunction
	views  *views.Tables   // nil: the views are as the catalog stores them
	ctx    context.Context // of the statement that runs, for its functions
	failed error           // of a function of it; SQLite passes on the text of an error alone
}

// OpenReadOnlyWith is OpenReadOnly with functions, and functions that yield rows, on one connection.
// There the views are tables that find rows by any column, for statements that run within
// [ReadOnly.Statement]. Functions are handed the context of that.
func OpenReadOnlyWith(ctx context.Context, path string, functions []Function, tables []TableFunction) (*ReadOnly, error) {
	r := readOnly(ctx, path, functions, tables, true)
	if err := r.PingContext(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// readOnly returns a catalog of which no connection is open yet.
func readOnly(ctx context.Context, path string, functions []Function, tables []TableFunction, asked bool) *ReadOnly {
	d, r := &sqlite.Driver{}, &ReadOnly{tables: tables, ctx: ctx}
	errs := []error{countTemporary()}
	for _, f := range functions {
		errs = append(errs, d.RegisterFunction(f.Name, &sqlite.FunctionImpl{NArgs: int32(f.Args), Deterministic: f.Pure,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (v driver.Value, err error) {
				err = r.call(func() (err error) {
					v, err = f.Call(r.ctx, args)
					return err
				})
				return v, err
			}}))
	}
	for i := range tables {
		errs = append(errs, d.RegisterModule(tables[i].moduleName(), &tableModule{&tables[i], r}))
	}
	if asked {
		var err error
		r.views, err = views.Register(d)
		errs = append(errs, err)
	}
	path = file.Resolve(path)
	r.DB = sql.OpenDB(stored{path, conn.Connector{On: d, Err: errors.Join(errs...), SetUp: r.restrict(ctx), DSN: conn.FileURI(path,
		"mode=ro&vfs="+countingName+"&_busy_timeout=10000&_defensive=1&_dqs=0&_pragma=cache_size(-8192)")}})
	if asked {
		r.SetMaxOpenConns(1) // the tables of views serve one
	}
	return r
}

// call calls a function of the statement that runs, and keeps its error. A panic that passed
// through SQLite would end the process.
func (r *ReadOnly) call(f func() error) error {
	err := process.RescueCall(f)
	if err != nil && !errors.Is(err, seq.ErrEnough) {
		r.failed = err
	}
	return err
}

// functionError is SQLite's error for a statement that a function ended, with that of the function.
type functionError struct {
	error
	cause error
}

func (e *functionError) Unwrap() []error { return []error{e.error, e.cause} }

// stored opens connections to a catalog that is there.
type stored struct {
	path string
	conn.Connector
}

// Connect opens a connection. Its errors name the catalog.
func (s stored) Connect(ctx context.Context) (driver.Conn, error) {
	var c driver.Conn
	err := file.IsStored(ctx, s.path)
	if err == nil {
		c, err = s.Connector.Connect(ctx)
	}
	return c, named(s.path, err)
}

// Classes of errors of statements over the tables of views.
var (
	ErrQuadratic   = views.ErrQuadratic   // it reads all rows again for each row of another table
	ErrTooManyRows = views.ErrTooManyRows // its rows take too much memory
)

// Statement prepares the connection for a statement of a user and its values: end is called
// after it, with its error, and returns that of a view or a function if one ended it.
func (r *ReadOnly) Statement(ctx context.Context, c driver.Conn, text string, values []driver.NamedValue) (end func(error) error, err error) {
	r.ctx, r.failed = ctx, nil
	if missing := r.views.Missing(text); len(missing) > 0 {
		guard := c.(sqlite.AuthorizerRegisterer)
		if err := guard.RegisterAuthorizer(nil); err != nil {
			return nil, err
		}
		if err := errors.Join(r.views.Make(missing), guard.RegisterAuthorizer(authorize)); err != nil {
			return nil, err
		}
	}
	if err := r.views.Begin(ctx, text, values); err != nil {
		return nil, errors.Join(err, r.views.End())
	}
	return func(err error) error {
		switch own := r.views.Err(); {
		case err == nil:
		case own != nil:
			err = own
		case r.failed != nil:
			err = &functionError{err, r.failed}
		}
		return errors.Join(err, r.views.End())
	}, nil
}

// restrict returns the function that sets up a new connection: it compares the views of the
// file with ours and makes the table functions and views, then the authorizer takes over. A
// hook of the driver would run too early, before it has the modules.
func (r *ReadOnly) restrict(ctx context.Context) func(driver.Conn) error {
	return func(c driver.Conn) error {
		ctx := context.WithoutCancel(ctx)
		if err := layout.Check(ctx, c); err != nil {
			return err
		}
		exec := c.(driver.ExecerContext)
		// The driver's virtual tables have to be created; SQLite takes one that has hidden columns
		// for a function. They are in the temporary database, which is in memory.
		for i := range r.tables {
			t := &r.tables[i]
			if _, err := exec.ExecContext(ctx, fmt.Sprintf("CREATE VIRTUAL TABLE temp.%s USING %s", t.Name, t.moduleName()), nil); err != nil {
				return fmt.Errorf("table function %s: %w", t.Name, err)
			}
		}
		if r.views != nil {
			if err := r.views.Bind(c); err != nil {
				return err
			}
		}
		_, err := exec.ExecContext(ctx, "PRAGMA query_only = 1", nil)
		return errors.Join(err, c.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(authorize))
	}
}

// readPragmas only read. Those that would also set something are admitted
// without an argument alone.
var readPragmas = map[string]bool{ // true: takes an argument that only selects
	"application_id": false, "collation_list": false, "compile_options": false, "data_version": false,
	"database_list": false, "encoding": false, "foreign_key_check": true, "foreign_key_list": true,
	"freelist_count": false, "function_list": false, "index_info": true, "index_list": true,
	"index_xinfo": true, "integrity_check": true, "module_list": false, "page_count": false,
	"page_size": false, "pragma_list": false, "quick_check": true, "schema_version": false,
	"table_info": true, "table_list": true, "table_xinfo": true, "user_version": false,
}

// authorize is asked for every action of every statement while it is compiled.
func authorize(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		return sqlite.AuthorizerOK
	case sqlite.AuthFunction:
		if arg2 == "load_extension" {
			return sqlite.AuthorizerDeny
		}
		return sqlite.AuthorizerOK
	case sqlite.AuthPragma:
		if selects, ok := readPragmas[strings.ToLower(arg1)]; ok && (selects || arg2 == "") {
			return sqlite.AuthorizerOK
		}
	}
	return sqlite.AuthorizerDeny
}

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

func (f *TableFunction) moduleName() string { return "pakdb_" + f.Name }

// tableModule is a module and its only table.
type tableModule struct {
	*TableFunction
	on *ReadOnly
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
	c.next, c.stop = iter.Pull2(seq.Of(func(add func([]driver.Value) error) error {
		return c.m.on.call(func() error { return c.m.Rows(c.m.on.ctx, c.args, add) })
	}))
	c.n = 0
	return c.Next()
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
