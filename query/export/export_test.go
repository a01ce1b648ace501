package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	reference "github.com/parquet-go/parquet-go"

	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/query"
	"pakdb/query/export"
	"pakdb/query/portable"
	"pakdb/query/portable/portabletest"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

func files(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = sha256.Sum256(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBuild: all rows are there, another export gives the same bytes, and one of other
// views leaves none of the first.
func TestBuild(t *testing.T) {
	db := schematest.Open(t, portabletest.Catalog(t, filepath.Join("..", "..")))
	dir := filepath.Join(t.TempDir(), "new", "out")
	var manifest *export.Manifest
	for _, build := range portabletest.Builds() {
		m, err := export.Build(t.Context(), db, dir, build, export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		manifest = m
	}
	if n := manifest.Views["entries"][0].Rows; n != 8 || manifest.Build != portabletest.Odd || len(manifest.Views) != len(portable.Views()) {
		t.Errorf("%d entries: %+v", n, manifest)
	}
	first := files(t, dir)
	if _, ok := first["entries/build=2.1%20%C3%A9%27%2F%5C/part-0.parquet"]; !ok || len(first) != 4*(len(portable.Views())+1) {
		t.Errorf("files: %v", slices.Sorted(maps.Keys(first)))
	}
	for _, build := range portabletest.Builds() {
		if _, err := export.Build(t.Context(), db, dir, build, export.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if again := files(t, dir); !maps.Equal(first, again) {
		t.Error("the second export has other bytes")
	}
	v, _ := portable.Of("files")
	m, err := export.Build(t.Context(), db, dir, "2.0", export.Options{Format: "csv", Views: []*portable.View{v}, Under: "Game/Ünï/"})
	if err != nil || m.Views["files"][0].Rows != 2 {
		t.Errorf("%+v: %v", m, err)
	}
	for name := range files(t, dir) {
		if strings.Contains(name, "build=2.0") && name != "files/build=2.0/part-0.csv" && name != "_builds/build=2.0/_SUCCESS.json" {
			t.Errorf("%s is left", name)
		}
	}
}

// TestParquet: another implementation reads the rows of the view, in their order.
func TestParquet(t *testing.T) {
	db := schematest.Open(t, portabletest.Catalog(t, filepath.Join("..", "..")))
	dir := t.TempDir()
	if _, err := export.Build(t.Context(), db, dir, "1.1", export.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, v := range portable.Views() {
		b, err := os.ReadFile(filepath.Join(dir, v.Name, "build=1.1", "part-0.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := reference.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, g := range f.RowGroups() {
			rows := make([]reference.Row, g.NumRows())
			r := g.Rows()
			if n, _ := r.ReadRows(rows); n != len(rows) {
				t.Fatalf("%s: %d rows of %d", v.Name, n, len(rows))
			}
			for _, row := range rows {
				line := ""
				for _, value := range row {
					if value.IsNull() {
						line += "<nil> "
						continue
					}
					line += value.String() + " "
				}
				got = append(got, line)
			}
			_ = r.Close()
		}
		err = v.Each(t.Context(), db, "1.1", func(row []portable.Cell) error {
			line := ""
			for _, value := range portable.Values(row[1:]) {
				line += fmt.Sprint(value) + " "
			}
			want = append(want, line)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%q\n%q", v.Name, err, got, want)
		}
	}
}

// TestTexts: NULL, empty texts, quotes, line breaks and numbers in CSV and JSON.
func TestTexts(t *testing.T) {
	columns := []portable.Column{{Name: "a", Null: true}, {Name: "b", Type: portable.Int}, {Name: "c", Type: portable.Real, Null: true}}
	for format, want := range map[string]string{
		"csv":   "a,b,c\n,1,0.5\n\"\",-2,\n\"x\"\"y,\nz\",3,1e+100\n",
		"jsonl": `{"a":null,"b":1,"c":0.5}` + "\n" + `{"a":"","b":-2,"c":null}` + "\n" + `{"a":"x\"y,\nz","b":3,"c":1e+100}` + "\n",
	} {
		var out bytes.Buffer
		e, err := export.NewEncoder(format, &out, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range [][]portable.Cell{{{}, portable.IntCell(1), portable.RealCell(0.5)}, {portable.TextCell(""), portable.IntCell(-2), {}},
			{portable.TextCell("x\"y,\nz"), portable.IntCell(3), portable.RealCell(1e100)}} {
			if err := e.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Close(); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", format, err, out.String())
		}
	}
}

// TestFaults: an export is killed, and fails, at each operation. As long as _SUCCESS.json
// is not there the folder counts as empty; when it is, all files are there.
func TestFaults(t *testing.T) {
	db := schematest.Open(t, schematest.OfOne(t, schema.Entry{Name: "a/b", Size: 1}))
	entries, _ := portable.Of("entries")
	builds, _ := portable.Of("builds")
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "out")
			faulttest.Tree{"entries/build=1.52/part-0.csv": "older", "entries/build=1.52/part-7.parquet": "older", "files/build=1.52/part-0.csv": "older", "mine": "stays"}.Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			_, err := export.Build(ctx, db, dir, "1.52", export.Options{Views: []*portable.View{entries, builds}})
			return err
		},
		State: func(t *testing.T, dir string) faulttest.Tree {
			all := faulttest.Files(t, dir)
			if _, ok := all["_builds/build=1.52/_SUCCESS.json"]; !ok {
				return faulttest.Tree{}
			}
			return all.Visible()
		},
		Exact: true,
		MayFail: func(op atomicfile.Op) bool {
			return op.Kind == atomicfile.OpRemove && !strings.Contains(op.Path, "part-")
		},
	}, 200)
}

// TestDuckDB compares the answers of DuckDB with those of SQLite. It needs the package
// @duckdb/node-api in the folder that PAKDB_NODE names.
func TestDuckDB(t *testing.T) {
	if os.Getenv("PAKDB_NODE") == "" {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	catalog := portabletest.Catalog(t, filepath.Join("..", ".."))
	db := schematest.Open(t, catalog)
	dir := t.TempDir()
	for _, build := range portabletest.Builds() {
		if _, err := export.Build(t.Context(), db, dir, build, export.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := export.Beside(t.Context(), dir, "pakdb"); err != nil {
		t.Fatal(err)
	}
	questions := portabletest.Questions(t, catalog)
	var statements []string
	for _, q := range questions {
		statements = append(statements, query.ReplaceParameters(q.SQL, func(name string) (string, bool) { return literal(q.Args[name]), true }))
	}
	traps := slices.DeleteFunc(portabletest.Traps(t, catalog), func(q *portabletest.Question) bool { return q.Name == portabletest.NullJoin })
	for _, q := range traps {
		statements = append(statements, q.SQL)
	}
	results := duckDB(t, dir, statements...)
	for i, q := range traps {
		if r := results[len(questions)+i]; r.Error != "" || fmt.Sprint(texts(r.Rows)) == fmt.Sprint(q.Rows) {
			t.Errorf("%s: DuckDB answers as SQLite does: %q %s", q.Name, r.Rows, r.Error)
		}
	}
	for i, q := range questions {
		var got []string
		for _, row := range results[i].Rows {
			line := ""
			for _, v := range row {
				line += portabletest.Value(v) + "|"
			}
			got = append(got, line)
		}
		var want []string
		for _, row := range q.Rows {
			want = append(want, strings.Join(row, "|")+"|")
		}
		if results[i].Error != "" || !slices.Equal(got, want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", q.Name, results[i].Error, got, want)
		}
	}
}

// result is what DuckDB says of a statement.
type result struct {
	Rows  [][]any
	Error string
}

func texts(rows [][]any) (all [][]string) {
	for _, row := range rows {
		var line []string
		for _, v := range row {
			line = append(line, portabletest.Value(v))
		}
		all = append(all, line)
	}
	return all
}

// duckDB makes the views of a folder and runs statements.
func duckDB(t *testing.T, dir string, statements ...string) (results []result) {
	t.Helper()
	out, err := runDuckDB(t, dir, statements...)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	if err := dec.Decode(&results); err != nil || len(results) != len(statements) {
		t.Fatalf("%d results: %v", len(results), err)
	}
	return results
}

func runDuckDB(t *testing.T, dir string, statements ...string) (out []byte, err error) {
	t.Helper()
	in, _ := json.Marshal(statements)
	script, err := filepath.Abs("testdata/duckdb.js")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, dir)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(os.Getenv("PAKDB_NODE"), "node_modules"))
	cmd.Stdin = bytes.NewReader(in)
	out, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return out, err
}

// TestDuckDBHalfWritten: a build whose export was killed is not there, whatever files it left.
func TestDuckDBHalfWritten(t *testing.T) {
	if os.Getenv("PAKDB_NODE") == "" {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	db := schematest.Open(t, portabletest.Catalog(t, filepath.Join("..", "..")))
	dir := t.TempDir()
	for _, build := range portabletest.Builds() {
		if _, err := export.Build(t.Context(), db, dir, build, export.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := export.Beside(t.Context(), dir, "pakdb"); err != nil {
		t.Fatal(err)
	}
	look := func(views ...string) (labels []string) {
		for _, view := range views {
			r := duckDB(t, dir, "SELECT DISTINCT build FROM "+view+" ORDER BY build")[0]
			labels = append(labels, view+": "+strings.TrimSpace(fmt.Sprintln(r.Rows, r.Error)))
		}
		return labels
	}
	const odd = "2.1 é'/\\"
	if got := look("entries", "files"); !slices.Equal(got, []string{"entries: [[1.0] [1.1] [2.0] [" + odd + "]]", "files: [[1.0] [1.1] [2.0] [" + odd + "]]"}) {
		t.Errorf("complete: %q", got)
	}
	for _, file := range []string{"_builds/build=2.0/_SUCCESS.json", "files/build=2.0/part-0.parquet"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Fatal(err)
		}
	}
	if got := look("entries", "files"); !slices.Equal(got, []string{"entries: [[1.0] [1.1] [" + odd + "]]", "files: [[1.0] [1.1] [" + odd + "]]"}) {
		t.Errorf("half written: %q", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "_builds")); err != nil {
		t.Fatal(err)
	}
	if out, err := runDuckDB(t, dir, "SELECT 1"); err == nil || !strings.Contains(err.Error(), "_SUCCESS.json") {
		t.Errorf("no build is complete: %q: %v", out, err)
	}
}

// TestDatasette: the canned queries and the views of metadata.json are answered by SQLite
// without any function of pakdb's, in the database that it names.
func TestDatasette(t *testing.T) {
	catalog := portabletest.Catalog(t, filepath.Join("..", ".."))
	dir := t.TempDir()
	if err := export.Beside(t.Context(), dir, "pakdb"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Databases map[string]struct {
			Tables  map[string]struct{ Description string }
			Queries map[string]struct{ SQL, Title string }
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	d, ok := m.Databases["pakdb"]
	if !ok || len(d.Tables) != len(portable.Views()) || len(d.Queries) != 11 {
		t.Fatalf("%.300s", text)
	}
	db, err := sql.Open("sqlite", "file:"+catalog+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("SELECT path_head('a', 1)"); err == nil {
		t.Fatal("this SQLite has functions of pakdb's")
	}
	for name, table := range d.Tables {
		if _, err := db.Exec("SELECT * FROM " + name + " LIMIT 1"); err != nil || table.Description == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	values := map[string]any{"limit": 5, "build": "1.1", "old": "1.0", "path": "Game/Ultron.uasset", "target": "x", "under": "", "ext": ""}
	for name, q := range d.Queries {
		var args []any
		for _, p := range query.Parameters(q.SQL) {
			args = append(args, sql.Named(p, values[p]))
		}
		if _, err := db.Exec(q.SQL, args...); err != nil || q.Title == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func literal(v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprint(v)
}
