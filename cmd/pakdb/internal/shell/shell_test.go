package shell_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/shell"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"
)

func newDB(t *testing.T) *query.DB {
	t.Helper()
	path := schematest.OfOne(t, schema.Entry{Name: "Game/A.umap", Method: "none", Size: 5})
	yields := schema.TableFunction{Doc: "a pair", Name: "pair", Columns: []string{"n INTEGER"}, Params: []string{"a", "b"},
		Rows: func(context.Context, []driver.Value, func([]driver.Value) error) error { return nil }}
	db, err := query.Open(t.Context(), path, query.Options{Tables: []schema.TableFunction{yields}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *query.DB, input string) (out, notes string, err error) {
	t.Helper()
	all, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	err = shell.Run(context.Background(), shell.Config{DB: db, Library: all,
		In: strings.NewReader(input), Out: &o, Err: &e, Format: "csv"})
	return o.String(), e.String(), err
}

func TestScript(t *testing.T) {
	db := newDB(t)
	for input, want := range map[string]string{
		"":                                      "",
		"SELECT 1 AS n;":                        "n\n1\n",
		"SELECT 1 AS n":                         "n\n1\n", // the end of the input ends it too
		"SELECT\n  ';' AS n\n;\n":               "n\n;\n",
		"SELECT 1 AS a; SELECT 2 AS b;":         "a\n1\n\nb\n2\n",
		".mode jsonl\nSELECT 1 AS n;":           "{\"n\":1}\n",
		".mode\n":                               "csv\n",
		"@largest 1 --build 1.52\n":             "size,stored,method,archive,path,asset_id\n5,0,none,a.tst,Game/A.umap,\n",
		"@search 'A.umap' -p build=null;":       "build,archive,path,size,stored,method,content\n1.52,a.tst,Game/A.umap,5,0,none,\n",
		"SELECT 1 AS n;\n.quit\nSELECT 2 AS n;": "n\n1\n",
		".qui\nSELECT 2;":                       "",

		".param n 2\n.param :s 'a b'\nSELECT :n + 1 AS n, :s AS s;\nSELECT 5 AS m;": "n,s\n3,a b\nm\n5\n",
		".param n 1\n.param n\n.param b x\n.param\n.param clear\n.param":            ":b x\n",
		".param pattern A.umap\n.param build null\n@search":                         "build,archive,path,size,stored,method,content\n1.52,a.tst,Game/A.umap,5,0,none,\n",
		".param pattern B\n@search A.umap":                                          "build,archive,path,size,stored,method,content\n1.52,a.tst,Game/A.umap,5,0,none,\n",
	} {
		if got, _, err := run(t, db, input); got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", input, got, err, want)
		}
	}
	for input, part := range map[string]string{
		".schema builds": "CREATE VIEW builds", ".help": ".output [FILE]",
		".views": "builds                   One row", ".views builds": "entry_count", ".views problems": "cause",
		".views ": "pair()                   FROM pair(a, b): a pair", ".views pair": "FROM pair(a, b)",
		".queries": "@largest", ".functions": "human_size(n)", "@largest --help": "Parameters",
	} {
		if got, _, err := run(t, db, input); !strings.Contains(got, part) || err != nil {
			t.Errorf("%q: no %q in %q, %v", input, part, got, err)
		}
	}
	if _, notes, err := run(t, db, ".timer on\nSELECT 1 WHERE 0;\n.mode table\nSELECT 1 WHERE 0;"); err != nil ||
		strings.Count(notes, " s\n") != 2 || strings.Count(notes, "(no rows)\n") != 1 {
		t.Errorf("notes %q, %v", notes, err)
	}
}

func TestScriptEndsAtTheFirstError(t *testing.T) {
	db := newDB(t)
	for _, input := range []string{
		"SELECT nope;", "@nope", "@history", ".nope", ".mode nope", ".q", ".schema nope", ".read /absent/file", ".tables", ".timer perhaps", ".views nope", ".views x_entry_row", ".param nope", ".param a-b 1", "@search 'open", "DELETE FROM x_entry;", ".output /",
	} {
		got, _, err := run(t, db, "SELECT 1 AS n;\n"+input+"\nSELECT 2 AS n;")
		if got != "n\n1\n" || !errors.Is(err, query.ErrUsage) {
			t.Errorf("%q: %q %v, want ErrUsage after the first statement", input, got, err)
		}
	}
}

func TestOutput(t *testing.T) {
	db := newDB(t)
	file := filepath.Join(t.TempDir(), "out.csv")
	got, _, err := run(t, db, ".output "+file+"\nSELECT 1 AS n;\n.output\nSELECT 2 AS n;")
	if got != "n\n2\n" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if b, err := os.ReadFile(file); string(b) != "n\n1\n" {
		t.Errorf("file: %q %v", b, err)
	}
	if _, _, err := run(t, db, ".output "+file+"\nSELECT 3 AS n;\nSELECT nope;"); err == nil {
		t.Error("no error")
	}
	if b, err := os.ReadFile(file); string(b) != "n\n1\n" {
		t.Errorf("file after an error: %q %v, want it as it was", b, err)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

// Every view that the catalog has is documented, and the other way round.
func TestViewsAreDocumented(t *testing.T) {
	db := newDB(t)
	views, _, err := db.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for _, v := range schema.Views() {
		for _, c := range v.Columns {
			documented[v.Name] = append(documented[v.Name], c.Name)
		}
	}
	if !slices.Equal(slices.Sorted(maps.Keys(documented)), views) {
		t.Errorf("documented are %v, want %v", slices.Sorted(maps.Keys(documented)), views)
	}
	for name, columns := range documented {
		want, err := db.Columns(t.Context(), name)
		if err != nil || !slices.Equal(columns, want) {
			t.Errorf("%s: %v, want %v; %v", name, columns, want, err)
		}
	}
}

// What an error quotes does not command the terminal.
func TestNotesArePrintable(t *testing.T) {
	db := newDB(t)
	_, notes, err := run(t, db, ".param pattern '\x1b[2J'\n@largest 1 --build 1.52\n.param")
	if strings.ContainsRune(notes, '\x1b') || err != nil {
		t.Errorf("%q %v", notes, err)
	}
	if got, _, err := run(t, db, ".param a \x1b[2J\n.param"); got != ":a \\x1b[2J\n" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}
