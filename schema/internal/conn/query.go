package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
)

// Querier is a database, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each runs a query and calls row for each of its rows, up to the first error of it.
func Each(ctx context.Context, db Querier, row func(*sql.Rows) error, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All returns the rows of a query. columns returns where the columns of a row belong.
func All[T any](ctx context.Context, db Querier, columns func(row *T) []any, query string, args ...any) (all []T, err error) {
	err = Each(ctx, db, func(rows *sql.Rows) error {
		var row T
		err := rows.Scan(columns(&row)...)
		all = append(all, row)
		return err
	}, query, args...)
	return all, err
}

// FirstTexts returns the first column of the rows of a query, which are texts.
func FirstTexts(ctx context.Context, db Querier, query string, args ...any) (texts []string, err error) {
	return All(ctx, db, func(text *string) []any { return []any{text} }, query, args...)
}

// Map returns what a query yields: keys, and the value of each.
func Map[K comparable, V any](ctx context.Context, db Querier, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	return all, Each(ctx, db, func(rows *sql.Rows) error {
		var key K
		var value V
		err := rows.Scan(&key, &value)
		all[key] = value
		return err
	}, query, args...)
}

// MaxID returns the largest id in a column of a table, 0 for an empty one.
func MaxID(ctx context.Context, tx *sql.Tx, table, column string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max("+column+"), 0) FROM "+table).Scan(&id)
	return id, err
}

// ExecAll runs statements, up to the first that fails.
func ExecAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Flat makes one line of a text of SQLite's.
func Flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// EachRow runs a query and calls row for each of its rows; the values belong to
// row until it returns. It goes past database/sql, whose conversions cost more
// than SQLite does.
func EachRow(ctx context.Context, db *sql.DB, query string, args []driver.Value, row func([]driver.Value)) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(c any) error { return EachOn(ctx, c.(driver.QueryerContext), query, numbered(args), row) })
}

// numbered returns arguments as the driver takes them.
func numbered(args []driver.Value) []driver.NamedValue {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}

// EachOn is EachRow on a connection of the driver.
func EachOn(ctx context.Context, c driver.QueryerContext, query string, args []driver.NamedValue, row func([]driver.Value)) error {
	rows, err := c.QueryContext(ctx, query, args)
	if err != nil {
		return err
	}
	return drain(ctx, rows, row)
}

// drain calls row for rows, and closes them. It looks at the context now and then: the driver
// does so only while it compiles and steps to the first row.
func drain(ctx context.Context, rows driver.Rows, row func([]driver.Value)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]driver.Value, len(rows.Columns()))
	for n := 1; ; n++ {
		if err := rows.Next(values); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		row(values)
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Statements runs queries on a connection of its own and compiles each of them once for as many
// as run at a time, which costs more than many of them do. It is for one goroutine at a time.
type Statements struct {
	db       *sql.DB
	held     *sql.Conn                // nil until it is needed, and where the connection is somebody else's
	on       driver.Conn              // of it
	compiled map[string][]driver.Stmt // that do not run; nil after Close
	together bool                     // see [Statements.Together]
}

// NewStatements returns the queries of a database. The caller closes it.
func NewStatements(db *sql.DB) *Statements {
	return &Statements{db: db, compiled: map[string][]driver.Stmt{}}
}

// StatementsOn returns queries on a connection that may be in the middle of a statement.
// They see what that statement sees. No context interrupts them: it would interrupt the
// statement as well.
func StatementsOn(c driver.Conn) *Statements {
	return &Statements{on: c, compiled: map[string][]driver.Stmt{}, together: true}
}

// statementsOf returns queries on the one connection of a database, as [StatementsOn] does.
func statementsOf(ctx context.Context, db *sql.DB) (s *Statements, err error) {
	one, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = one.Raw(func(c any) error {
		s = StatementsOn(c.(driver.Conn))
		return nil
	})
	return s, errors.Join(err, one.Close())
}

// Together calls do, whose queries see one state: the file is locked once for all of them,
// which for each takes as long as most queries. So long no other process can begin to
// write, so do is to be short.
func (s *Statements) Together(ctx context.Context, do func() error) (err error) {
	// A query that is not at its end keeps the lock. Catalogs that are open for reading
	// admit no BEGIN.
	rows, err := s.Query(ctx, "SELECT name FROM sqlite_schema", nil)
	if err != nil {
		return err
	}
	s.together = true
	defer func() {
		s.together = false
		err = errors.Join(err, rows.Close())
	}()
	return do()
}

// Query runs a query. The caller closes its rows.
func (s *Statements) Query(ctx context.Context, query string, args []driver.Value) (driver.Rows, error) {
	if s.on == nil {
		held, err := s.db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		s.held = held
		if err := held.Raw(func(c any) error { s.on = c.(driver.Conn); return nil }); err != nil {
			return nil, err
		}
	}
	r := &running{s: s, query: query}
	if free := s.compiled[query]; len(free) > 0 {
		r.stmt, s.compiled[query] = free[len(free)-1], free[:len(free)-1]
	} else {
		var err error
		if r.stmt, err = s.on.Prepare(query); err != nil {
			return nil, err
		}
	}
	if s.together { // it waits for no lock, and to watch a context takes a goroutine
		ctx = context.WithoutCancel(ctx)
	}
	var err error
	if r.Rows, err = r.stmt.(driver.StmtQueryContext).QueryContext(ctx, numbered(args)); err != nil {
		return nil, errors.Join(err, r.stmt.Close())
	}
	return r, nil
}

// running is the rows of a query, whose end lets its statement run again.
type running struct {
	driver.Rows
	stmt  driver.Stmt
	s     *Statements
	query string
}

// Close ends the query.
func (r *running) Close() error {
	err := r.Rows.Close()
	if r.s.compiled == nil {
		return errors.Join(err, r.stmt.Close())
	}
	r.s.compiled[r.query] = append(r.s.compiled[r.query], r.stmt)
	return err
}

// EachRow is the function of that name, with a query that is compiled once.
func (s *Statements) EachRow(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := s.Query(ctx, query, args)
	if err != nil {
		return err
	}
	return drain(ctx, rows, row)
}

// Close gives the connection back.
func (s *Statements) Close() (err error) {
	for _, free := range s.compiled {
		for _, st := range free {
			err = errors.Join(err, st.Close())
		}
	}
	s.compiled = nil
	if s.held != nil {
		err = errors.Join(err, s.held.Close())
	}
	return err
}
