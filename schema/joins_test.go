package schema_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	asks "pakdb/query"
	"pakdb/schema"
)

// joinForms are the ways in which statements join two views by a column of each; lower has those
// by an expression.
var (
	joinForms = []string{
		"SELECT count(*) FROM %[1]s a JOIN %[2]s b ON a.%[3]q = b.%[3]q",
		"SELECT count(*) FROM %[1]s a LEFT JOIN %[2]s b ON a.%[3]q = b.%[3]q",
		"SELECT count(*) FROM %[1]s a FULL JOIN %[2]s b ON a.%[3]q = b.%[3]q",
		"SELECT count(*) FROM %[1]s a WHERE NOT EXISTS (SELECT 1 FROM %[2]s b WHERE a.%[3]q = b.%[3]q)",
		"SELECT count(*) FROM %[1]s WHERE %[3]q NOT IN (SELECT %[3]q FROM %[2]s)",
		"SELECT count(*) FROM %[1]s WHERE %[3]q IN (SELECT %[3]q FROM %[2]s)",
	}
	lowerForms = []string{
		"SELECT count(*) FROM %[1]s a JOIN %[2]s b ON lower(a.%[3]q) = lower(b.%[3]q)",
		"SELECT count(*) FROM %[1]s a LEFT JOIN %[2]s b ON lower(a.%[3]q) = lower(b.%[3]q)",
		"SELECT count(*) FROM %[1]s a FULL JOIN %[2]s b ON lower(a.%[3]q) = lower(b.%[3]q)",
		"SELECT count(*) FROM %[1]s a WHERE NOT EXISTS (SELECT 1 FROM %[2]s b WHERE lower(a.%[3]q) = lower(b.%[3]q))",
		"SELECT count(*) FROM %[1]s WHERE lower(%[3]q) NOT IN (SELECT lower(%[3]q) FROM %[2]s)",
		"SELECT count(*) FROM %[1]s WHERE lower(%[3]q) IN (SELECT lower(%[3]q) FROM %[2]s)",
	}
)

// joinedView is a view of a catalog that [joinedCatalog] makes.
type joinedView struct {
	name    string
	columns []viewColumn
}

// joinedCatalog makes a catalog of two builds of n entries, of which a tenth differ, and for
// each view of the schema one more with its columns, of n rows with other values in each.
func joinedCatalog(t *testing.T, n int) (*asks.DB, []joinedView) {
	t.Helper()
	path := schematest.Write(t, func(c *schema.Catalog) {
		for build := range 2 {
			schematest.Build(t, c, fmt.Sprint("b", build), func(b *schema.Build) {
				entries := make([]schema.Entry, n)
				for i := range entries {
					k := i
					if build == 1 && i%10 == 0 {
						k = i + n
					}
					entries[i] = schema.Entry{Name: fmt.Sprintf("Game/Folder%d/Asset_%07d.uasset", k/100, k), Method: "none", Size: int64(k), Stored: int64(k),
						HasContent: true, Content: schema.Digest{byte(k), byte(k >> 8), byte(k >> 16), 1, 2, 3, 4, 5}, ContentSize: int64(k)}
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	var all []joinedView
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	// Other columns of these have few values.
	telling := []string{"path", "content", "name", "game_path", "path_id", "content_id", "size", "ordinal"}
	for _, name := range query(t, file, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name") {
		own := joinedView{name: name[0].(string)}
		v := joinedView{name: "s_" + name[0].(string)}
		var declared, values []string
		for _, c := range query(t, file, "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", name[0]) {
			column := viewColumn{c[0].(string), c[1].(string)}
			if slices.Contains(telling, column.name) {
				own.columns = append(own.columns, column)
			}
			value := "printf('Text%07d', i)"
			switch {
			case column.name == "build":
				value = "'b' || i % 2"
			case column.name == "build_id":
				value = "1 + i % 2"
			case column.kind != "" && column.kind != "TEXT":
				value = "i"
			}
			if !strings.HasPrefix(column.name, "build") {
				v.columns = append(v.columns, column)
				value = "CASE WHEN i % 50 = 7 THEN NULL ELSE " + value + " END"
			}
			declared, values = append(declared, fmt.Sprintf("%q %s", column.name, column.kind)), append(values, value)
		}
		if all = append(all, v); slices.Contains([]string{"entries", "files", "contents"}, own.name) {
			all = append(all, own)
		}
		for _, text := range []string{
			fmt.Sprintf("CREATE TABLE t_%s (%s)", v.name, strings.Join(declared, ", ")),
			fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO t_%s SELECT %s FROM n", n, v.name, strings.Join(values, ", ")),
			fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM t_%[1]s", v.name),
		} {
			if _, err := file.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	db, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, all
}

// TestJoins joins all views with each other by columns of equal names and types, and each with
// itself by lower() of texts. The steps of SQLite are counted: eight times the rows take at most twelve times as
// many, or the statement ends with an error whose hint says what to write. By default it takes
// some statements, with PAKDB_DEEP=all all of them, and with PAKDB_GROWTH=1 16,000 rows.
func TestJoins(t *testing.T) {
	steps := schematest.CountSteps(t)
	sizes := [2]int{200, 1600} // half of 1600 * 1600, as NOT EXISTS reads, is more than a join by no column may read again
	if os.Getenv("PAKDB_GROWTH") != "" {
		sizes = [2]int{2000, 16_000}
	}
	var dbs [2]*asks.DB
	var views []joinedView
	for i, n := range sizes {
		dbs[i], views = joinedCatalog(t, n)
	}
	var texts []string
	for i, a := range views {
		for _, b := range views[i:] {
			for _, c := range a.columns {
				if !slices.Contains(b.columns, c) {
					continue
				}
				forms := joinForms
				if c.kind == "TEXT" && a.name == b.name { // which takes a million rows
					forms = slices.Concat(joinForms, lowerForms)
				}
				for _, form := range forms {
					texts = append(texts, fmt.Sprintf(form, a.name, b.name, c.name))
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	bounded := 0
	for i, text := range texts[:testkit.Of(8, len(texts))] {
		if i%1000 == 0 {
			t.Logf("%d of %d statements", i, len(texts)) // all of them take an hour
		}
		var took [2]int64
		var err error
		for i, db := range dbs {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			steps.Take()
			err = db.Each(ctx, text, asks.Args{}, func([]string) error { return nil }, func([]driver.Value) error { return nil })
			cancel()
			for _, n := range steps.Take() {
				took[i] += n
			}
		}
		switch {
		case errors.Is(err, schema.ErrQuadratic) && strings.Contains(text, "lower") && strings.Contains(asks.Hint(err), "COLLATE NOCASE"):
			bounded++
		case err != nil:
			t.Errorf("%s: %v", text, err)
		case took[1] > 12*took[0]:
			t.Errorf("%s: %d steps for %d rows, %d for %d", text, took[0], sizes[0], took[1], sizes[1])
		}
	}
	t.Logf("%d statements, %d end with an error, of %d", testkit.Of(8, len(texts)), bounded, len(texts))
}

// TestFewOfRecursiveView: of a view that computes each row from others, rows that a list of ids finds are
// looked up, however many ids there are, and no other row is computed.
func TestFewOfRecursiveView(t *testing.T) {
	steps := schematest.CountSteps(t)
	c, path := newCatalog(t)
	if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1",
		Paths: []string{"../testdata/Calligraphy.sip", "../testdata/Calligraphy_next.sip"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var took [2]int64
	for i, text := range []string{
		"SELECT count(value) FROM calligraphy_effective",
		"WITH RECURSIVE n(id) AS (VALUES(100001) UNION ALL SELECT id + 1 FROM n LIMIT 30) SELECT count(value) FROM calligraphy_effective WHERE path_id IN (SELECT id FROM n)",
	} {
		steps.Take()
		if err := db.Each(t.Context(), text, asks.Args{}, func([]string) error { return nil }, func([]driver.Value) error { return nil }); err != nil {
			t.Fatal(err)
		}
		for _, n := range steps.Take() {
			took[i] += n
		}
	}
	if took[1] > took[0]/2 {
		t.Errorf("%d steps for ids that no row has, %d for all rows", took[1], took[0])
	}
}
