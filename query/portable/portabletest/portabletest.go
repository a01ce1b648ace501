// Package portabletest has a catalog whose rows tell engines apart, and questions with the
// answers of SQLite, which other engines must give as well. Nothing but tests imports it.
package portabletest

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/query/portable"
	"pakdb/schema"
)

// Odd is a build of [Catalog] whose label no dialect and no file system takes as it is.
const Odd = "2.1 é'/\\"

// Builds are the labels of [Catalog], oldest first.
func Builds() []string { return []string{"1.0", "1.1", "2.0", Odd} }

// Catalog writes a catalog of real archives, and of builds whose rows tell engines apart.
// root is the path of the module.
func Catalog(t testing.TB, root string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	for _, build := range [][2]string{{"1.0", "Calligraphy.sip"}, {"1.1", "Calligraphy_next.sip"}} {
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: build[0],
			Paths: []string{filepath.Join(root, "testdata", build[1])}})
		if err != nil {
			t.Fatal(err)
		}
	}
	Tricky(t, c, "2.0", 0)
	Tricky(t, c, Odd, 1)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// Tricky adds a build with NULL paths, delete records, mixed case, texts that are not
// ASCII, hashes above 2^63 and equal contents. step changes some of it.
func Tricky(t testing.TB, c *schema.Catalog, label string, step int) {
	t.Helper()
	b, err := c.Begin(t.Context(), label)
	if err != nil {
		t.Fatal(err)
	}
	digest := func(n int) schema.Digest { return schema.Digest{0xff, byte(n), 0xfe, byte(n), 1, 2, 3, 0xff} }
	mount(t, b, "a.pak",
		schema.Entry{Name: "Game/Ultron.uasset", Size: 5, Stored: 3, Method: "zlib", HasContent: true, Content: digest(1), ContentSize: 5},
		schema.Entry{Name: "game/ultron.uasset", Size: 5, Stored: 5, Method: "none", HasContent: true, Content: digest(1), ContentSize: 5},
		schema.Entry{Name: "Game/Ünï/本.uasset", Size: int64(7 + step), Stored: 2, HasContent: true, Content: digest(2 + step), ContentSize: int64(7 + step)},
		schema.Entry{Size: 9, Stored: 9},
		schema.Entry{Name: "100%_a/b'c\"\\d.txt", Size: 1, Stored: 1, HasContent: true, Content: digest(9), ContentSize: 1},
		schema.Entry{Name: fmt.Sprintf("Game/only/%d", step), Size: 1 << 40, Stored: 1 << 39},
	)
	mount(t, b, "b.pak", schema.Entry{Name: "Game/Ünï/本.uasset", Flags: int64(2 * step), Size: 3, Stored: 3},
		schema.Entry{Name: "top", Size: 2, Stored: 2, HasContent: true, Content: digest(9), ContentSize: 1})
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func mount(t testing.TB, b *schema.Build, name string, entries ...schema.Entry) {
	t.Helper()
	id := b.StartArchive(schema.Archive{Format: "test", Scan: "test"})
	for i := range entries {
		entries[i].Ordinal = int64(i)
		if err := b.Add(id, &entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name})
}

// Question is an SQL text with its parameters, and the answer of SQLite.
type Question struct {
	Name string
	SQL  string
	Args map[string]driver.Value
	Rows [][]string // values as texts; NULL is "NULL"
}

// decisive tell engines apart: a text that one of them answers otherwise fails.
var decisive = map[string]string{
	"like, case":       `SELECT path FROM entries WHERE lower(path) LIKE '%ultron%' ORDER BY build, path`,
	"like, pattern":    `SELECT path FROM entries WHERE path LIKE '100\%\_a%' ESCAPE '\' ORDER BY build, path`,
	"null join":        `SELECT a.path FROM entries a LEFT JOIN entries b ON b.build = '1.0' AND b.path = a.path WHERE a.build = '2.0' AND b.path IS NULL ORDER BY a.path NULLS FIRST, a.ordinal`,
	"never null join":  `SELECT a.path, b.archive, b.size FROM entries a LEFT JOIN entries b ON b.build = '1.0' AND b.path = a.path WHERE a.build = '2.0' AND b.archive IS NULL ORDER BY a.path NULLS FIRST, a.ordinal`,
	"integer division": `SELECT path, CAST(size AS DOUBLE) / 2 AS half FROM entries WHERE build = '2.0' AND size = 5 ORDER BY path`,
	"null order":       `SELECT ext, count(*) AS n FROM entries GROUP BY ext ORDER BY ext NULLS FIRST`,
	"null in":          `SELECT count(*) AS n FROM entries WHERE build = '2.0' AND path NOT IN (SELECT path FROM entries WHERE build = '1.0' AND path IS NOT NULL)`,
	"aggregate":        `SELECT build, sum(size) AS total, max(path) AS last FROM entries GROUP BY build ORDER BY build`,
	"not ascii":        `SELECT path, content FROM files WHERE path = 'Game/Ünï/本.uasset' ORDER BY build`,
	"odd label":        `SELECT count(*) AS n FROM entries WHERE build = '2.1 é''/\'`,
	"windows":          `SELECT path, size - lag(size, 1, 0) OVER (PARTITION BY build ORDER BY size, path NULLS FIRST, archive) AS more FROM entries WHERE build = '2.0' ORDER BY size, path NULLS FIRST, archive`,
}

// traps are what decisive is written for: texts that engines run, with other answers. A catalog
// to which they all give the same ones would not tell a wrong query from a right one.
var traps = map[string]string{
	"like, case":       `SELECT path FROM entries WHERE path LIKE '%ULTRON%' ORDER BY build, path`,
	NullJoin:           `SELECT a.size FROM entries a LEFT JOIN entries b ON b.build = '1.0' AND b.path = a.path WHERE a.build = '2.0' AND b.archive IS NULL ORDER BY a.size`,
	"integer division": `SELECT size / 2 AS half FROM entries WHERE build = '2.0' AND size = 5`,
	"null order":       `SELECT ext FROM entries GROUP BY ext ORDER BY ext`,
}

// NullJoin is the one of [Traps] into which ClickHouse alone falls, unless join_use_nulls is
// set: a column that is never NULL is not so in a row that is not there.
const NullJoin = "null join"

// Traps returns SQL texts to which other engines give other answers than SQLite, with those of
// SQLite by a catalog that [Catalog] wrote.
func Traps(t testing.TB, catalog string) (all []*Question) {
	t.Helper()
	db, err := query.Open(t.Context(), catalog, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for name, text := range traps {
		all = append(all, &Question{Name: name, SQL: text})
	}
	answer(t, db, all)
	return all
}

// clickHouse says the same where ClickHouse takes another text: its literals have escapes,
// and its LIKE has no ESCAPE.
var clickHouse = map[string]string{
	"like, pattern": `SELECT path FROM entries WHERE path LIKE '100\\%\\_a%' ORDER BY build, path`,
	"odd label":     `SELECT count(*) AS n FROM entries WHERE build = '2.1 é\'/\\'`,
}

// ForClickHouse returns the text for ClickHouse.
func (q *Question) ForClickHouse() string {
	if text, ok := clickHouse[q.Name]; ok {
		return text
	}
	return q.SQL
}

// Questions returns the named queries and others, with their answers by a catalog that
// [Catalog] wrote.
func Questions(t testing.TB, catalog string) (all []*Question) {
	t.Helper()
	db, err := query.Open(t.Context(), catalog, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	library, err := portable.Queries()
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]string{"path": "Game/Ünï/本.uasset", "target": "Calligraphy/Powers/Blueprints/Power.blueprint", "limit": "7"}
	for _, name := range library.Names() {
		for _, build := range Builds() {
			q := library[name]
			given := map[string]string{"build": build}
			if !q.Takes("build") {
				if build != Odd {
					continue
				}
				delete(given, "build")
			}
			for param, value := range arguments {
				if q.Takes(param) {
					given[param] = value
				}
			}
			args, err := db.Bind(t.Context(), q, given, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &Question{Name: "@" + name + " of " + build, SQL: q.SQL, Args: args.Named})
		}
	}
	for name, text := range decisive {
		all = append(all, &Question{Name: name, SQL: text})
	}
	answer(t, db, all)
	for _, q := range all {
		if _, ok := decisive[q.Name]; ok && len(q.Rows) == 0 {
			t.Errorf("%s: no rows tell engines apart", q.Name)
		}
	}
	return all
}

// answer fills in the rows of SQLite.
func answer(t testing.TB, db *query.DB, all []*Question) {
	t.Helper()
	for _, q := range all {
		var out bytes.Buffer
		if err := db.Run(t.Context(), q.SQL, query.Args{Named: q.Args}, query.Output{W: &out, Format: "jsonl"}); err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		q.Rows = objects(t, out.String())
	}
}

// objects returns the values of lines that are objects of JSON, in their order.
func objects(t testing.TB, text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		var row []string
		for depth := 0; ; {
			token, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := token.(json.Delim); ok {
				if d == '}' {
					break
				}
				depth++
				continue
			}
			if depth++; depth%2 == 1 { // keys and values by turns
				row = append(row, Value(token))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Value returns a value of JSON as a text.
func Value(v any) string {
	if v == nil {
		return "NULL"
	}
	return fmt.Sprint(v)
}
