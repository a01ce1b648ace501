package query_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"
)

func load(t testing.TB, dir string) query.Library {
	t.Helper()
	l, err := query.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// arguments for the queries that need some.
var arguments = map[string][]string{
	"history":      {"Game/Maps/A.umap"},
	"search":       {"Game/*.umap"},
	"same-content": {"Game/Text/en.txt"},
	"size-by-dir":  {"2"},

	"who-references": {"Game/Maps/A.umap"},
	"callers":        {"K2_DestroyActor"},
}

func runNamed(t testing.TB, db *query.DB, q *query.Named, positional []string, given map[string]string, format string) (string, error) {
	t.Helper()
	args, err := db.Bind(context.Background(), q, given, positional)
	if err != nil {
		return "", err
	}
	return run(t, db, q.SQL, args, query.Output{Format: format})
}

// fitsTerminal fails the test if a table of a named query does not fit 80 cells, so that each
// column would have a line.
func fitsTerminal(t testing.TB, db *query.DB, q *query.Named, positional []string) {
	t.Helper()
	args, err := db.Bind(context.Background(), q, nil, positional)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t, db, q.SQL, args, query.Output{Width: 80, Bytes: q.Bytes})
	if err != nil || got != "" && !strings.HasPrefix(got, "┌") {
		t.Errorf("no table of 80 cells, %v:\n%s", err, got)
	}
}

// sizes are the names of columns that hold bytes.
var sizes = regexp.MustCompile(`(^|_)(size|stored|bytes|wasted|saved|download|seek|sorted|spread|largest)(_|$)`)

// TestNamedQueries runs every query that comes with pakdb.
func TestNamedQueries(t *testing.T) {
	testkit.NotShort(t)
	db := openSmall(t)
	all := load(t, "")
	for _, name := range strings.Fields("builds largest duplicates by-type by-extension by-archive compression problems " +
		"history added-in archives encrypted search same-content size-by-dir " +
		"who-references missing-references unreferenced cycles retro-duplicates locality unreachable") {
		if _, err := all.Get("@" + name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range all.Names() {
		q := all[name]
		if q.Doc == "" || len(q.Example) == 0 || !strings.Contains(q.Example[0], "@"+name) {
			t.Errorf("@%s has no doc or no example", name)
		}
		for _, p := range q.Params {
			if p.Doc == "" {
				t.Errorf("@%s: parameter %s is not explained", name, p.Name)
			}
		}
		t.Run(name, func(t *testing.T) {
			fitsTerminal(t, db, q, arguments[name])
			got, err := runNamed(t, db, q, arguments[name], nil, "csv")
			if err != nil {
				t.Fatal(err)
			}
			header, _, _ := strings.Cut(got, "\n")
			for _, column := range strings.Split(header, ",") {
				if sizes.MatchString(column) != slices.Contains(q.Bytes, column) {
					t.Errorf("column %s is one of sizes, or -- bytes names it: not both", column)
				}
			}
			// Times and folders are this run's own.
			for _, row := range []string{"archives", "encrypted", "builds"} {
				if name == row {
					if !strings.Contains(got, "1.52") && name != "encrypted" {
						t.Errorf("no build 1.52:\n%s", got)
					}
					return
				}
			}
			golden(t, "named-"+name+".csv", got)
		})
	}
}

func TestNamedParameters(t *testing.T) {
	db := openSmall(t)
	all := load(t, "")
	for _, c := range []struct {
		name       string
		positional []string
		given      map[string]string
		want       string // a part of the output, "" for ErrUsage
	}{
		{"largest", []string{"1"}, nil, "C.umap"},
		{"largest", []string{"1", "1.48"}, nil, "Text"},
		{"largest", nil, map[string]string{"build": "1.48", "limit": "9"}, "Maps/B.umap"},
		{"largest", nil, map[string]string{"limit": "0x1"}, "C.umap"},
		{"largest", []string{"many"}, nil, ""},
		{"largest", []string{"1", "1.48", "x"}, nil, ""},
		{"largest", nil, map[string]string{"build": "1.5"}, ""},
		{"largest", nil, map[string]string{"limi": "1"}, ""},
		{"history", nil, nil, ""},
		{"history", []string{"007"}, nil, "build,change"},
		{"history", []string{"Game/Maps/B.umap"}, nil, "removed"},
		{"history", []string{"Game/Text/en.txt"}, nil, "same"},
		{"history", []string{"readm"}, nil, "build,change"},
		{"added-in", nil, nil, "Game/New/C.umap"},
		{"added-in", []string{"1.48", "1.52"}, nil, "Game/Maps/B.umap"},
		{"problems", []string{"null"}, nil, "1.48"},
		{"search", []string{"MAPS/b"}, map[string]string{"build": "null"}, "Game/Maps/B.umap"},
		{"same-content", []string{hexOf("map b")}, nil, "Game/Maps/B.umap"},
		{"size-by-dir", []string{"1", "Game"}, nil, "Game/Text"},
	} {
		got, err := runNamed(t, db, all[c.name], c.positional, c.given, "csv")
		switch {
		case c.want == "" && !errors.Is(err, query.ErrUsage):
			t.Errorf("@%s %q %v: %v, want ErrUsage", c.name, c.positional, c.given, err)
		case c.want != "" && (err != nil || !strings.Contains(got, c.want)):
			t.Errorf("@%s %q %v: no %q in\n%s%v", c.name, c.positional, c.given, c.want, got, err)
		}
	}
	if _, err := runNamed(t, db, all["largest"], nil, map[string]string{"build": "1.5"}, ""); !errors.Is(err, schema.ErrNoBuild) ||
		!strings.Contains(query.Hint(err), "1.52") {
		t.Errorf("%v (hint %q), want ErrNoBuild and the builds there are", err, query.Hint(err))
	}
}

func TestUserQueries(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"builds.sql": "-- doc: mine\nSELECT 'mine' AS who",
		"plain.sql":  "SELECT :x AS x",
		"twice.sql":  "-- doc: two\n-- param: n number 1.5 a number\n-- param: s text 'a b' a text\nSELECT 2 * :n AS n; SELECT :s AS s",
		"notes.txt":  "no query",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := openSmall(t)
	all := load(t, dir)
	for name, want := range map[string]string{"builds": "who\nmine\n", "plain": "x\n7\n", "twice": "n\n3.0\n\ns\na b\n"} {
		var positional []string
		if name == "plain" {
			positional = []string{"7"}
		}
		if got, err := runNamed(t, db, all[name], positional, nil, "csv"); got != want || err != nil {
			t.Errorf("@%s: %q %v, want %q", name, got, err, want)
		}
		if !strings.Contains(all[name].Help(), dir) {
			t.Errorf("@%s: help does not say where it is from", name)
		}
	}
	if _, err := all.Get("@build"); !errors.Is(err, query.ErrUsage) || !strings.Contains(query.Hint(err), "@builds") {
		t.Errorf("%v (hint %q)", err, query.Hint(err))
	}
	for _, bad := range []string{"-- param: x", "-- param: x thing -", "-- param: x text"} {
		if err := os.WriteFile(filepath.Join(dir, "bad.sql"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := query.Load(dir); !errors.Is(err, query.ErrUsage) || !strings.Contains(err.Error(), "bad.sql") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if l, err := query.Load(filepath.Join(dir, "absent")); err != nil || len(l) == 0 {
		t.Errorf("absent folder: %d queries, %v", len(l), err)
	}
}

func TestNamedHelp(t *testing.T) {
	golden(t, "help-size-by-dir.txt", load(t, "")["size-by-dir"].Help())
}

// TestNamedPlans: queries about one path or one content find entries by it, and never go
// through all entries.
func TestNamedPlans(t *testing.T) {
	db := openSmall(t)
	all := load(t, "")
	for name, index := range map[string]string{"history": "path_id=", "same-content": "content_id=", "search": "path_id="} {
		q := all[name]
		args, err := db.Bind(context.Background(), q, nil, arguments[name])
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(t, db, "EXPLAIN QUERY PLAN "+query.Split(q.SQL)[0].SQL, args, query.Output{Format: "csv"})
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`SCAN e VIRTUAL TABLE INDEX \d+:` + index).MatchString(got) {
			t.Errorf("@%s:\n%s", name, got)
		}
	}
}

// BenchmarkNamed runs every named query on a catalog of two builds of half a
// million entries each, made once.
func BenchmarkNamed(b *testing.B) {
	path := filepath.Join(b.TempDir(), "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	const n = 500_000
	for build := range 2 {
		bd, err := schematest.Begin(context.Background(), c, fmt.Sprintf("build%d", build))
		if err != nil {
			b.Fatal(err)
		}
		id := schematest.Start(b, bd, schema.Archive{Size: int64(build), Format: "test", Scan: "test"})
		for i := range n {
			var d schema.Digest
			copy(d[:], fmt.Sprintf("%d-%d", i%10, i/2*2654435761+build*(i%20/19)))
			file := i + build*5000
			if err := bd.Add(id, &schema.Entry{Ordinal: int64(i), Name: fmt.Sprintf("Game/Dir%d/Sub%d/File%d.ext%d", file%50, file%1000, file, file%30),
				Method: []string{"zlib", "lz4"}[i%2], Offset: int64(i) * 100, Stored: int64(i % 777), Size: int64(i * 7919 % 100003),
				HasContent: true, Content: d, ContentSize: 100}); err != nil {
				b.Fatal(err)
			}
		}
		bd.EndArchive(id, nil)
		bd.Mount(schema.Mount{Archive: id, Name: "a.tst", Location: "/absent"})
		if _, err := bd.Finish(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	db, err := query.Open(context.Background(), path, query.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	all := load(b, "")
	arguments := map[string][]string{"history": {"Game/Dir49/Sub999/File9999.ext9"}, "search": {"*File77777*"},
		"same-content": {"Game/Dir49/Sub999/File9999.ext9"}}
	for _, name := range all.Names() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := runNamed(b, db, all[name], arguments[name], nil, "csv"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
