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
	conn     *sql.Conn // nil until it is needed
	compiled map[string]driver.Stmt
}

// NewStatements returns the queries of a database. The caller closes it.
func NewStatements(db *sql.DB) *Statements {
	return &Statements{db: db, compiled: map[string]driver.Stmt{}}
}

// EachRow is the function of that name, with a query that is compiled once.
func (s *Statements) EachRow(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) (err error) {
	if s.conn == nil {
		if s.conn, err = s.db.Conn(ctx); err != nil {
			return err
		}
	}
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return s.conn.Raw(func(c any) error {
		st := s.compiled[query]
		if st == nil {
			if st, err = c.(driver.Conn).Prepare(query); err != nil {
				return err
			}
			s.compiled[query] = st
		}
		rows, err := st.(driver.StmtQueryContext).QueryContext(ctx, named)
		if err != nil {
			return err
		}
		return errors.Join(Drain(ctx, rows, row), rows.Close())
	})
}

// Close gives the connection back.
func (s *Statements) Close() error {
	if s.conn == nil {
		return nil
	}
	err := s.conn.Raw(func(any) error {
		var errs []error
		for _, st := range s.compiled {
			errs = append(errs, st.Close())
		}
		return errors.Join(errs...)
	})
	err = errors.Join(err, s.conn.Close())
	s.conn, s.compiled = nil, map[string]driver.Stmt{}
	return err
}
