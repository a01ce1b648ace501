package shell_test

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/shell"
	"pakdb/query"
	"pakdb/schema"
)

func TestComplete(t *testing.T) {
	plain := newDB(t)
	db, err := query.Open(context.Background(), plain.Catalog, query.Options{Tables: []schema.TableFunction{{
		Name: "diff", Doc: "d", Params: []string{"old_build", "new_build"}, Columns: []string{"renamed_by"},
		Rows: func(context.Context, []driver.Value, func([]driver.Value) error) error { return nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	all, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"SELECT * FROM entr":               "ies",
		"SELECT * FROM di":                 "ff(",
		"SELECT * FROM diff('1":            ".52",
		"SELECT * FROM diff('1.52', '":     "1.52",
		"SELECT path FROM x WHERE renamed": "_by",
		"@largest --build 1":               ".52",
		".mode js":                         "on",
		".views bui":                       "lds",
		".schema bui":                      "lds",
	} {
		if got := shell.Complete(shell.Config{DB: db, Library: all}, line); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q among them", line, got, want)
		}
	}
	for _, line := range []string{"SELECT * FROM ", "SELECT * FROM b", "SELECT * FROM archive", "SELECT p"} {
		for _, rest := range shell.Complete(shell.Config{DB: db, Library: all}, line) {
			if word := (line + rest)[strings.LastIndexByte(line, ' ')+1:]; slices.Contains([]string{"x_path_key", "x_build_archive", "x_build", "x_archive_place", "x_entry_row"}, word) {
				t.Errorf("%s: the table %s is proposed", line, word)
			}
		}
	}
}
