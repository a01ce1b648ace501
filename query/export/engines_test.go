package export_test

import (
	"bufio"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/query/export"
	"pakdb/schema"
)

// odd is a build whose label no dialect and no file system takes as it is.
const odd = "2.1 é'/\\"

// builds are the labels of [catalog], oldest first.
func builds() []string { return []string{"1.0", "1.1", "2.0", odd} }

// catalog writes a catalog of real archives, and of builds whose rows tell engines apart.
func catalog(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	for _, build := range [][2]string{{"1.0", "Calligraphy.sip"}, {"1.1", "Calligraphy_next.sip"}} {
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: build[0],
			Paths: []string{filepath.Join("..", "..", "testdata", build[1])}})
		if err != nil {
			t.Fatal(err)
		}
	}
	tricky(t, c, "2.0", 0)
	tricky(t, c, odd, 1)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// tricky adds a build with NULL paths, delete records, mixed case, texts that are not
// ASCII, times before 1970 and equal contents. step changes some of it.
func tricky(t testing.TB, c *schema.Catalog, label string, step int) {
	t.Helper()
	b, err := schematest.Begin(t.Context(), c, label)
	if err != nil {
		t.Fatal(err)
	}
	digest := func(n int) schema.Digest { return schema.Digest{0xff, byte(n), 0xfe, byte(n), 1, 2, 3, 0xff} }
	mount := func(name string, entries ...schema.Entry) {
		id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test"})
		for i := range entries {
			entries[i].Ordinal = int64(i)
			if err := b.Add(id, &entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name})
	}
	mount("a.pak",
		schema.Entry{Name: "Game/Ultron.uasset", Size: 5, Stored: 3, Method: "zlib", HasContent: true, Content: digest(1), ContentSize: 5},
		schema.Entry{Name: "game/ultron.uasset", Size: 5, Stored: 5, Method: "none", HasContent: true, Content: digest(1), ContentSize: 5},
		schema.Entry{Name: "Game/Ünï/本.uasset", Size: int64(7 + step), Stored: 2, HasContent: true, Content: digest(2 + step), ContentSize: int64(7 + step)},
		schema.Entry{Size: 9, Stored: 9},
		schema.Entry{Name: "100%_a/b'c\"\\d.txt", Size: 1, Stored: 1, HasContent: true, Content: digest(9), ContentSize: 1},
		schema.Entry{Name: fmt.Sprintf("Game/only/%d", step), Size: 1 << 40, Stored: 1 << 39},
	)
	mount("b.pak", schema.Entry{Name: "Game/Ünï/本.uasset", Flags: int64(2 * step), Size: 3, Stored: 3},
		schema.Entry{Name: "top", Size: 1, Stored: 1, HasContent: true, Content: digest(9), ContentSize: 1})
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// decisive tell engines apart: a text that one of them answers otherwise fails.
var decisive = map[string]string{
	"like, case":       `SELECT path FROM entries WHERE lower(path) LIKE '%ultron%' ORDER BY build, path`,
	"null join":        `SELECT a.size FROM entries a LEFT JOIN entries b ON b.build = '1.0' AND b.path = a.path WHERE a.build = '2.0' AND b.archive IS NULL ORDER BY a.size, a.path NULLS FIRST`,
	"integer division": `SELECT path, CAST(size AS DOUBLE) / 2 AS half FROM entries WHERE build = '2.0' AND size = 5 ORDER BY path`,
	"null order":       `SELECT ext, count(*) AS n FROM entries GROUP BY ext ORDER BY ext NULLS FIRST`,
	"null in":          `SELECT count(*) AS n FROM entries WHERE build = '2.0' AND path NOT IN (SELECT path FROM entries WHERE build = '1.0' AND path IS NOT NULL)`,
	"boolean":          `SELECT build, path FROM entries WHERE deleted = 1 OR nested = 1 ORDER BY build, path`,
	"not ascii":        `SELECT path, content FROM files WHERE path = 'Game/Ünï/本.uasset' ORDER BY build`,
	"windows":          `SELECT path, size - lag(size, 1, 0) OVER (PARTITION BY build ORDER BY size, path NULLS FIRST, archive) AS more FROM entries WHERE build = '2.0' ORDER BY size, path NULLS FIRST, archive`,
	"empty text":       `SELECT count(*) AS n FROM archives WHERE mount_point = ''`,
}

// traps are statements that engines run, with other answers than SQLite. A catalog to which
// they all give the same ones would not tell a wrong statement from a right one.
var traps = []string{
	`SELECT path FROM entries WHERE path LIKE '%ULTRON%' ORDER BY build, path`,
	`SELECT size / 2 AS half FROM entries WHERE build = '2.0' AND size = 5`,
	`SELECT ext FROM entries GROUP BY ext ORDER BY ext`,
}

var documented = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// statements returns those of docs/engines.md in the language of an engine; "sql" are for
// all engines.
func statements(t testing.TB, language string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "engines.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range documented.FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			for _, s := range strings.Split(m[2], ";\n") {
				if strings.TrimSpace(s) != "" {
					list = append(list, s)
				}
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("docs/engines.md has no statements of %s", language)
	}
	return list
}

// answers returns the rows of SQLite, each a line.
func answers(t testing.TB, file, text string) []string {
	t.Helper()
	db, err := query.Open(t.Context(), file, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var lines []string
	err = db.Each(t.Context(), text, query.Args{}, func([]string) error { return nil }, func(row []driver.Value) error {
		lines = append(lines, line(row))
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return lines
}

func line[T any](row []T) string {
	var b strings.Builder
	for _, v := range row {
		switch v := any(v).(type) {
		case nil:
			b.WriteString("NULL|")
		case bool:
			b.WriteString(map[bool]string{false: "0|", true: "1|"}[v])
		case json.Number: // 1.0 and 1 are one
			if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".e") {
				fmt.Fprintf(&b, "%v|", f)
			} else {
				b.WriteString(v.String() + "|")
			}
		default:
			fmt.Fprintf(&b, "%v|", v)
		}
	}
	return b.String()
}

// engine is DuckDB or ClickHouse with the views of a catalog.
type engine func(t testing.TB, text string) ([]string, error)

// testEngine compares the answers of an engine with those of SQLite: to the statements of
// docs/engines.md, and for all rows of all views.
func testEngine(t *testing.T, file string, ask engine) {
	t.Helper()
	for i, text := range statements(t, "sql") {
		want := answers(t, file, text)
		if got, err := ask(t, text); err != nil || !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("statement %d: %v\n%s\ngot  %q\nwant %q", i+1, err, text, got, want)
		}
	}
	for name, text := range decisive {
		want := answers(t, file, text)
		if got, err := ask(t, text); err != nil || !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: %v\ngot  %q\nwant %q", name, err, got, want)
		}
	}
	for _, text := range traps {
		if got, err := ask(t, text); err != nil || slices.Equal(got, answers(t, file, text)) {
			t.Errorf("the engine answers as SQLite does: %s: %v", text, err)
		}
	}
	for _, v := range export.Views() {
		var columns, texts []string
		for _, c := range v.Columns {
			name := `"` + c.Name + `"`
			switch c.Type {
			case "time": // each engine writes it in its own way
			case "any":
				columns, texts = append(columns, name), append(texts, "CAST("+name+" AS TEXT)")
			case "blob":
				columns, texts = append(columns, name), append(texts, "CASE WHEN "+name+" IS NOT NULL THEN lower(hex("+name+")) END")
			default:
				columns, texts = append(columns, name), append(texts, name)
			}
		}
		want := answers(t, file, "SELECT build, "+strings.Join(texts, ", ")+" FROM "+v.Name+" WHERE build IS NOT NULL")
		got, err := ask(t, "SELECT build, "+strings.Join(columns, ", ")+" FROM "+v.Name)
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other rows: %v\ngot  %.2000q\nwant %.2000q", v.Name, err, got, want)
		}
	}
}

// modules returns the folder with node_modules that PAKDB_NODE names, of the packages in
// query/testdata/node, or skips the test.
func modules(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("PAKDB_NODE")
	if folder == "" {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	return folder
}

// node returns a command that runs a script in Node.js.
func node(t testing.TB, script string, args ...string) *exec.Cmd {
	t.Helper()
	folder := modules(t)
	script, err := filepath.Abs(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(folder, "node_modules"))
	return cmd
}

// exported writes all builds of a catalog to a folder.
func exported(t testing.TB, file string, opts export.Options) (dir string) {
	t.Helper()
	db := schematest.Open(t, file)
	dir = filepath.Join(t.TempDir(), "parquet")
	for _, build := range builds() {
		if _, err := export.Build(t.Context(), db, dir, build, opts); err != nil {
			t.Fatal(err)
		}
	}
	if err := export.Beside(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// duckDB starts DuckDB with the views of a folder until the test ends.
func duckDB(t testing.TB, dir string) engine {
	t.Helper()
	cmd := node(t, "duckdb.js", dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	dec := json.NewDecoder(out)
	dec.UseNumber()
	return func(t testing.TB, text string) (lines []string, err error) {
		var result struct {
			Rows  [][]any
			Error string
		}
		if err := errors.Join(json.NewEncoder(in).Encode(text), dec.Decode(&result)); err != nil {
			return nil, err
		}
		for _, row := range result.Rows {
			lines = append(lines, line(row))
		}
		if result.Error != "" {
			err = errors.New(result.Error)
		}
		return lines, err
	}
}

func TestDuckDB(t *testing.T) {
	modules(t)
	file := catalog(t)
	dir := exported(t, file, export.Options{})
	ask := duckDB(t, dir)
	testEngine(t, file, ask)
	for _, text := range statements(t, "duckdb") {
		if got, err := ask(t, text); err != nil || len(got) == 0 {
			t.Errorf("%s: %q %v", text, got, err)
		}
	}
	if got, err := ask(t, "SELECT typeof(created_at), typeof(entry_count) FROM builds LIMIT 1"); err != nil || !slices.Equal(got, []string{"TIMESTAMP WITH TIME ZONE|BIGINT|"}) {
		t.Errorf("types: %q %v", got, err)
	}
	if got, err := ask(t, "SELECT DISTINCT typeof(deleted) FROM entries"); err != nil || !slices.Equal(got, []string{"BOOLEAN|"}) {
		t.Errorf("types: %q %v", got, err)
	}
}

// TestDuckDBHalfWritten: a build whose export was killed is not there, whatever files it left.
func TestDuckDBHalfWritten(t *testing.T) {
	modules(t)
	dir := exported(t, catalog(t), export.Options{})
	ask := duckDB(t, dir)
	look := func(view string) string {
		got, err := ask(t, "SELECT DISTINCT build FROM "+view+" ORDER BY build")
		return fmt.Sprint(got, err)
	}
	if got := look("entries") + look("files"); strings.Count(got, "2.0|") != 2 || strings.Count(got, odd) != 2 {
		t.Errorf("complete: %s", got)
	}
	for _, file := range []string{"_builds/build=2.0/_SUCCESS.json", "files/build=2.0/part-0.parquet"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Fatal(err)
		}
	}
	if got := look("entries") + look("files"); strings.Contains(got, "2.0") || strings.Count(got, odd) != 2 {
		t.Errorf("half written: %s", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "_builds")); err != nil {
		t.Fatal(err)
	}
	if got := look("entries"); !strings.Contains(got, "_SUCCESS.json") {
		t.Errorf("no build is complete: %s", got)
	}
}

// clickHouse starts ClickHouse in a process of Node.js, in a folder, until the test ends.
func clickHouse(t testing.TB, dir string) *export.Server {
	t.Helper()
	cmd := node(t, "clickhouse.js", t.TempDir())
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return server(t, "clickhouse://127.0.0.1:"+strings.TrimSpace(port)+"/game")
}

func server(t testing.TB, address string) *export.Server {
	t.Helper()
	s, err := export.NewServer(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func asking(s *export.Server) engine {
	return func(t testing.TB, text string) (lines []string, err error) {
		err = s.Ask(t.Context(), text, nil, 0, func([]string) error { return nil }, func(row []driver.Value) error {
			lines = append(lines, line(row))
			return nil
		})
		return lines, err
	}
}

// TestClickHouse: of builds that were pushed ClickHouse answers as SQLite does; builds that
// are pushed again or dropped leave no rows.
func TestClickHouse(t *testing.T) {
	modules(t)
	file := catalog(t)
	s := clickHouse(t, filepath.Dir(exported(t, file, export.Options{})))
	db := schematest.Open(t, file)
	for range 2 {
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, build := range append(builds(), odd) {
		if rows, err := s.Push(t.Context(), db, build); err != nil || rows == 0 {
			t.Fatalf("%s: %d rows: %v", build, rows, err)
		}
	}
	ask := asking(s)
	testEngine(t, file, ask)
	for _, text := range statements(t, "clickhouse") {
		if got, err := ask(t, text); err != nil || len(got) == 0 {
			t.Errorf("%s: %q %v", text, got, err)
		}
	}
	// Another content under the same label takes the place of the first.
	other := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) { tricky(t, c, "2.0", 7) }))
	if _, err := s.Push(t.Context(), other, "2.0"); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(t, "SELECT path FROM entries WHERE build = '2.0' AND path LIKE 'Game/only/%'"); err != nil || !slices.Equal(got, []string{"Game/only/7|"}) {
		t.Errorf("after another push: %q %v", got, err)
	}
	if err := s.Drop(t.Context(), odd); err != nil {
		t.Errorf("drop: %v", err)
	}
	if labels, err := s.Builds(t.Context()); err != nil || !slices.Equal(labels, []string{"1.0", "1.1", "2.0"}) {
		t.Errorf("builds: %q: %v", labels, err)
	}
	if got, err := ask(t, "SELECT DISTINCT build FROM pakdb_entries ORDER BY build"); err != nil || len(got) != 3 {
		t.Errorf("builds in the table: %q %v", got, err)
	}
	if got, err := ask(t, "SELECT count() FROM system.tables WHERE name LIKE 'pakdb\\\\_new%'"); err != nil || !slices.Equal(got, []string{"0|"}) {
		t.Errorf("tables beside: %q %v", got, err)
	}
	var values []driver.Value
	err := s.Ask(t.Context(), "SELECT {a:String} AS a, {b:UInt8} AS b, NULL AS c, [1, 2] AS d, 1.5 AS e, toUInt64(18446744073709551615) AS f", map[string]string{"a": "x\t'\\", "b": "7"}, 0,
		func(columns []string) error {
			if !slices.Equal(columns, []string{"a", "b", "c", "d", "e", "f"}) {
				t.Errorf("columns: %q", columns)
			}
			return nil
		}, func(row []driver.Value) error { values = slices.Clone(row); return nil })
	if want := "[x\t'\\ 7 <nil> [1,2] 1.5 18446744073709551615]"; err != nil || fmt.Sprint(values) != want {
		t.Errorf("values: %v %v", values, err)
	}
	if _, err := ask(t, "SELECT FROM"); !errors.Is(err, query.ErrUsage) {
		t.Errorf("bad SQL: %v", err)
	}
	if _, err := ask(t, "SELECT 1 FROM none"); !errors.Is(err, query.ErrUsage) || !strings.Contains(query.Hint(err), "pakdb push") {
		t.Errorf("no table: %v, hint %q", err, query.Hint(err))
	}
	if _, err := ask(t, "DROP TABLE pakdb_entries"); err == nil {
		t.Error("a statement that writes was run")
	}
}

func TestNewServer(t *testing.T) {
	t.Setenv("PAKDB_CLICKHOUSE_PASSWORD", "")
	for text, want := range map[string]string{
		"clickhouse://h":               "clickhouse://default@h:8123/default",
		"clickhouse://me@h:9/game":     "clickhouse://me@h:9/game",
		"clickhouse://h/g?secure=1":    "clickhouse://default@h:8443/g",
		"clickhouse://[::1]/g":         "clickhouse://default@[::1]:8123/g",
		"http://h/g":                   "",
		"clickhouse://":                "",
		"clickhouse://me:secret@h/g":   "",
		"clickhouse://h/a;b":           "",
		"clickhouse://h/g?secure=yes":  "",
		"clickhouse://h/g#x":           "",
		"clickhouse://h/g?password=pw": "",
	} {
		s, err := export.NewServer(text)
		if want == "" {
			if !errors.Is(err, query.ErrUsage) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", text, err)
			}
		} else if err != nil || s.String() != want {
			t.Errorf("%s: %v: %v", text, s, err)
		}
	}
	t.Setenv("PAKDB_CLICKHOUSE_PASSWORD", "pw")
	for text, want := range map[string]bool{"clickhouse://h": true, "clickhouse://h?secure=1": false, "clickhouse://127.0.0.1": false} {
		if s := server(t, text); s.Exposed() != want {
			t.Errorf("%s: exposed %v", text, s.Exposed())
		}
	}
	t.Setenv("PAKDB_CLICKHOUSE_PASSWORD", "a\nb")
	if _, err := export.NewServer("clickhouse://h"); !errors.Is(err, query.ErrUsage) {
		t.Errorf("password of two lines: %v", err)
	}
}

// TestNoServer: an error says where nothing answers, and never has the statement in it.
func TestNoServer(t *testing.T) {
	s := server(t, "clickhouse://127.0.0.1:1/game")
	_, err := asking(s)(t, "SELECT 'private'")
	if err == nil || strings.Contains(err.Error(), "private") || !strings.Contains(err.Error(), s.String()) || !strings.Contains(query.Hint(err), "8123") {
		t.Errorf("%v, hint %q", err, query.Hint(err))
	}
	var in *url.Error
	if errors.As(err, &in) {
		t.Error("the error has the whole request in it")
	}
}
