package portable_test

import (
	"bytes"
	"context"
	"database/sql/driver"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/query/portable"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// catalog is one of real archives, and of builds whose rows tell engines apart.
func catalog(t testing.TB) string {
	t.Helper()
	return schematest.Write(t, func(c *schema.Catalog) {
		for _, build := range [][2]string{{"1.0", "Calligraphy.sip"}, {"1.1", "Calligraphy_next.sip"}} {
			_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: build[0],
				Paths: []string{filepath.Join("..", "..", "testdata", build[1])}})
			if err != nil {
				t.Fatal(err)
			}
		}
		Tricky(t, c, "2.0", 0)
		Tricky(t, c, "2.1 é'/\\", 1)
	})
}

// Tricky adds a build with NULL paths, delete records, mixed case, texts that are not
// ASCII, hashes above 2^63 and equal contents. step changes some of it.
func Tricky(t testing.TB, c *schema.Catalog, label string, step int) {
	schematest.Build(t, c, label, func(b *schema.Build) {
		digest := func(n int) schema.Digest { return schema.Digest{0xff, byte(n), 0xfe, byte(n), 1, 2, 3, 0xff} }
		schematest.Mount(t, b, "a.pak",
			schema.Entry{Name: "Game/Ultron.uasset", Size: 5, Stored: 3, Method: "zlib", HasContent: true, Content: digest(1), ContentSize: 5},
			schema.Entry{Name: "game/ultron.uasset", Size: 5, Stored: 5, Method: "none", HasContent: true, Content: digest(1), ContentSize: 5},
			schema.Entry{Name: "Game/Ünï/本.uasset", Size: int64(7 + step), Stored: 2, HasContent: true, Content: digest(2 + step), ContentSize: int64(7 + step)},
			schema.Entry{Size: 9, Stored: 9},
			schema.Entry{Name: "100%_a/b'c\"\\d.txt", Size: 1, Stored: 1, HasContent: true, Content: digest(9), ContentSize: 1},
			schema.Entry{Name: fmt.Sprintf("Game/only/%d", step), Size: 1 << 40, Stored: 1 << 39},
		)
		schematest.Mount(t, b, "b.pak", schema.Entry{Name: "Game/Ünï/本.uasset", Flags: int64(2 * step), Size: 3, Stored: 3},
			schema.Entry{Name: "top", Size: 2, Stored: 2, HasContent: true, Content: digest(9), ContentSize: 1})
	})
}

// TestRows: each view gives the rows of the catalog's view, once, sorted, of the types and
// with the NULLs that it states, and the same ones each time.
func TestRows(t *testing.T) {
	file := catalog(t)
	db := schematest.Open(t, file)
	for _, v := range portable.Views() {
		for _, build := range []string{"1.0", "2.0", "2.1 é'/\\", "none"} {
			var first []string
			for again := range 2 {
				var rows []string
				err := v.Each(t.Context(), db, build, func(row []driver.Value) error {
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
			schematest.Mount(t, b, "a", append(entries, schema.Entry{}, schema.Entry{})...)
		})
	})
	db := schematest.Open(t, file)
	v, _ := portable.Of("entries")
	rows := func(memory int) (all []string) {
		err := v.EachIn(t.Context(), db, "1", memory, func(row []driver.Value) error {
			all = append(all, fmt.Sprint(row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := rows(portable.SortMemory)
	if spilled := rows(10_000); len(all) != 3002 || !slices.Equal(all, spilled) {
		t.Errorf("%d and %d rows, or others", len(all), len(spilled))
	}
}

// TestEachFails: an error of the caller's, and one of the context, end it.
func TestEachFails(t *testing.T) {
	db := schematest.Open(t, catalog(t))
	v, _ := portable.Of("entries")
	own := fmt.Errorf("own")
	if err := v.Each(t.Context(), db, "2.0", func([]driver.Value) error { return own }); err != own {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Each(ctx, db, "2.0", func([]driver.Value) error { return nil }); err == nil {
		t.Error("no error of a context that is done")
	}
}

// TestQueries: each query runs on the catalog, and says the same as a recorded result.
func TestQueries(t *testing.T) {
	db, err := query.Open(t.Context(), catalog(t), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	library, err := portable.Queries()
	if err != nil || len(library) != 12 {
		t.Fatalf("%d queries: %v", len(library), err)
	}
	builtin, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]string{"path": "Game/Ünï/本.uasset", "target": "Calligraphy/Powers/Blueprints/Power.blueprint"}
	for _, name := range library.Names() {
		q := library[name]
		if builtin[name] == nil {
			t.Errorf("@%s is no query of the catalog", name)
		}
		given := map[string]string{}
		for param, value := range arguments {
			if q.Takes(param) {
				given[param] = value
			}
		}
		args, err := db.Bind(t.Context(), q, given, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := db.Run(t.Context(), q.SQL, args, query.Output{W: &out, Format: "csv"}); err != nil {
			t.Errorf("@%s: %v", name, err)
		}
		if lines := strings.Count(out.String(), "\n"); lines < 2 && name != "problems" && name != "who-references" {
			t.Errorf("@%s: no rows\n%s", name, out.String())
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
