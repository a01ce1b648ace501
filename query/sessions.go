package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"time"

	"pakdb/internal/process"
)

// sessions is the connection of a catalog. It runs one statement at a time; others wait.
type sessions struct {
	catalog string
	options Options

	mu   sync.Mutex
	open *session // nil after a statement was left behind
}

// close closes the connection.
func (p *sessions) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		return nil
	}
	err := p.open.sql.Close()
	p.open = nil
	return err
}

// session returns the connection, which it opens if there is none.
func (p *sessions) session(ctx context.Context) (*session, error) {
	if p.open == nil {
		s, err := openSession(ctx, p.catalog, p.options)
		if err != nil {
			return nil, catalogError(err)
		}
		p.open = s
	}
	return p.open, nil
}

// patience is how long a statement may take to end once its context is done.
const patience = 500 * time.Millisecond

// inside calls f with a statement, text with its values, that ctx ends within [patience]. SQLite looks
// between its operations whether it should end; one that takes long, such as a
// function on a text of many megabytes, is left behind with its connection, and ends
// when it ends. It cannot write to anything, and f hears no more of it.
func (p *sessions) inside(ctx context.Context, text string, values []driver.NamedValue, f func(*statement) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	run := &statement{done: make(chan struct{})}
	var result error
	go func() {
		defer close(run.done)
		result = process.RescueCall(func() error { return s.run(ctx, run, text, values, f) })
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
	if !run.leave() { // it ended just now
		return result
	}
	p.open = nil
	go func() {
		<-run.done
		_ = s.sql.Close()
	}()
	return &leftError{interrupted(ctx, ErrLeft)}
}

// ErrLeft means that a statement was to end, and that an operation of it which
// cannot be interrupted runs on, until it is done or the process ends.
var ErrLeft = errors.New("an operation that cannot be interrupted runs on, and ends by itself")

// leftError is the context's error, and ErrLeft.
type leftError struct{ error }

func (e *leftError) Unwrap() []error { return []error{e.error, ErrLeft} }

// texts runs a query of this program's own and returns its first column, as
// text.
func (p *sessions) texts(ctx context.Context, query string, args ...driver.Value) ([]string, error) {
	var all []string
	values := make([]driver.NamedValue, len(args))
	for i, v := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	err := p.inside(ctx, query, values, func(st *statement) error {
		return st.each(query, values, func([]string) error { return nil }, func(row []driver.Value) error {
			all = append(all, text(row[0], ""))
			return nil
		})
	})
	return all, err
}

// tables returns the names of views, then those of tables.
func (p *sessions) tables(ctx context.Context) (views, tables []string, err error) {
	if views, err = p.texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name"); err != nil {
		return nil, nil, err
	}
	tables, err = p.texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'x_search_*_*' ORDER BY name")
	return views, tables, err
}

func (p *sessions) columns(ctx context.Context, table string) ([]string, error) {
	return p.texts(ctx, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
}

func (p *sessions) functions(ctx context.Context) ([]string, error) {
	return p.texts(ctx, "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' AND name <> ? ORDER BY name", runFunction)
}
