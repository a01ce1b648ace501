package clickhouse_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pakdb/query/clickhouse"
	"pakdb/query/portable"
	"pakdb/query/portable/portabletest"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// engine starts ClickHouse, or skips the test.
func engine(t *testing.T) string {
	t.Helper()
	return portabletest.Engine(t, filepath.Join("..", ".."))
}

func client(t *testing.T, address string) *clickhouse.Client {
	t.Helper()
	a, err := clickhouse.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	c := clickhouse.NewClient(a)
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, c *clickhouse.Client, sql string, named map[string]driver.Value) (rows []string) {
	t.Helper()
	err := c.Ask(t.Context(), sql, named, func([]string) error { return nil }, func(row []driver.Value) error {
		line := ""
		for _, v := range row {
			line += portabletest.Value(v) + "|"
		}
		rows = append(rows, line)
		return nil
	})
	if err != nil {
		t.Errorf("%v\n%s", err, sql)
	}
	return rows
}

// documented returns the statements of docs/portable.md that dashboards send.
func documented(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "portable.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if sql, ok := strings.CutPrefix(line, "      SELECT parseDateTime"); ok {
			all = append(all, "SELECT parseDateTime"+strings.TrimSpace(sql))
		}
	}
	if len(all) != 2 {
		t.Fatalf("%d statements", len(all))
	}
	return all
}

// plainly asks the engine without the settings that a client sends.
func plainly(t *testing.T, address, sql string) (rows []string) {
	t.Helper()
	at := "http" + strings.TrimSuffix(strings.TrimPrefix(address, "clickhouse"), "/game") + "/?database=game"
	resp, err := http.Post(at, "text/plain", strings.NewReader(sql+" FORMAT TabSeparated"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v: %s", sql, err, text)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.NewReplacer("\t", "|", `\N`, "NULL", "\n", "|").Replace(line))
	}
	return rows
}

func joined(rows [][]string) (lines []string) {
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "|")+"|")
	}
	return lines
}

// TestEngine: of builds that were pushed ClickHouse answers as SQLite does; builds that are
// pushed again or dropped leave no rows.
func TestEngine(t *testing.T) {
	address := engine(t)
	c := client(t, address)
	catalog := portabletest.Catalog(t, filepath.Join("..", ".."))
	db := schematest.Open(t, catalog)
	for range 2 {
		if err := c.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, build := range portabletest.Builds() {
		if p, err := c.Push(t.Context(), db, build); err != nil || p.Same || p.Rows == 0 {
			t.Fatalf("%+v: %v", p, err)
		}
	}
	if p, err := c.Push(t.Context(), db, portabletest.Odd); err != nil || !p.Same {
		t.Errorf("pushed again: %+v: %v", p, err)
	}
	for _, q := range portabletest.Questions(t, catalog) {
		if got, want := ask(t, c, clickhouse.Portable(q.ForClickHouse()), q.Args), joined(q.Rows); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", q.Name, got, want)
		}
	}
	for _, q := range portabletest.Traps(t, catalog) {
		if got := plainly(t, address, q.SQL); slices.Equal(got, joined(q.Rows)) {
			t.Errorf("%s: the engine answers as SQLite does: %q", q.Name, got)
		}
	}
	for _, v := range portable.Views() {
		var want []string
		for _, build := range portabletest.Builds() {
			err := v.Each(t.Context(), db, build, func(row []portable.Cell) error {
				line := ""
				for _, value := range portable.Values(row) {
					if value == nil {
						value = "NULL"
					}
					line += fmt.Sprint(value) + "|"
				}
				want = append(want, line)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		got := ask(t, c, `SELECT "`+strings.Join(v.Names(), `", "`)+`" FROM `+v.Name, nil)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: other rows\ngot  %.2000q\nwant %.2000q", v.Name, got, want)
		}
	}

	testKeys(t, c)
	// Tables that an earlier pakdb made get the keys.
	for _, sql := range []string{"DROP VIEW entries", "ALTER TABLE pakdb_entries DROP COLUMN path_key, DROP COLUMN content_key"} {
		if err := clickhouse.Run(t.Context(), c, sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	testKeys(t, c)

	for _, sql := range documented(t) {
		if len(ask(t, c, sql, nil)) == 0 {
			t.Errorf("no rows: %s", sql)
		}
	}

	// Another content under the same label takes the place of the first.
	other := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) { portabletest.Tricky(t, c, "2.0", 7) }))
	if _, err := c.Push(t.Context(), other, "2.0"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, c, "SELECT path FROM entries WHERE build = '2.0' AND path LIKE 'Game/only/%'", nil); !slices.Equal(got, []string{"Game/only/7|"}) {
		t.Errorf("after another push: %q", got)
	}
	if there, err := c.Drop(t.Context(), portabletest.Odd); err != nil || !there {
		t.Errorf("drop: %v, %v", there, err)
	}
	if there, err := c.Drop(t.Context(), portabletest.Odd); err != nil || there {
		t.Errorf("second drop: %v, %v", there, err)
	}
	if builds, err := c.Builds(t.Context()); err != nil || !slices.Equal(builds, []string{"1.0", "1.1", "2.0"}) {
		t.Errorf("builds: %q: %v", builds, err)
	}
	if got := ask(t, c, "SELECT count(DISTINCT push) AS n, count(DISTINCT build) AS m FROM pakdb_entries", nil); !slices.Equal(got, []string{"3|3|"}) {
		t.Errorf("pushes in the table: %q", got)
	}
	if p, err := c.Push(t.Context(), db, portabletest.Odd); err != nil || p.Same {
		t.Errorf("pushed after it was dropped: %+v: %v", p, err)
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM entries").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, c, "SELECT count(*) AS n FROM entries", nil); !slices.Equal(got, []string{fmt.Sprint(n) + "|"}) {
		t.Errorf("entries: %q, want %d", got, n)
	}
}

// testKeys compares keys with the texts that they stand for.
func testKeys(t *testing.T, c *clickhouse.Client) {
	t.Helper()
	for _, view := range []string{"entries", "files"} {
		for _, of := range []string{"path", "content"} {
			sql := fmt.Sprintf(`SELECT count(DISTINCT %[1]s) AS n, count(DISTINCT %[1]s_key) AS m, count(*) - count(%[1]s) AS o, count(*) - count(%[1]s_key) AS p,
				sum(CASE WHEN %[1]s IS NULL AND %[1]s_key IS NOT NULL THEN 1 ELSE 0 END) AS q FROM %[2]s`, of, view)
			got := strings.Split(strings.Join(ask(t, c, sql, nil), ""), "|")
			if len(got) != 6 || got[0] != got[1] || got[0] == "0" || got[2] != got[3] || got[4] != "0" {
				t.Errorf("%s of %s: %q", of, view, got)
			}
		}
		sql := "SELECT count(*) AS n FROM " + view + " WHERE content IS NOT NULL AND substring(lower(hex(content_key)), 1, 16) <> substring(content, 1, 16)"
		if got := ask(t, c, sql, nil); !slices.Equal(got, []string{"0|"}) {
			t.Errorf("%s: %q keys are not the beginning of the content", view, got)
		}
	}
	const changed = "SELECT path FROM entries WHERE path IS NOT NULL GROUP BY path HAVING count(DISTINCT content%s) > 1 ORDER BY path"
	texts, byKeys := ask(t, c, fmt.Sprintf(changed, ""), nil), ask(t, c, fmt.Sprintf(changed, "_key"), nil)
	if len(texts) == 0 || !slices.Equal(texts, byKeys) {
		t.Errorf("ever changed: %q by texts, %q by keys", texts, byKeys)
	}
}

// TestInterrupted: a push stops at each of its requests, before or after the engine had it.
// Views show the old build or the new one, and the next push ends in the same rows. Then
// each answer is lost once: requests are made again, and rows are there once.
func TestInterrupted(t *testing.T) {
	address := engine(t)
	target, err := url.Parse("http" + strings.TrimSuffix(strings.TrimPrefix(address, "clickhouse"), "/game"))
	if err != nil {
		t.Fatal(err)
	}
	var mode atomic.Int64  // of what follows
	var left atomic.Int64  // requests until it stops
	var total atomic.Int64 // requests
	seen := sync.Map{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		total.Add(1)
		switch mode.Load() {
		case 1: // dead before the request
			if left.Add(-1) < 0 {
				panic(http.ErrAbortHandler)
			}
		case 2: // dead after it
			if n := left.Add(-1); n < 0 {
				if n == -1 {
					proxy.ServeHTTP(httptest.NewRecorder(), r)
				}
				panic(http.ErrAbortHandler)
			}
		case 3: // each answer is lost once
			if _, again := seen.LoadOrStore(r.URL.RawQuery, true); !again {
				proxy.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	direct, c := client(t, address), client(t, "clickhouse"+strings.TrimPrefix(server.URL, "http")+"/game")
	clickhouse.Hurry(c)
	if err := direct.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var step [2]*sql.DB
	for i := range step {
		step[i] = schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) { portabletest.Tricky(t, c, "1", i) }))
	}
	const look = "SELECT path FROM entries WHERE build = '1' ORDER BY path NULLS FIRST, archive, ordinal"
	var states [2][]string
	for i := range step {
		if _, err := c.Push(t.Context(), step[i], "1"); err != nil {
			t.Fatal(err)
		}
		states[i] = ask(t, direct, look, nil)
	}
	requests := total.Load() / 2
	now := 1
	for n := int64(0); n < requests; n += 1 + rand.Int64N(4) {
		next := 1 - now
		mode.Store(1 + rand.Int64N(2))
		left.Store(n)
		_, err := c.Push(t.Context(), step[next], "1")
		mode.Store(0)
		switch got := ask(t, direct, look, nil); {
		case slices.Equal(got, states[next]):
			now = next
		case !slices.Equal(got, states[now]) || err == nil:
			t.Fatalf("stopped at request %d: neither build: %q: %v", n, got, err)
		}
		if _, err := c.Push(t.Context(), step[next], "1"); err != nil {
			t.Fatalf("after it was stopped at request %d: %v", n, err)
		}
		if got := ask(t, direct, look, nil); !slices.Equal(got, states[next]) {
			t.Fatalf("after it was stopped at request %d: %q", n, got)
		}
		now = next
	}
	mode.Store(3)
	if _, err := c.Push(t.Context(), step[1-now], "1"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, direct, look, nil); !slices.Equal(got, states[1-now]) {
		t.Errorf("answers were lost: %q", got)
	}
}
