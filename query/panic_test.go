package query_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"

	"pakdb/internal/process"
	"pakdb/query"
	"pakdb/schema"
)

// panicking is a writer that panics once, as a format of output may.
type panicking struct{ none []byte }

func (p *panicking) Write(b []byte) (int, error) {
	if p.none == nil {
		p.none = []byte{}
		p.none[len(b)] = 1
	}
	return len(b), nil
}

// A panic in the goroutine of a statement is an error of that statement, wherever it
// strikes, and the next statement runs.
func TestPanicsOfStatements(t *testing.T) {
	none := []int64{}
	rows := func(_ context.Context, args []driver.Value, add func([]driver.Value) error) error {
		if err := add([]driver.Value{int64(1)}); err != nil {
			return err
		}
		return add([]driver.Value{none[3]})
	}
	db, err := query.Open(t.Context(), smallCatalog(t), query.Options{
		Functions: []schema.Function{{Name: "strike", Args: 1, Call: func(context.Context, []driver.Value) (driver.Value, error) {
			return none[5], nil
		}}},
		Tables: []schema.TableFunction{{Name: "strikes", Columns: []string{"n"}, Params: []string{"p"}, Rows: rows}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, tt := range []struct {
		sql string
		w   io.Writer
	}{
		{"SELECT strike(1)", io.Discard},
		{"SELECT strike(build) FROM builds", io.Discard},
		{"SELECT n FROM strikes(1)", io.Discard},
		{"SELECT * FROM entries", &panicking{}},
	} {
		err := db.Run(t.Context(), tt.sql, query.Args{}, query.Output{W: tt.w, Format: "csv"})
		if !errors.Is(err, process.ErrPanic) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want a panic, told on one line", tt.sql, err)
		}
		if got := value(t, db, "SELECT 41 + 1"); got != "42" {
			t.Errorf("after %s: %s", tt.sql, got)
		}
	}
}
