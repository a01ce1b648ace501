package query

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"iter"
	"sync"

	"pakdb/schema"
)

// Options for [Open]. The zero value works.
type Options struct {
	// Functions are SQL functions beside those of this package.
	Functions []Function
	// Tables are functions that yield rows.
	Tables []TableFunction
	// Contents serves content_text and content_blob, which fail without it.
	// It is not closed by [DB.Close].
	Contents *Contents
}

// DB is a catalog opened for questions. It runs one statement at a time;
// others wait. Nothing it is asked to do can write to any file.
type DB struct {
	sql       *sql.DB
	catalog   string
	functions []Function
	tables    []TableFunction

	mu      sync.Mutex
	ctx     context.Context // of the statement that runs, for the SQL functions
	pending func()          // what runFunction runs
	failed  error           // of the last SQL function; SQLite passes on its text alone
}

// runFunction is the SQL function that everything runs in; see [DB.inside].
const runFunction = "pakdb_run"

// Open opens the catalog at path. Its errors are of class ErrCatalog. The
// caller closes it.
func Open(ctx context.Context, catalog string, o Options) (*DB, error) {
	db := &DB{catalog: catalog, ctx: ctx, functions: append(Functions(o.Contents), o.Functions...), tables: o.Tables}
	functions := []schema.Function{{Name: runFunction, Call: db.run}}
	for _, f := range db.functions {
		call := f.Call
		f.Call = func(_ context.Context, args []driver.Value) (v driver.Value, err error) {
			v, db.failed = call(db.ctx, args)
			return v, db.failed
		}
		functions = append(functions, f.Function)
	}
	var err error
	if db.sql, err = schema.OpenReadOnlyWith(ctx, catalog, functions, db.tableFunctions()); err != nil {
		return nil, catalogError(err)
	}
	db.sql.SetMaxOpenConns(1)
	return db, nil
}

// tableFunctions gives them the context of the statement that runs, as the other
// functions have it, and keeps their errors.
func (db *DB) tableFunctions() []schema.TableFunction {
	var all []schema.TableFunction
	for _, t := range db.tables {
		rows := t.Rows
		t.Rows = func(_ context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			return func(yield func([]driver.Value, error) bool) {
				for row, err := range rows(db.ctx, args) {
					if db.failed = err; !yield(row, err) {
						return
					}
				}
			}
		}
		all = append(all, t.TableFunction)
	}
	return all
}

// Close closes the catalog.
func (db *DB) Close() error { return db.sql.Close() }

// Catalog returns the path that the catalog was opened by.
func (db *DB) Catalog() string { return db.catalog }

// TableFunctions returns the functions that yield rows.
func (db *DB) TableFunctions() []TableFunction { return db.tables }

// Functions returns the SQL functions beside SQLite's own.
func (db *DB) Functions() []Function { return db.functions }

// inside calls f with the connection such that ctx ends what f runs at any
// moment. The driver heeds a context while a call of its own lasts, but not
// between two rows: a statement that yields a row and then works for an hour
// could not be stopped. So f runs in an SQL function, inside a statement that
// the driver watches; the statements of f carry no context, for they would end
// the watch.
func (db *DB) inside(ctx context.Context, f func(driver.QueryerContext) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(c any) error {
		result := errNotRun
		outer := db.ctx
		db.failed = nil
		db.ctx, db.pending = ctx, func() { result = f(c.(driver.QueryerContext)) }
		defer func() { db.ctx, db.pending = outer, nil }()
		_, err := c.(driver.ExecerContext).ExecContext(ctx, "SELECT "+runFunction+"()", nil)
		if result == errNotRun {
			result = err
		}
		if result != nil && db.failed != nil {
			result = &functionError{result, db.failed}
		}
		return interrupted(ctx, result)
	})
}

var errNotRun = errors.New(runFunction + " serves pakdb itself")

// functionError is SQLite's error for a statement that a function of ours ended,
// with that function's own.
type functionError struct {
	error
	cause error
}

func (e *functionError) Unwrap() []error { return []error{e.error, e.cause} }

func (db *DB) run(context.Context, []driver.Value) (driver.Value, error) {
	f := db.pending
	if f == nil {
		return nil, errNotRun
	}
	db.pending = nil
	f()
	return nil, nil
}

// each runs one statement: columns is called once, row for every row. The
// values belong to row until it returns.
func each(q driver.QueryerContext, query string, args []driver.NamedValue,
	columns func([]string) error, row func([]driver.Value) error) (err error) {
	rows, err := q.QueryContext(context.Background(), query, args)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := rows.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := columns(rows.Columns()); err != nil {
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
		if err := row(values); err != nil {
			return err
		}
	}
}

// Texts runs a query of this program's own and returns its first column, as
// text.
func (db *DB) Texts(ctx context.Context, query string, args ...driver.Value) ([]string, error) {
	var all []string
	values := make([]driver.NamedValue, len(args))
	for i, v := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	err := db.inside(ctx, func(q driver.QueryerContext) error {
		return each(q, query, values, func([]string) error { return nil }, func(row []driver.Value) error {
			all = append(all, text(row[0], ""))
			return nil
		})
	})
	return all, err
}
