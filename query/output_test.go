package query_test

import (
	"context"
	"database/sql/driver"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/query"
)

// everything is a result with all that formats have to cope with.
const everything = `SELECT 1 AS n, 'plain' AS text, 1.5 AS real, x'00ff' AS blob, NULL AS "null", 'first' AS text;
SELECT -20, 'comma, "quote" | pipe', 2.0, x'', 'no null', '日本語 <b> & [x] *y* _z_ ` + "`q`" + `' AS text
UNION ALL SELECT 9223372036854775807, 'two
lines and a	tab \ slash', 1e300, NULL, NULL, 'esc' || char(27) || '[31m' || char(0x202e) || char(13)`

func TestFormats(t *testing.T) {
	db := openSmall(t)
	for _, format := range query.Formats() {
		for name, text := range map[string]string{
			"all":   everything,
			"empty": "SELECT build, 1 AS n FROM builds WHERE build = 'none'",
			"named": "SELECT ordinal, path, size FROM entries ORDER BY build_id, ordinal",
		} {
			t.Run(format+"/"+name, func(t *testing.T) {
				got, err := run(t, db, text, query.Args{}, query.Output{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+format, got)
			})
		}
		t.Run(format+"/options", func(t *testing.T) {
			got, err := run(t, db, everything, query.Args{}, query.Output{Format: format, NoHeader: true, Null: "NULL"})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "options."+format, got)
		})
	}
}

func TestEmptyIsTold(t *testing.T) {
	db := openSmall(t)
	for _, format := range query.Formats() {
		calls := 0
		got, err := run(t, db, "SELECT 1 AS n WHERE 0", query.Args{}, query.Output{Format: format, Empty: func() { calls++ }})
		if err != nil {
			t.Fatal(err)
		}
		if (calls == 1) != (got == "") {
			t.Errorf("%s: Empty was called %d times, wrote %q", format, calls, got)
		}
	}
}

// TestMachineFormatsReadBack reads csv and json with the readers of others.
func TestMachineFormatsReadBack(t *testing.T) {
	db := openSmall(t)
	hard := []string{"", "a,b", `q"q`, "two\nlines", `\.`, " space ", "日本\u2028", "\x01\x7f\\"}
	text := "SELECT column1 AS v FROM (VALUES "
	args := query.Args{}
	for i, s := range hard {
		text += strings.Repeat(",", min(i, 1)) + "(?)"
		args.Positional = append(args.Positional, s)
	}
	text += ")"
	got, err := run(t, db, text, args, query.Output{Format: "csv"})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil || len(rows) != len(hard)+1 {
		t.Fatalf("csv: %d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		if row[0] != hard[i] {
			t.Errorf("csv: %q, want %q", row[0], hard[i])
		}
	}
	if got, err = run(t, db, text, args, query.Output{Format: "json"}); err != nil {
		t.Fatal(err)
	}
	var objects []struct{ V string }
	if err := json.Unmarshal([]byte(got), &objects); err != nil || len(objects) != len(hard) {
		t.Fatalf("json: %v\n%s", err, got)
	}
	for i, o := range objects {
		if o.V != hard[i] {
			t.Errorf("json: %q, want %q", o.V, hard[i])
		}
	}
}

func TestJSONKeysAreUnique(t *testing.T) {
	db := openSmall(t)
	got, err := run(t, db, "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a", query.Args{}, query.Output{Format: "jsonl"})
	if want := `{"a":1,"a_3":2,"a_2":3,"a_4":4}` + "\n"; got != want || err != nil {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

// TestTablesAgree compares a table that is held with one whose last row comes after
// the widths were decided.
func TestTablesAgree(t *testing.T) {
	db := openSmall(t)
	const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT i, i * 1.5 AS real, 'Game/日本/' || i || '  ' AS file_path, CASE i WHEN 2 THEN 'x' END AS sparse, CASE WHEN i %% 2 THEN i ELSE 'x' END AS mixed FROM n`
	for _, o := range []query.Output{{}, {NoHeader: true}, {Null: "-"}} {
		boxed, err := run(t, db, fmt.Sprintf(rows, 1000), query.Args{}, o)
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := run(t, db, fmt.Sprintf(rows, 1001), query.Args{}, o)
		if err != nil {
			t.Fatal(err)
		}
		a, b := strings.Split(boxed, "\n"), strings.Split(streamed, "\n")
		if len(b) != len(a)+1 {
			t.Fatalf("%d and %d lines", len(a), len(b))
		}
		for i := range a[:len(a)-2] {
			if a[i] != b[i] {
				t.Fatalf("line %d:\n%s\n%s", i, a[i], b[i])
			}
		}
		if bottom := len(a) - 2; a[bottom] != b[bottom+1] {
			t.Errorf("bottom:\n%s\n%s", a[bottom], b[bottom+1])
		}
	}
}

func TestTableNeverCuts(t *testing.T) {
	db := openSmall(t)
	long := strings.Repeat("Game/Content/", 100)
	for _, n := range []int{10, 5000} {
		text := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			SELECT i, CASE WHEN i = %d THEN :long ELSE 'x' END AS path FROM n`, n, n)
		got, err := run(t, db, text, query.Args{Named: map[string]driver.Value{"long": long}}, query.Output{})
		if err != nil || !strings.Contains(got, " "+long+" ") {
			t.Errorf("%d rows: the long cell is not whole (%v)", n, err)
		}
	}
}

// manyRows are more than 16 MiB in any format, and in memory.
const manyRows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000) " +
	"SELECT i, 'Game/Content/Characters/File' || hex(zeroblob(40)) || i || '.uasset' AS path, i * 0.5 AS half FROM n"

// watcher counts lines and samples the heap.
type watcher struct {
	lines, writes int
	peak          uint64
	first         time.Time
}

func (w *watcher) Write(p []byte) (int, error) {
	if w.first.IsZero() {
		w.first = time.Now()
	}
	w.lines += strings.Count(string(p), "\n")
	if w.writes++; w.writes%50 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.peak = max(w.peak, m.HeapInuse)
	}
	return len(p), nil
}

func TestManyRowsInFlatMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("120,000 rows in each format, and their memory is measured")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever GOGC is
	db := openSmall(t)
	for _, format := range testkit.Some(query.Formats(), 2) {
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before) // what other tests left
		w := &watcher{}
		begun := time.Now()
		err := db.Run(context.Background(), manyRows, query.Args{}, query.Output{W: w, Format: format})
		if err != nil || w.lines < 120_000 {
			t.Fatalf("%s: %d lines, %v", format, w.lines, err)
		}
		t.Logf("%-6s %v, first row after %v, heap at most %d KiB, %d before", format, time.Since(begun).Round(time.Millisecond),
			w.first.Sub(begun).Round(time.Microsecond), w.peak>>10, before.HeapInuse>>10)
		if w.peak > 2*before.HeapInuse+8<<20 { // twice is when the collector begins
			t.Errorf("%s: heap of %d MiB, %d before", format, w.peak>>20, before.HeapInuse>>20)
		}
	}
}

func TestFirstRowComesAtOnce(t *testing.T) {
	db := openSmall(t)
	for _, format := range []string{"json", "jsonl", "csv", "tsv", "md", "line"} {
		ctx, cancel := context.WithCancel(context.Background())
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			// The second row takes forever.
			err := db.Run(ctx, `SELECT 'first' AS n UNION ALL SELECT * FROM (
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0)`,
				query.Args{}, query.Output{W: w, Format: format})
			_ = w.Close()
			done <- err
		}()
		buf := make([]byte, 1<<10)
		n, err := r.Read(buf)
		if err != nil || !strings.Contains(string(buf[:n]), "first") {
			t.Errorf("%s: %q %v", format, buf[:n], err)
		}
		cancel()
		go func() { _, _ = io.Copy(io.Discard, r) }()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want context.Canceled", format, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: cancelling between two rows does not end the statement", format)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	db := openSmall(b)
	const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) " +
		"SELECT i, 'Game/Content/Characters/File' || hex(zeroblob(40)) || i || '.uasset' AS path, i * 0.5 AS half FROM n"
	for _, format := range query.Formats() {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := db.Run(context.Background(), rows, query.Args{}, query.Output{W: io.Discard, Format: format}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(100000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// A table with a text of many megabytes has the shape of any other, and does not
// take 30 times its memory.
func TestTableOfHugeText(t *testing.T) {
	testkit.NotShort(t)
	db := openSmall(t)
	const n = 4 << 20
	const sql = "SELECT hex(zeroblob(2097152)) AS x, 1 AS n"
	got, err := run(t, db, sql, query.Args{}, query.Output{})
	bar := strings.Repeat("─", n+2)
	want := "┌" + bar + "┬───┐\n│ x" + strings.Repeat(" ", n) + "│ n │\n├" + bar + "┼───┤\n│ " + strings.Repeat("0", n) + " │ 1 │\n└" + bar + "┴───┘\n"
	if got != want || err != nil {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := db.Run(t.Context(), sql, query.Args{}, query.Output{W: io.Discard}); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 10*n {
		t.Errorf("%d bytes were allocated for %d", took, n)
	}
}

// TestTablesForPeople: sizes are numbers for programs, and columns without values are left
// out, unless NULL has a text.
func TestTablesForPeople(t *testing.T) {
	db := openSmall(t)
	const text = "SELECT NULL AS a, 1536 AS size, NULL AS b, 1536 AS n UNION ALL SELECT NULL, NULL, NULL, 2"
	for format, want := range map[string]string{
		"table": `
┌─────────┬──────┐
│    size │    n │
├─────────┼──────┤
│ 1.5 KiB │ 1536 │
│         │    2 │
└─────────┴──────┘
`,
		"md":    "\n| a | size | b | n |\n| --- | ---: | --- | ---: |\n|  | 1.5 KiB |  | 1536 |\n|  |  |  | 2 |\n",
		"line":  "\n   a = \nsize = 1.5 KiB\n   b = \n   n = 1536\n\n   a = \nsize = \n   b = \n   n = 2\n",
		"csv":   "\na,size,b,n\n,1536,,1536\n,,,2\n",
		"jsonl": "\n{\"a\":null,\"size\":1536,\"b\":null,\"n\":1536}\n{\"a\":null,\"size\":null,\"b\":null,\"n\":2}\n",
	} {
		var hidden []string
		out := query.Output{Format: format, Bytes: []string{"size"}, Hidden: func(columns []string) { hidden = append(hidden, columns...) }}
		got, err := run(t, db, text, query.Args{}, out)
		if err != nil || "\n"+got != want {
			t.Errorf("%s: %v\n%s\nwant%s", format, err, got, want)
		}
		if (format == "table") != (strings.Join(hidden, ",") == "a,b") {
			t.Errorf("%s hid %q", format, hidden)
		}
	}
	for _, c := range []struct{ text, null, want string }{
		{"SELECT NULL AS a, 1 AS b", "-", "│ - │ 1 │"},
		{"SELECT NULL AS a, NULL AS b", "", "│ a │ b │"},
		{"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500) SELECT CASE i WHEN 1400 THEN 'late' END AS a, i FROM n", "", "│ late"},
	} {
		got, err := run(t, db, c.text, query.Args{}, query.Output{Null: c.null})
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, no %q in\n%.300s", c.text, err, c.want, got)
		}
	}
}
