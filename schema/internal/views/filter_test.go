package views

import (
	"database/sql"
	"database/sql/driver"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"modernc.org/sqlite/vtab"
)

// TestTestsPassWhatSQLiteFindsTrue: a row that fails a test is none that SQLite finds. Most that
// it does not find fail.
func TestTestsPassWhatSQLiteFindsTrue(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("CREATE TABLE t (x TEXT, y INTEGER)"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func(of ...string) string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(of[r.IntN(len(of))])
		}
		return b.String()
	}
	numbers := []driver.Value{int64(0), int64(-1), int64(7), int64(1<<53 + 1), int64(1 << 53), int64(math.MaxInt64), int64(math.MinInt64),
		0.5, -1.0, float64(1 << 53), 9.3e18, -9.3e18, math.Inf(1), "7", "x", nil}
	passed, failed := 0, 0
	for range 5_000 {
		var a, b driver.Value = text("a", "B", "b", "é", "É", "\xff", "\xc3", "\x00", "[", "-", "/"), text("a", "B", "b", "é", "\xff", "\x00", "%", "_", "*", "?", "[", "]", "^", "[a-c]", "/")
		op, column := []vtab.ConstraintOp{vtab.OpLIKE, vtab.OpGLOB, vtab.OpEQ, vtab.OpNE, vtab.OpIS}[r.IntN(5)], "x"
		if r.IntN(4) == 0 {
			a, b = numbers[r.IntN(7)], numbers[r.IntN(len(numbers))]
			op, column = []vtab.ConstraintOp{vtab.OpGT, vtab.OpGE, vtab.OpLT, vtab.OpLE, vtab.OpEQ, vtab.OpNE}[r.IntN(6)], "y"
		}
		if _, err := db.Exec("DELETE FROM t; INSERT INTO t ("+column+") VALUES (CAST(? AS "+map[string]string{"x": "TEXT", "y": "INTEGER"}[column]+"))", a); err != nil {
			t.Fatal(err)
		}
		var found bool
		if err := db.QueryRow("SELECT count(*) FROM t WHERE "+column+inSQL[op]+" ?", b).Scan(&found); err != nil {
			t.Fatal(err)
		}
		x := test{arg: arg{op: op}, value: b}
		x.prepare()
		may := x.mayBe(a)
		if found && !may {
			t.Fatalf("%q%s %q: fails", a, inSQL[op], b)
		}
		if found {
			passed++
		} else if !may {
			failed++
		}
	}
	if passed < 500 || failed < 2000 {
		t.Errorf("%d are found, %d fail", passed, failed)
	}
}
