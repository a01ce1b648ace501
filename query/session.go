package query

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/internal/process"
	"pakdb/internal/stored"
	"pakdb/schema"
)

// session is a connection with its functions. It runs one statement at a time.
type session struct {
	sql     *schema.ReadOnly
	ctx     context.Context // of the statement that runs, for the SQL functions
	pending func()          // what runFunction runs
	failed  error           // of the last SQL function; SQLite passes on its text alone
}

// runFunction is the SQL function that everything runs in; see [session.run].
const runFunction = "pakdb_run"

func openSession(ctx context.Context, catalog string, o Options) (*session, error) {
	s := &session{ctx: ctx}
	functions := []schema.Function{{Name: runFunction, Call: s.runPending}, {Name: "randomblob", Args: 1, Call: randomBlob}}
	for _, f := range o.Functions {
		call := f.Call
		f.Call = func(_ context.Context, args []driver.Value) (v driver.Value, err error) {
			s.failed = process.RescueCall(func() (err error) { // what passes a panic on through SQLite would end the process
				v, err = call(s.ctx, args)
				return err
			})
			return v, s.failed
		}
		functions = append(functions, f)
	}
	var err error
	if s.sql, err = schema.OpenReadOnlyWith(ctx, catalog, functions, s.tableFunctions(o.Tables)); err != nil {
		return nil, err
	}
	return s, nil
}

// randomBlob stands in for SQLite's own, which takes 5 s for 100 MB and cannot be
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

// tableFunctions gives them the context of the statement that runs, as the other
// functions have it, and keeps their errors.
func (s *session) tableFunctions(tables []schema.TableFunction) []schema.TableFunction {
	var all []schema.TableFunction
	for _, t := range tables {
		rows := t.Rows
		t.Rows = func(_ context.Context, args []driver.Value, add func([]driver.Value) error) error {
			var ended error // by the statement
			err := process.RescueCall(func() error {
				return rows(s.ctx, args, func(row []driver.Value) error {
					ended = add(row)
					return ended
				})
			})
			if ended == nil {
				s.failed = err
			}
			return err
		}
		all = append(all, t)
	}
	return all
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
			return interrupted(ctx, err)
		}
		result := errNotRun
		outer := s.ctx
		s.failed = nil
		s.ctx, s.pending = ctx, func() { result = process.RescueCall(func() error { return st.run(c.(driver.QueryerContext)) }) }
		defer func() { s.ctx, s.pending = outer, nil }()
		_, err = c.(driver.ExecerContext).ExecContext(ctx, "SELECT "+runFunction+"()", nil)
		if result == errNotRun {
			result = err
		}
		if result != nil && s.failed != nil {
			result = &functionError{result, s.failed}
		}
		return interrupted(ctx, end(result))
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

func (s *session) runPending(context.Context, []driver.Value) (driver.Value, error) {
	f := s.pending
	if f == nil {
		return nil, errNotRun
	}
	s.pending = nil
	f()
	return nil, nil
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

// leave ends all calls back, and reports false if the statement has
// ended. One that does not return, as a write to a pipe that nobody reads, is not
// waited for.
func (st *statement) leave() bool {
	st.left.Store(true)
	for range 10 {
		if st.mu.TryLock() {
			st.mu.Unlock()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case <-st.done:
		return false
	default:
		return true
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
