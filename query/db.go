package query

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/internal/process"
	"pakdb/internal/stored"
	"pakdb/schema"
)

// Options for [Open]. The zero value works.
type Options struct {
	// Functions are SQL functions beside those of this package.
	Functions []schema.Function
	// Tables are functions that yield rows.
	Tables []schema.TableFunction
	// Contents serves content_text and content_blob, which fail without it.
	// It is not closed by [DB.Close].
	Contents *Contents
}

// DB is a catalog opened for questions. It runs one statement at a time;
// others wait. Nothing it is asked to do can write to any file.
type DB struct {
	Catalog        string                 // the path it was opened by
	Functions      []schema.Function      // of SQL, beside SQLite's own
	TableFunctions []schema.TableFunction // they yield rows

	mu   sync.Mutex
	open *session // nil after a statement was given up
}

// Open opens the catalog at path. Its errors are of class ErrCatalog. The
// caller closes it.
func Open(ctx context.Context, catalog string, o Options) (*DB, error) {
	db := &DB{Catalog: catalog, Functions: append(Functions(o.Contents), o.Functions...), TableFunctions: o.Tables}
	if _, err := db.session(ctx); err != nil {
		return nil, err
	}
	return db, nil
}

// Close closes the catalog.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.open == nil {
		return nil
	}
	err := db.open.sql.Close()
	db.open = nil
	return err
}

// patience is how long a statement may take to end once its context is done.
const patience = 500 * time.Millisecond

// one runs a statement that ctx ends within [patience]: columns is called once, row for every row.
// The values belong to row until it returns.
// SQLite looks between its operations whether it should end; one that takes long, such as
// a function on a text of many megabytes, is given up with its connection, and ends
// when it ends. It cannot write to anything, and neither function is called any more.
func (db *DB) one(ctx context.Context, st Statement, args Args, columns func([]string) error, row func([]driver.Value) error) error {
	values, err := args.bind(st)
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	s, err := db.session(ctx)
	if err != nil {
		return err
	}
	run := &statement{text: st.SQL, values: values, columns: columns, row: row, done: make(chan struct{})}
	var result error
	go func() {
		defer close(run.done)
		result = process.RescueCall(func() error { return s.run(ctx, run) })
	}()
	select {
	case <-run.done:
		return result
	case <-ctx.Done():
	}
	select {
	case <-run.done:
		return result
	case <-time.After(patience):
	}
	run.leave()
	db.open = nil
	go func() {
		<-run.done
		_ = s.sql.Close()
	}()
	return &classed{class: ErrLeft, err: interrupted(ctx, st.SQL, ErrLeft)}
}

// ErrLeft means that a statement was to end, and that an operation of it which
// cannot be interrupted runs on, until it is done or the process ends.
var ErrLeft = errors.New("an operation that cannot be interrupted runs on, and ends by itself")

// Texts runs a query of this program's own and returns its first column, as
// text.
func (db *DB) Texts(ctx context.Context, query string, args ...driver.Value) ([]string, error) {
	var all []string
	err := db.one(ctx, Statement{SQL: query}, Args{Positional: args}, func([]string) error { return nil }, func(row []driver.Value) error {
		all = append(all, text(row[0], ""))
		return nil
	})
	return all, err
}

// Tables returns the names of the views, which are the stable surface, then
// those of the tables.
func (db *DB) Tables(ctx context.Context) (views, tables []string, err error) {
	if views, err = db.Texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name"); err != nil {
		return nil, nil, err
	}
	tables, err = db.Texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'x_search_*_*' ORDER BY name")
	return views, tables, err
}

// Columns returns the columns of a table or view, none if there is no such
// thing.
func (db *DB) Columns(ctx context.Context, table string) ([]string, error) {
	return db.Texts(ctx, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
}

// SQLFunctions returns the names of all SQL functions there are.
func (db *DB) SQLFunctions(ctx context.Context) ([]string, error) {
	return db.Texts(ctx, "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' AND name <> ? ORDER BY name", runFunction)
}

// Run runs the statements of an SQL text one after the other and writes their
// results to out. It ends at the first error; what was written by then stays
// written. A name in args that no statement uses is an error, as is a parameter
// without a value; :build alone has one, the newest build.
func (db *DB) Run(ctx context.Context, text string, args Args, out Output) error {
	statements := Split(text)
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	w, err := out.writer()
	if err != nil {
		return err
	}
	for _, s := range statements {
		err := db.one(ctx, s, args, w.columns, w.row)
		if errors.Is(err, ErrLeft) {
			return err // w may still be in use
		}
		if err == nil {
			err = w.end()
		}
		if err != nil {
			err, flush := db.describe(ctx, text, s, err), w.buf.Flush()
			if flush == nil || errors.Is(err, flush) { // a write that failed fails the flush, too
				return err
			}
			return errors.Join(err, flush)
		}
	}
	return w.buf.Flush()
}

// Each runs one statement of a user's: columns is called once, row for every row, whose values
// belong to it until it returns. An error of either ends the statement and is returned. The
// parameter build has a value as for [DB.Run].
func (db *DB) Each(ctx context.Context, text string, args Args, columns func([]string) error, row func([]driver.Value) error) error {
	statements := Split(text)
	if len(statements) != 1 {
		return Usagef("", "%d statements; one is wanted", len(statements))
	}
	args, err := db.withBuild(ctx, statements, args)
	if err != nil {
		return err
	}
	if err := db.one(ctx, statements[0], args, columns, row); err != nil {
		return db.describe(ctx, text, statements[0], err)
	}
	return nil
}

// withBuild reports values that no statement takes, most likely a typing error, and gives :build its
// default where one asks for it.
func (db *DB) withBuild(ctx context.Context, statements []Statement, args Args) (Args, error) {
	var known []string
	positional := 0
	for _, s := range statements {
		known, positional = append(known, s.names...), max(positional, s.positional)
	}
	if len(args.Positional) > positional {
		return args, Usagef("arguments bind ?; named parameters are given with -p name=value",
			"%d arguments for %d positional parameters", len(args.Positional), positional)
	}
	for name := range args.Named {
		if !slices.Contains(known, name) {
			return args, Usagef(suggest(name, known), "no parameter :%s in the SQL", name)
		}
	}
	if _, given := args.Named["build"]; given || !slices.Contains(known, "build") {
		return args, nil
	}
	build, err := db.Build(ctx, "newest")
	named := map[string]driver.Value{"build": build}
	maps.Copy(named, args.Named)
	args.Named = named
	return args, err
}

// Builds returns the labels of all builds, oldest first.
func (db *DB) Builds(ctx context.Context) ([]string, error) {
	builds, err := db.Texts(ctx, "SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		return nil, db.describe(ctx, "", Statement{}, err)
	}
	return builds, nil
}

// Build returns label if there is such a build; "newest" is the build
// that was added last. Its errors are of class ErrUsage.
func (db *DB) Build(ctx context.Context, label string) (string, error) {
	builds, err := db.Builds(ctx)
	if err != nil {
		return "", err
	}
	if len(builds) == 0 {
		return "", Usagef("run pakdb index first", "%s: the catalog holds no build", db.Catalog)
	}
	switch {
	case slices.Contains(builds, label):
		return label, nil
	case label == "newest":
		return builds[len(builds)-1], nil
	}
	return "", Usagef(suggest(label, builds), "%w: %s", schema.ErrNoBuild, label)
}

// session is a connection. It runs one statement at a time.
type session struct {
	sql     *schema.ReadOnly
	pending func() // what runFunction runs
}

// runFunction is the SQL function that everything runs in; see [session.run].
const runFunction = "pakdb_run"

var errNotRun = errors.New(runFunction + " serves pakdb itself")

// session returns the connection, which it opens if there is none.
func (db *DB) session(ctx context.Context) (_ *session, err error) {
	if db.open != nil {
		return db.open, nil
	}
	s := &session{}
	runPending := func(context.Context, []driver.Value) (driver.Value, error) {
		f := s.pending
		if f == nil {
			return nil, errNotRun
		}
		s.pending = nil
		f()
		return nil, nil
	}
	functions := append([]schema.Function{{Name: runFunction, Call: runPending}, {Name: "randomblob", Args: 1, Call: randomBlob}}, db.Functions...)
	if s.sql, err = schema.OpenReadOnlyWith(ctx, db.Catalog, functions, db.TableFunctions); err != nil {
		return nil, &classed{ErrCatalog, err, CatalogHint(err)}
	}
	db.open = s
	return s, nil
}

// randomBlob is in place of SQLite's own, which takes 5 s for 100 MB and cannot be
// interrupted.
func randomBlob(_ context.Context, args []driver.Value) (driver.Value, error) {
	n, _ := args[0].(int64)
	if n > schema.MaxValue {
		return nil, fmt.Errorf("more than %s", stored.HumanSize(schema.MaxValue))
	}
	var seed [32]byte
	_, _ = rand.Read(seed[:]) // it never fails
	b := make([]byte, max(n, 1))
	_, _ = mathrand.NewChaCha8(seed).Read(b)
	return b, nil
}

// run runs a statement such that ctx ends it at any moment between two operations of
// SQLite. The driver heeds a context while a call of its own lasts, but not between two
// rows: a statement that yields a row and then works for an hour could not be stopped.
// So it runs in an SQL function, inside a statement that the driver watches, and carries
// no context itself, for that would end the watch.
func (s *session) run(ctx context.Context, st *statement) error {
	conn, err := s.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := schema.Bound(conn); err != nil {
		return err
	}
	return conn.Raw(func(c any) error {
		end, err := s.sql.Statement(ctx, c.(driver.Conn), st.text, st.values)
		if err != nil {
			return interrupted(ctx, st.text, err)
		}
		result := errNotRun
		s.pending = func() { result = process.RescueCall(func() error { return st.run(c.(driver.QueryerContext)) }) }
		defer func() { s.pending = nil }()
		_, err = c.(driver.ExecerContext).ExecContext(ctx, "SELECT "+runFunction+"()", nil)
		if result == errNotRun {
			result = err
		}
		return interrupted(ctx, st.text, end(result))
	})
}

// statement is a running statement, which can be given up.
type statement struct {
	text    string
	values  []driver.NamedValue
	columns func([]string) error
	row     func([]driver.Value) error

	done chan struct{} // it has ended
	left atomic.Bool
	mu   sync.Mutex // held during calls back
}

// leave ends all calls back. One that does not return, as a write to a pipe that nobody reads, is
// not waited for.
func (st *statement) leave() {
	st.left.Store(true)
	for range 10 {
		if st.mu.TryLock() {
			st.mu.Unlock()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// back calls f, unless the statement was given up.
func (st *statement) back(f func() error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.left.Load() {
		return ErrLeft
	}
	return f()
}

// run calls columns once, and row for every row.
func (st *statement) run(on driver.QueryerContext) (err error) {
	rows, err := on.QueryContext(context.Background(), st.text, st.values)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := st.back(func() error { return st.columns(rows.Columns()) }); err != nil {
		return err
	}
	values := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := st.back(func() error { return st.row(values) }); err != nil {
			return err
		}
	}
}
