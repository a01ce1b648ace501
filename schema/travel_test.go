package schema_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	asks "pakdb/query"
	"pakdb/query/export"
	"pakdb/schema"
)

// TestViewsTravel: of a catalog with facts of all kinds every view is exported with all rows
// that have a build.
func TestViewsTravel(t *testing.T) {
	db := fixtureCatalog(t)
	dir := t.TempDir()
	rows := map[string]int64{}
	for _, r := range query(t, db, "SELECT build FROM builds") {
		m, err := export.Build(t.Context(), db, dir, r[0].(string), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for view, files := range m.Views {
			for _, f := range files {
				rows[view] += f.Rows
			}
		}
	}
	filled := 0
	for _, v := range export.Views() {
		want := query(t, db, "SELECT count(*) FROM "+v.Name+" WHERE build IS NOT NULL")[0][0].(int64)
		if rows[v.Name] != want {
			t.Errorf("%s: %d rows, the catalog has %d", v.Name, rows[v.Name], want)
		}
		filled += int(min(want, 1))
	}
	if filled < 50 {
		t.Errorf("only %d views have rows", filled)
	}
}

// TestColumnsTravel adds a view to a catalog, then a column to the view: copies of each kind
// and the shell have it, for a statement that makes it and its line of SCHEMA.md alone.
func TestColumnsTravel(t *testing.T) {
	path := fixtureFile(t)
	columns := []string{"path", "words"}
	schema.Describe(t, "\n### scratch\nA view of a test.\n| build | text | never | label |\n| path | text | never | path |\n| words | integer | never | how many |\n")
	travelled(t, path, columns)
	schema.Describe(t, "| height | number | never | in metres |\n| seen | boolean | never | 1: somebody saw it |\n| at | time | never | when |\n")
	travelled(t, path, append(columns, "height", "seen", "at"))
}

// travelled makes the view scratch of some columns, and compares them with those of its copies.
func travelled(t *testing.T, path string, columns []string) {
	t.Helper()
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	values := map[string]string{"path": "'a/b'", "words": "7", "height": "1.5", "seen": "1", "at": "'2001-02-03 04:05:06'"}
	var list []string
	for _, c := range columns {
		list = append(list, values[c]+" AS "+c)
	}
	if _, err := file.Exec("DROP VIEW IF EXISTS scratch; CREATE VIEW scratch AS SELECT build, " + strings.Join(list, ", ") + " FROM builds"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied := func(format string) string {
		m, err := export.Build(t.Context(), file, dir, "1.0", export.Options{Format: format, Views: []string{"scratch"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Views["scratch"]) != 1 || m.Views["scratch"][0].Rows != 1 {
			t.Fatalf("%s: %+v", format, m.Views["scratch"])
		}
		return filepath.Join(dir, "scratch", "build=1.0", m.Views["scratch"][0].Name)
	}
	in := map[string][]string{}
	table, err := os.Open(copied("parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	for _, c := range parquet.NewReader(table).Schema().Columns() {
		in["Parquet"] = append(in["Parquet"], c[0])
	}
	text, err := os.Open(copied("csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = text.Close() }()
	head, _ := bufio.NewReader(text).ReadString('\n')
	in["CSV"] = strings.Split(strings.TrimSpace(head), ",")
	in["ClickHouse"] = ofServer(t)
	db, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if in["the shell"], err = db.Columns(t.Context(), "scratch"); err != nil {
		t.Fatal(err)
	}
	in["the shell"] = in["the shell"][1:] // build
	for name, got := range in {
		if !slices.Equal(got, columns) {
			t.Errorf("%s has the columns %v, want %v", name, got, columns)
		}
	}
	if views, _, err := db.Tables(t.Context()); err != nil || !slices.Contains(views, "scratch") {
		t.Errorf("the shell lacks the view: %v", err)
	}
}

// ofServer returns the columns that the view scratch gets on a server.
func ofServer(t *testing.T) (columns []string) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		statement, _ := io.ReadAll(r.Body)
		_, list, ok := strings.Cut(string(statement), "CREATE TABLE IF NOT EXISTS pakdb_scratch (build String, ")
		if !ok {
			return
		}
		list, _, _ = strings.Cut(list, ") ENGINE")
		for c := range strings.SplitSeq(list, ", ") {
			columns = append(columns, strings.Split(c, "`")[1])
		}
	}))
	defer server.Close()
	s, err := export.NewServer(fmt.Sprintf("clickhouse://%s/default", strings.TrimPrefix(server.URL, "http://")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return columns
}
