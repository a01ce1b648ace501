package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"time"

	"pakdb/internal/rescue"
	"pakdb/schema/views"
)

// sessions are the connections of a catalog, one for each spelling of its views. They
// run one statement at a time; others wait.
type sessions struct {
	catalog string
	options Options

	mu   sync.Mutex
	open map[views.Spelling]*session // those that were wanted and not left behind

	wanted map[views.Spelling]bool // before, some of them
	turn   int                     // of the last one
}

// close closes all connections.
func (p *sessions) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for spelling, s := range p.open {
		errs = append(errs, s.sql.Close())
		delete(p.open, spelling)
	}
	return errors.Join(errs...)
}

// maxOpen is how many connections may be open: for the spellings of one statement that
// runs again and again.
const maxOpen = 3

// of returns the connection whose views are spelled so. To open one, which reads the schema
// of the catalog, takes several times as long as to write the views of an open one anew. So
// only a spelling that is wanted again gets one of its own.
func (p *sessions) of(ctx context.Context, spelling views.Spelling) (*session, error) {
	s := p.open[spelling]
	if s == nil {
		var err error
		if s, err = p.spelled(ctx, spelling); err != nil {
			return nil, catalogError(err)
		}
		p.open[spelling] = s
	}
	p.turn++
	s.turn = p.turn
	return s, nil
}

// spelled writes the views of the connection that was not wanted for longest, or opens one.
func (p *sessions) spelled(ctx context.Context, spelling views.Spelling) (*session, error) {
	again := p.wanted[spelling]
	if p.wanted == nil || len(p.wanted) > 100 {
		p.wanted = map[views.Spelling]bool{}
	}
	p.wanted[spelling] = true
	if len(p.open) == 0 || again && len(p.open) < maxOpen {
		return openSession(ctx, p.catalog, p.options, spelling)
	}
	var oldest views.Spelling
	for other, s := range p.open {
		if first := p.open[oldest]; first == nil || s.turn < first.turn {
			oldest = other
		}
	}
	s := p.open[oldest]
	delete(p.open, oldest)
	if err := s.sql.Spell(ctx, spelling); err != nil {
		return nil, errors.Join(err, s.sql.Close())
	}
	return s, nil
}

// patience is how long a statement may take to end once its context is done.
const patience = 500 * time.Millisecond

// inside calls f with a statement that ctx ends within [patience]. SQLite looks
// between its operations whether it should end; one that takes long, such as a
// function on a text of many megabytes, is left behind with its connection, and ends
// when it ends. It cannot write to anything, and f hears no more of it.
func (p *sessions) inside(ctx context.Context, spelling views.Spelling, f func(*statement) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, err := p.of(ctx, spelling)
	if err != nil {
		return err
	}
	run := &statement{done: make(chan struct{})}
	var result error
	go func() {
		defer close(run.done)
		result = rescue.Call(func() error { return s.run(ctx, run, f) })
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
	delete(p.open, spelling)
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
	err := p.inside(ctx, views.Spelling{}, func(st *statement) error {
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
