package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// Statements runs queries on a connection of its own and compiles each of them once,
// which costs more than many of them do. It is for one goroutine at a time, and a query
// must not be run for the rows of another.
type Statements struct {
	db       *sql.DB
	conn     *sql.Conn   // nil until it is needed
	on       driver.Conn // in place of both
	compiled map[string]driver.Stmt
	together bool // see [Statements.Together]
}

// NewStatements returns the queries of a database. The caller closes it.
func NewStatements(db *sql.DB) *Statements {
	return &Statements{db: db, compiled: map[string]driver.Stmt{}}
}

// StatementsOn returns queries on a connection that may be in the middle of a statement.
// They see what that statement sees. No context interrupts them: it would interrupt the
// statement as well.
func StatementsOn(c driver.Conn) *Statements {
	return &Statements{on: c, compiled: map[string]driver.Stmt{}, together: true}
}

// raw calls do with the connection.
func (s *Statements) raw(ctx context.Context, do func(driver.Conn) error) error {
	if s.on != nil {
		return do(s.on)
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	return s.conn.Raw(func(c any) error { return do(c.(driver.Conn)) })
}

// Together calls do, whose queries see one state: the file is locked once for all of them,
// which for each takes as long as most queries. So long no other process can begin to
// write, so do is to be short.
func (s *Statements) Together(ctx context.Context, do func() error) (err error) {
	if err := s.connect(ctx); err != nil {
		return err
	}
	// A query that is not at its end keeps the lock. Catalogs that are open for reading
	// admit no BEGIN.
	var rows driver.Rows
	err = s.conn.Raw(func(c any) error {
		st, err := s.compile(c.(driver.Conn), "SELECT name FROM sqlite_schema")
		if err == nil {
			rows, err = st.(driver.StmtQueryContext).QueryContext(ctx, nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.together = true
	defer func() {
		s.together = false
		err = errors.Join(err, s.conn.Raw(func(any) error { return rows.Close() }))
	}()
	return do()
}

func (s *Statements) connect(ctx context.Context) (err error) {
	if s.conn == nil {
		s.conn, err = s.db.Conn(ctx)
	}
	return err
}

func (s *Statements) compile(c driver.Conn, query string) (st driver.Stmt, err error) {
	if st = s.compiled[query]; st != nil {
		return st, nil
	}
	if st, err = c.Prepare(query); err == nil {
		s.compiled[query] = st
	}
	return st, err
}

// EachRow is the function of that name, with a query that is compiled once.
func (s *Statements) EachRow(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	stopping := ctx
	if s.together { // it waits for no lock, and to watch a context takes a goroutine
		stopping = context.WithoutCancel(ctx)
	}
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return s.raw(ctx, func(c driver.Conn) error {
		st, err := s.compile(c, query)
		if err != nil {
			return err
		}
		rows, err := st.(driver.StmtQueryContext).QueryContext(stopping, named)
		if err != nil {
			return err
		}
		return errors.Join(Drain(ctx, rows, row), rows.Close())
	})
}

// Close gives the connection back.
func (s *Statements) Close() error {
	if s.conn == nil && s.on == nil {
		return nil
	}
	err := s.raw(context.Background(), func(driver.Conn) error {
		var errs []error
		for _, st := range s.compiled {
			errs = append(errs, st.Close())
		}
		return errors.Join(errs...)
	})
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close())
	}
	s.conn, s.compiled = nil, map[string]driver.Stmt{}
	return err
}
