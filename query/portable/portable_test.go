package portable_test

import (
	"context"
	"database/sql/driver"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/query"
	"pakdb/query/portable"
	"pakdb/query/portable/portabletest"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

func catalog(t testing.TB) string { return portabletest.Catalog(t, filepath.Join("..", "..")) }

// TestRows: each view gives the rows of the catalog's view, once, sorted, of the types and
// with the NULLs that it states, and the same ones each time.
func TestRows(t *testing.T) {
	file := catalog(t)
	db := schematest.Open(t, file)
	for _, v := range portable.Views() {
		for _, build := range []string{"1.0", "2.0", portabletest.Odd, "none"} {
			var first []string
			for again := range 2 {
				var rows []string
				err := v.Each(t.Context(), db, build, func(cells []portable.Cell) error {
					row := portable.Values(cells)
					if len(row) != len(v.Columns) {
						t.Fatalf("%s: %d values", v.Name, len(row))
					}
					for i, c := range v.Columns {
						if err := suits(c, row[i]); err != nil {
							t.Errorf("%s: %v", v.Name, err)
						}
					}
					if row[0] != build {
						t.Errorf("%s: a row of build %v", v.Name, row[0])
					}
					rows = append(rows, fmt.Sprintf("%#v", row))
					return nil
				})
				if err != nil {
					t.Fatalf("%s %s: %v", v.Name, build, err)
				}
				if again == 1 && !slices.Equal(rows, first) {
					t.Errorf("%s of %s: other rows the second time", v.Name, build)
				}
				first = rows
			}
			if v.Name == "contents" {
				continue // the catalog's view is of all builds
			}
			var n int
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+v.Name+" WHERE build = ?", build).Scan(&n); err != nil || n != len(first) {
				t.Errorf("%s of %s: %d rows of %d: %v", v.Name, build, len(first), n, err)
			}
			if build == "2.0" && v.Name == "entries" && len(first) != 8 {
				t.Errorf("%d entries", len(first))
			}
		}
	}
}

func suits(c portable.Column, v driver.Value) error {
	ok := false
	switch v.(type) {
	case nil:
		ok = c.Null
	case string:
		ok = c.Type == portable.Text
	case int64:
		ok = c.Type == portable.Int
	case float64:
		ok = c.Type == portable.Real
	}
	if !ok {
		return fmt.Errorf("column %s has %#v", c.Name, v)
	}
	return nil
}

// TestColumns compares the columns with those that the catalog documents: the same names,
// and NULL where it says so.
func TestColumns(t *testing.T) {
	left := map[string]string{ // what is not portable
		"archives": "location", "entries": "asset_key path_hash_key row_id", "contents": "build_count",
	}
	for _, v := range portable.Views() {
		_, section, ok := strings.Cut(schema.Document(), "\n### "+v.Name+"\n")
		if !ok {
			t.Fatalf("%s is not documented", v.Name)
		}
		section, _, _ = strings.Cut(section, "\n### ")
		documented := map[string][]string{}
		var names []string
		for line := range strings.Lines(section) {
			cells := strings.Split(line, " | ")
			if strings.HasPrefix(line, "| ") && len(cells) >= 3 {
				name := strings.TrimPrefix(cells[0], "| ")
				documented[name] = cells
				names = append(names, name)
			}
		}
		if v.Columns[0].Name != "build" || v.Columns[0].Null {
			t.Errorf("%s does not begin with the build", v.Name)
		}
		for _, c := range v.Columns {
			d, ok := documented[c.Name]
			if !ok && v.Name == "contents" && c.Name == "build" {
				continue
			}
			if !ok {
				t.Errorf("%s.%s is not in the catalog's view", v.Name, c.Name)
				continue
			}
			if c.Null != (d[2] != "never") {
				t.Errorf("%s.%s: NULL is %v, documented %q", v.Name, c.Name, c.Null, d[2])
			}
		}
		for _, name := range names {
			local := strings.HasSuffix(name, "_id") && name != "asset_id" || strings.HasSuffix(name, "_key") && name != "file_key"
			if !local && !slices.Contains(strings.Fields(left[v.Name]), name) && !slices.Contains(v.Names(), name) {
				t.Errorf("%s lacks %s", v.Name, name)
			}
		}
	}
}

// TestSortsByFile: more rows than memory holds come out as those that fit.
func TestSortsByFile(t *testing.T) {
	file := schematest.Write(t, func(c *schema.Catalog) {
		schematest.Build(t, c, "1", func(b *schema.Build) {
			var entries []schema.Entry
			for i := range 3000 {
				entries = append(entries, schema.Entry{Name: fmt.Sprintf("d%d/\x01x%d", i*7919%3000, i), Size: int64(i) - 1500})
			}
			for i := range 3000 { // whose first eight bytes differ in the last one alone, or not at all
				entries = append(entries, schema.Entry{Name: fmt.Sprintf("e/same%c/%d", 'a'+i%3, i*7919%3000)})
			}
			schematest.Mount(t, b, "a", append(entries, schema.Entry{}, schema.Entry{})...)
		})
	})
	db := schematest.Open(t, file)
	v, _ := portable.Of("entries")
	path := slices.Index(v.Names(), "path")
	rows := func(memory int) (all []string) {
		last := ""
		err := v.EachIn(t.Context(), db, "1", memory, func(row []portable.Cell) error {
			all = append(all, fmt.Sprint(portable.Values(row)))
			if next := row[path].Text(); next < last {
				t.Errorf("%q after %q", next, last)
			} else {
				last = next
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := rows(portable.SortMemory)
	if spilled := rows(10_000); len(all) != 6002 || !slices.Equal(all, spilled) {
		t.Errorf("%d and %d rows, or others", len(all), len(spilled))
	}
}

// TestEachFails: an error of the caller's, and one of the context, end it.
func TestEachFails(t *testing.T) {
	db := schematest.Open(t, catalog(t))
	v, _ := portable.Of("entries")
	own := fmt.Errorf("own")
	if err := v.Each(t.Context(), db, "2.0", func([]portable.Cell) error { return own }); err != own {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Each(ctx, db, "2.0", func([]portable.Cell) error { return nil }); err == nil {
		t.Error("no error of a context that is done")
	}
}

// TestQueries: each query is one of the catalog's too, runs, and has rows.
func TestQueries(t *testing.T) {
	library, err := portable.Queries()
	if err != nil || len(library) != 12 {
		t.Fatalf("%d queries: %v", len(library), err)
	}
	builtin, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, q := range portabletest.Questions(t, catalog(t)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(q.Name, "@"), " of ")
		rows[name] += len(q.Rows)
	}
	for _, name := range library.Names() {
		if builtin[name] == nil || rows[name] == 0 && name != "problems" {
			t.Errorf("@%s: %d rows, or no query of the catalog", name, rows[name])
		}
	}
}

var update = flag.Bool("update", false, "rewrite the tables of docs/portable.md")

// TestDocument: docs/portable.md has the views as they are.
func TestDocument(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "portable.md")
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- views: kept by go test ./query/portable -update -->\n", "<!-- end of views -->\n"
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatal("docs/portable.md has no place for the views")
	}
	want := before + begin + tables() + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(doc) != want {
		t.Error("docs/portable.md differs from the views; go test ./query/portable -update")
	}
}

func tables() string {
	var b strings.Builder
	for _, v := range portable.Views() {
		fmt.Fprintf(&b, "\n### %s\n\n%s%s.\n\nSorted by %s.\n\n| column | type | NULL |\n|---|---|---|\n", v.Name, strings.ToUpper(v.Doc[:1]), v.Doc[1:], strings.Join(v.Order, ", "))
		for _, c := range v.Columns {
			null := "never"
			if c.Null {
				null = "may be"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Type, null)
		}
	}
	return b.String() + "\n"
}
