package schema_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/sqlite"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	asks "pakdb/query"
	"pakdb/schema"
	"pakdb/schema/internal/conn"
)

// TestDiffer generates statements over all views and compares what pakdb answers with what
// SQLite answers: rows, names of columns and types of values. SQLite is asked over tables that
// have the rows of the views, which takes a tenth of the time, and one time in twenty over the
// views as the file stores them. PAKDB_FUZZ is how many statements, PAKDB_SEED where they begin.
func TestDiffer(t *testing.T) {
	n := testkit.Of(32, 20_000)
	if s, err := strconv.Atoi(os.Getenv("PAKDB_FUZZ")); err == nil {
		n = s
	}
	seed, _ := strconv.ParseUint(os.Getenv("PAKDB_SEED"), 10, 64)
	catalogs := []string{editionsCatalog(t, seed+7, 12, 5), fixtureFile(t)}
	for i, path := range catalogs {
		d := newDiffer(t, path, seed<<8+uint64(i))
		// A build of the first one has archives under two names each.
		d.compare(statement{text: "SELECT build, archive, count(*) FROM entries GROUP BY build, archive"})
		d.compare(statement{text: "SELECT count(*) FROM entries a WHERE EXISTS (SELECT 1 FROM entries b WHERE a.content = b.content AND b.archive IN ('again0.tst', '1.tst'))"})
		d.compare(statement{text: "SELECT count(*) FROM entries a JOIN entries b ON a.path = b.path AND a.content <> b.content"})
		// Groups have an order that SQL leaves open, and that of SQLite all the same.
		d.compare(statement{text: "SELECT json_group_array(n) FROM (SELECT sum(size) AS n FROM entries GROUP BY path)"})
		d.compare(statement{text: "SELECT json_group_array(n) FROM (SELECT count(*) + min(size) AS n FROM entries GROUP BY content)"})
		for range n / len(catalogs) / 2 {
			d.one()
		}
		d.columns["entries"] = slices.DeleteFunc(d.columns["entries"], func(c viewColumn) bool {
			return !slices.Contains([]string{"build", "path", "content", "path_id", "size"}, c.name)
		})
		d.views = []string{"entries"} // of which a statement may compare texts alone
		for range n / len(catalogs) / 2 {
			s := d.statement()
			if !s.some && d.IntN(2) == 0 {
				s.text = "SELECT count(*) FROM (" + s.text + ")"
			}
			d.compare(s)
		}
		t.Logf("%d statements, %d with rows, %d refused by both, %d too long", d.n, d.withRows, d.refused, d.long)
		if d.withRows < d.n/8 {
			t.Errorf("only %d of %d statements have rows", d.withRows, d.n)
		}
		if d.long > 2+d.n/200 {
			t.Errorf("%d of %d statements are too long", d.long, d.n)
		}
	}
}

// TestComparedAndOrdered compares answers where labels of builds read as numbers, and where
// rows are wanted in an order.
func TestComparedAndOrdered(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		for i, label := range []string{"1", "1.0", "01", "x", "X", "2"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				entries := []schema.Entry{{Name: "", Method: "none"}}
				for k := range 20 {
					entries = append(entries, schema.Entry{Name: fmt.Sprintf("%s/D%d/%c%d.%s", []string{"a", "A", "a.b"}[k%3], k%4, 'a'+rune(k), k/2, []string{"x", "Y"}[k%2]),
						Method: "none", Size: int64(k * i % 7), HasContent: k%5 > 0, Content: schema.Digest{byte(k * i % 11), 2, 3, 4, 5, 6, 7, 8}, ContentSize: int64(k)})
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	d := newDiffer(t, path, 1)
	for _, text := range []string{
		"SELECT count(*) FROM entries WHERE build = '1'",
		"SELECT count(*) FROM entries WHERE build = 1",
		"SELECT count(*) FROM entries WHERE build = 1.0",
		"SELECT count(*) FROM entries WHERE build = x'31'",
		"SELECT count(*) FROM entries WHERE build = 'X' COLLATE NOCASE",
		"SELECT count(*) FROM entries WHERE build IN (1, 'x', NULL)",
		"SELECT count(*) FROM entries WHERE build = 'x' OR build = 2",
		"SELECT count(*) FROM entries WHERE build = 'x' AND build_id = 4",
		"SELECT b.build, count(*) FROM builds b JOIN entries e ON e.build = b.build_id GROUP BY 1",
		"SELECT count(*) FROM entries e JOIN (SELECT build_id AS x FROM builds UNION ALL SELECT build FROM builds) u ON e.build = u.x",
		"SELECT count(*) FROM entries e WHERE build IN (SELECT build FROM builds WHERE build_id < 3)",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path = b.path WHERE a.build = '1' AND b.build = '2' AND a.content <> b.content",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path = b.path AND a.content = b.content WHERE a.build = '1' AND b.build = '2'",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path = b.path AND b.path IS a.path WHERE a.build = '1' AND b.build = '2'",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path = b.content",
		"SELECT count(*) FROM entries a LEFT JOIN entries b ON a.path = b.path AND b.build = '1' AND a.content <> b.content WHERE b.path IS NULL",
		"SELECT count(*) FROM entries a FULL JOIN entries b ON a.path = b.path AND a.build = '1' AND b.build = '2'",
		"SELECT count(*) FROM entries a FULL JOIN entries b ON a.path = b.path AND a.build = '1' AND b.build = '2' WHERE coalesce(a.build, '1') = '1' AND (a.path IS NULL OR b.path IS NULL)",
		"SELECT count(*) FROM entries a JOIN entries b ON coalesce(a.path, '') = coalesce(b.path, '') AND a.content = b.content",
		"SELECT sum(a.path < b.path), count(*) FROM entries a JOIN entries b ON a.content = b.content",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path IN (b.path, b.content)",
		"SELECT count(*) FROM entries a JOIN files f ON f.path = a.path",
		"SELECT CASE WHEN a.path = b.path THEN 1 ELSE a.content = b.content END, count(*) FROM entries a JOIN entries b ON a.size = b.size GROUP BY 1",
		"SELECT count(*), max(n), total(n) FROM (SELECT count(DISTINCT content) AS n FROM entries GROUP BY path)",
		"SELECT count(*) FROM entries WHERE build = 'x' AND (path, content) NOT IN (SELECT path, content FROM entries WHERE build = '2')",
		"SELECT count(*) FROM entries WHERE path IN (SELECT content FROM entries UNION SELECT path FROM entries WHERE size > 2)",
		"SELECT count(*), min(size) FROM (SELECT size FROM entries WHERE path IS NOT NULL ORDER BY path DESC, build_id, size LIMIT 7)",
		"SELECT count(*) FROM (SELECT path, content FROM entries WHERE build = '1' INTERSECT SELECT path, content FROM entries WHERE build = '2')",
		"WITH RECURSIVE x(p, n) AS (SELECT path, 0 FROM entries WHERE build = '1' UNION SELECT e.path, n + 1 FROM x JOIN entries e ON e.path = x.p WHERE n < 2) SELECT count(*) FROM x",
		"SELECT build, path FROM entries WHERE (build, path) = ('1', 'a/D0/a0.x')",
		"SELECT DISTINCT ext, type FROM entries",
		"SELECT build, ext, count(*), sum(size) FROM entries GROUP BY build, ext",
		"SELECT content, count(DISTINCT path) FROM entries GROUP BY content",
		"SELECT min(path), max(path) FROM entries",
		"SELECT ext FROM entries UNION SELECT dir FROM entries",
		"SELECT (SELECT path FROM entries e WHERE e.build = b.build AND e.size > 2 ORDER BY size DESC, path LIMIT 1) FROM builds b",
		"+SELECT build, path FROM entries ORDER BY build, path DESC",
		"+SELECT size, content, path, build_id FROM entries ORDER BY size DESC, content, path, build_id",
		"+SELECT path, build FROM entries WHERE build <> '1' ORDER BY path, build",
		"+SELECT dir, ext, name, build FROM entries WHERE build IN ('x', '1') ORDER BY dir, ext DESC, name, build",
		"+SELECT path FROM entries UNION SELECT content FROM entries ORDER BY 1",
		"+SELECT path, count(*) OVER (PARTITION BY ext ORDER BY path, build_id) FROM entries ORDER BY path, build_id, 2",
		"+SELECT a.path, b.build FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = '1' ORDER BY a.path DESC, b.build LIMIT 30",
	} {
		text, ordered := strings.CutPrefix(text, "+")
		d.compare(statement{text: text, ordered: ordered})
	}
	if d.withRows < d.n-1 || d.refused > 0 {
		t.Errorf("%d statements of %d have rows, %d are refused", d.withRows, d.n, d.refused)
	}
}

// TestTextsWithNUL compares answers about paths that have a NUL, which ends patterns and
// comparisons without case alone.
func TestTextsWithNUL(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		for _, label := range []string{"1", "2"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				var entries []schema.Entry
				for _, name := range []string{"Game/a", "Game/a\x00", "Game/a\x00b.x", "Game/A\x00c.x", "Game\x00/a", "Game\x00/b", "\x00"} {
					entries = append(entries, schema.Entry{Name: name, Method: "none"})
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	d := newDiffer(t, path, 1)
	for _, text := range []string{
		"SELECT a.path, count(*) FROM entries a JOIN entries b ON a.path = b.path GROUP BY a.path",
		"SELECT a.path, count(*) FROM entries a JOIN entries b ON a.path = b.path COLLATE NOCASE GROUP BY a.path",
		"SELECT a.path, count(*) FROM entries a JOIN entries b ON a.name = b.name AND a.dir = b.dir GROUP BY a.path",
		"SELECT path FROM entries WHERE path = 'Game/a' || char(0) || 'b.x'",
		"SELECT path FROM entries WHERE dir = 'Game' || char(0)",
		"SELECT path FROM entries WHERE name <> 'a' || char(0)",
		"SELECT path FROM entries WHERE path GLOB 'Game/a' || char(0) || '/*'",
		"SELECT path FROM entries WHERE path LIKE 'Game/A' || char(0) || '%'",
		"SELECT path FROM entries WHERE path IN (SELECT path FROM entries WHERE name > 'a')",
	} {
		d.compare(statement{text: text})
	}
	if d.withRows < d.n {
		t.Errorf("%d statements of %d have rows", d.withRows, d.n)
	}
}

// TestContentsOfOtherSizes compares joins by contents whose sizes archives state in two ways.
func TestContentsOfOtherSizes(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		for i, label := range []string{"1", "2"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				var entries []schema.Entry
				for k := range 3000 {
					entries = append(entries, schema.Entry{Name: fmt.Sprintf("a/%d", k), Method: "none", HasContent: true,
						Content: schema.Digest{byte(k), byte(k >> 8), 3}, ContentSize: int64(k * (i + 1))})
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	d := newDiffer(t, path, 1)
	for _, text := range []string{
		"SELECT count(*) FROM entries a JOIN entries b ON a.content = b.content WHERE a.build = '1' AND b.build = '2'",
		"SELECT count(*) FROM entries a JOIN entries b ON a.path = b.path AND a.content <> b.content WHERE a.build = '1' AND b.build = '2'",
		"SELECT count(DISTINCT content) FROM entries",
	} {
		d.compare(statement{text: text})
	}
}

// TestNumbersAndTexts compares answers of pakdb and of the views where numbers that a view computes
// are compared with texts that have an affinity.
func TestNumbersAndTexts(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		for _, label := range []string{"1", "2", "x"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				var entries []schema.Entry
				for i := range 20 {
					entries = append(entries, schema.Entry{Name: fmt.Sprint("a/", i), Method: "none", Size: int64(i)})
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	d := newDiffer(t, path, 1)
	for _, text := range []string{
		"SELECT a.path FROM entries a JOIN builds b ON a.ordinal = b.build",
		"SELECT path FROM entries WHERE ordinal < CAST('5' AS TEXT)",
		"SELECT a.path, b.build FROM files a JOIN builds b ON a.ordinal BETWEEN b.build AND '12'",
		"SELECT build FROM builds WHERE entry_count IN (CAST('20' AS TEXT))",
	} {
		want, err := d.rows(d.stored, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.asked(text, nil)
		slices.Sort(want.rows)
		slices.Sort(got.rows)
		if err != nil || len(want.rows) == 0 || !slices.Equal(got.rows, want.rows) {
			t.Errorf("%s: %d rows, want %d; %v", text, len(got.rows), len(want.rows), err)
		}
	}
}

// TestOddArchives compares answers about archives whose names are no UTF-8, or those of others.
func TestOddArchives(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		for i, label := range []string{"1", "2\xff"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				for _, name := range []string{"same.tst", "same.tst", "odd\xfe\xff.tst", "\xff"} {
					entries := []schema.Entry{{Name: "Game/\xfa.x", Method: "none", Size: int64(i)}, {Name: "Game/" + name, Method: "none"}}
					schematest.Mount(t, b, name, entries...)
				}
			})
		}
	})
	d := newDiffer(t, path, 1)
	for _, text := range []string{
		"SELECT build, archive, path, game_path, size FROM entries",
		"SELECT a.path, b.path, a.archive FROM entries a JOIN entries b ON a.archive = b.archive AND a.path = b.path",
		"SELECT archive, count(*) FROM entries GROUP BY archive",
		"SELECT * FROM files",
	} {
		d.compare(statement{text: text})
	}
	if d.withRows < d.n {
		t.Errorf("%d statements of %d have rows", d.withRows, d.n)
	}
}

type viewColumn struct{ name, kind string }

type differ struct {
	*rand.Rand
	t       testing.TB
	plain   *sql.DB // with tables in place of the views
	stored  *sql.DB // with the views
	db      *asks.DB
	views   []string
	columns map[string][]viewColumn
	values  map[string][]string // literals, by view and viewColumn

	n, withRows, refused, long int
}

func newDiffer(t testing.TB, path string, seed uint64) *differ {
	d := &differ{Rand: rand.New(rand.NewPCG(seed, 3)), t: t, columns: map[string][]viewColumn{}, values: map[string][]string{}}
	var err error
	file := withOffsets(t, path)
	d.plain, d.stored = openPlain(t, "file::memory:"), openPlain(t, file)
	if d.db, err = asks.Open(t.Context(), path, asks.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(d.plain.Close(), d.stored.Close(), d.db.Close()) })
	names, _ := d.rows(d.stored, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name", nil)
	for _, name := range names.rows {
		view := strings.TrimPrefix(name, "string:")
		d.views = append(d.views, view)
		rows, err := d.stored.Query("SELECT name, iif(type IN ('INT', 'NUM'), 'INTEGER', type) FROM pragma_table_info(?)", view)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var c viewColumn
			if err := rows.Scan(&c.name, &c.kind); err != nil {
				t.Fatal(err)
			}
			d.columns[view] = append(d.columns[view], c)
		}
		_ = rows.Close()
	}
	d.makeTables(file)
	for _, view := range slices.Clone(d.views) {
		for _, c := range d.columns[view] {
			found, err := d.rows(d.plain, fmt.Sprintf("SELECT DISTINCT quote(%q) FROM %s WHERE length(%[1]q) < 200 LIMIT 12", c.name, view), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found.rows {
				d.values[view+"."+c.name] = append(d.values[view+"."+c.name], strings.TrimPrefix(v, "string:"))
			}
		}
		if len(d.values[view+"."+d.columns[view][0].name]) > 0 { // views with rows come more often
			d.views = append(d.views, view, view, view)
		}
	}
	return d
}

// makeTables makes tables of the names, rows, affinities and collations of the views of a file.
func (d *differ) makeTables(file string) {
	do := func(text string, args ...any) {
		if _, err := d.plain.Exec(text, args...); err != nil {
			d.t.Fatal(text, err)
		}
	}
	do("ATTACH ? AS stored", file)
	for _, view := range d.views {
		var columns, order []string
		for _, c := range d.columns[view] {
			order = append(order, fmt.Sprintf("+%q", c.name))
		}
		// Nothing shows the collation of a view's column but the sorter of a statement.
		program, err := d.rows(d.stored, fmt.Sprintf("EXPLAIN SELECT * FROM %q ORDER BY %s", view, strings.Join(order, ", ")), nil)
		if err != nil {
			d.t.Fatal(err)
		}
		collations := slices.Repeat([]string{""}, len(order))
		for _, row := range program.rows {
			if _, key, ok := strings.Cut(row, fmt.Sprintf("|string:k(%d,", len(order))); ok && strings.Contains(row, "SorterOpen") {
				key, _, _ = strings.Cut(key, ")")
				for i, name := range strings.Split(key, ",") {
					if name != "B" && name != "" {
						collations[i] = " COLLATE " + name
					}
				}
			}
		}
		for i, c := range d.columns[view] {
			columns = append(columns, fmt.Sprintf("%q %s%s", c.name, c.kind, collations[i]))
		}
		do(fmt.Sprintf("CREATE TABLE main.%q (%s)", view, strings.Join(columns, ", ")))
		do(fmt.Sprintf("INSERT INTO main.%q SELECT * FROM stored.%[1]q", view))
	}
	do("DETACH stored")
	for _, view := range d.views {
		text := fmt.Sprintf("SELECT * FROM %q", view)
		want, err := d.rows(d.plain, text, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		got, err := d.asked(text, nil)
		slices.Sort(got.rows)
		slices.Sort(want.rows)
		if err != nil || !slices.Equal(got.rows, want.rows) || !slices.Equal(got.columns, want.columns) {
			d.t.Fatalf("%s: %v\n%s", text, err, firstDifference(got.rows, want.rows))
		}
	}
}

// openPlain opens a file, or a database in memory, for SQLite alone, with pakdb's functions.
func openPlain(t testing.TB, uri string) *sql.DB {
	t.Helper()
	driver := &sqlite.Driver{}
	for _, f := range plainFunctions() {
		err := driver.RegisterFunction(f.Name, &sqlite.FunctionImpl{NArgs: int32(f.Args), Deterministic: f.Pure, Scalar: func(_ *sqlite.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
			return f.Call(t.Context(), args)
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	db := sql.OpenDB(conn.Connector{On: driver, DSN: uri + "?_dqs=0"})
	db.SetMaxOpenConns(1)
	return db
}

// withOffsets copies a catalog. The view entries of the copy has the offsets that are packed in
// the file. It returns the URI.
func withOffsets(t testing.TB, path string) string {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "plain.db")
	if err := os.WriteFile(copied, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	uri := conn.FileURI(copied, "")
	db := openPlain(t, uri)
	defer func() { _ = db.Close() }()
	var view string
	if err := db.QueryRow("SELECT sql FROM sqlite_schema WHERE name = 'entries'").Scan(&view); err != nil {
		t.Fatal(err)
	}
	const packed = "CAST(NULL AS INTEGER) AS offset"
	if !strings.Contains(view, packed) {
		t.Fatal("view entries has offsets")
	}
	for _, text := range []string{
		"PRAGMA synchronous = OFF",
		"CREATE TABLE located (archive_id, row, offset INTEGER, PRIMARY KEY (archive_id, row))",
		"DROP VIEW entries",
		strings.Replace(view, packed, "(SELECT l.offset FROM located l WHERE l.archive_id = e.archive_id AND l.row = e.row) AS offset", 1),
	} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range schematest.Ask(t, path, "SELECT DISTINCT archive_id, row_id, offset FROM entries") {
		if _, err := db.Exec("INSERT INTO located VALUES (?, ?, ?)", row...); err != nil {
			t.Fatal(err)
		}
	}
	return uri
}

// plainFunctions are the functions of SQL that statements call, for SQLite alone.
func plainFunctions() []schema.Function { return asks.Functions(nil) }

type answer struct {
	columns []string
	rows    []string
}

func (d *differ) rows(db *sql.DB, text string, args []any) (a answer, err error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), 10*time.Second)
	defer cancel()
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return a, err
	}
	defer func() { _ = rows.Close() }()
	a.columns, _ = rows.Columns()
	values := make([]any, len(a.columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return a, err
		}
		a.rows = append(a.rows, show(values))
	}
	return a, rows.Err()
}

func (d *differ) asked(text string, args []any) (a answer, err error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), 20*time.Second)
	defer cancel()
	var given asks.Args
	for _, v := range args {
		given.Positional = append(given.Positional, v)
	}
	err = d.db.Each(ctx, text, given, func(columns []string) error {
		a.columns = slices.Clone(columns)
		return nil
	}, func(v []sqldriver.Value) error {
		values := make([]any, len(v))
		for i := range v {
			values[i] = v[i]
		}
		a.rows = append(a.rows, show(values))
		return nil
	})
	return a, err
}

func show(values []any) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString("|")
		}
		switch v := v.(type) {
		case float64: // sums depend on the order of rows
			fmt.Fprintf(&b, "%T:%.9g", v, v)
		case []byte:
			fmt.Fprintf(&b, "%T:%x", v, v)
		default:
			fmt.Fprintf(&b, "%T:%v", v, v)
		}
	}
	return b.String()
}

// one generates a statement and compares the answers.
func (d *differ) one() { d.compare(d.statement()) }

// compare compares the answers to a statement.
func (d *differ) compare(s statement) {
	d.n++
	plain := d.plain
	if d.n%20 == 0 {
		plain = d.stored
	}
	want, wantErr := d.rows(plain, s.text, s.args)
	if errors.Is(wantErr, context.DeadlineExceeded) {
		d.long++
		return
	}
	if wantErr != nil && strings.Contains(wantErr.Error(), "at most 64 tables") { // a view is one table for pakdb
		d.refused++
		return
	}
	got, err := d.asked(s.text, s.args)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, schema.ErrQuadratic) { // of a join by OR, say
		d.long++
		return
	}
	if wantErr != nil && err != nil {
		d.refused++
		return
	}
	if !s.ordered {
		slices.Sort(want.rows)
		slices.Sort(got.rows)
	}
	same := slices.Equal(got.rows, want.rows)
	if s.some { // LIMIT of rows in no order
		same = len(got.rows) == len(want.rows)
	}
	if len(want.rows) > 0 {
		d.withRows++
	}
	if err != nil || wantErr != nil || !slices.Equal(got.columns, want.columns) || !same {
		d.t.Errorf("%s\n%v\n%d rows, want %d; %v, want %v; columns %v, want %v\n%s", s.text, s.args, len(got.rows), len(want.rows), err, wantErr,
			got.columns, want.columns, firstDifference(got.rows, want.rows))
	}
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "-", "-"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return "got  " + g + "\nwant " + w
		}
	}
	return ""
}

// statement is a generated statement. Rows of one that is not ordered are compared as a set;
// of one that takes some rows in no order only their number is.
type statement struct {
	text          string
	args          []any
	ordered, some bool
}

func pick[T any](d *differ, of ...T) T { return of[d.IntN(len(of))] }

// source is a view with an alias.
type source struct{ view, alias string }

func (d *differ) source(alias string) source { return source{pick(d, d.views...), alias} }

// like returns a source that has columns in common with another one, mostly.
func (d *differ) like(s source, alias string) source {
	if d.IntN(3) == 0 {
		return source{s.view, alias}
	}
	return d.source(alias)
}

func (d *differ) columnOf(s source) viewColumn { return pick(d, d.columns[s.view]...) }

func (s source) of(c viewColumn) string { return s.alias + "." + `"` + c.name + `"` }

// pair returns columns of two sources, of one name mostly.
func (d *differ) pair(a, b source) (x, y viewColumn) {
	x = d.columnOf(a)
	if d.IntN(5) > 0 {
		var common [][2]viewColumn
		for _, p := range d.columns[a.view] {
			for _, q := range d.columns[b.view] {
				if p.name == q.name {
					common = append(common, [2]viewColumn{p, q})
				}
			}
		}
		if len(common) > 0 {
			c := pick(d, common...)
			return c[0], c[1]
		}
	}
	return x, d.columnOf(b)
}

// anyColumns are the columns that may hold numbers and texts, as SCHEMA.md has them.
var anyColumns = sync.OnceValue(func() (names []string) {
	for _, v := range schema.Views() {
		for _, c := range v.Columns {
			if c.Type == "any" {
				names = append(names, v.Name+"."+c.Name)
			}
		}
	}
	return names
})

// isAny reports whether a column may hold numbers and texts and has no affinity. The virtual
// table of a view cannot have such a column: it has the affinity BLOB, which differs where it
// is compared with a column that has the affinity TEXT.
func (s source) isAny(c viewColumn) bool {
	return c.kind == "" && slices.Contains(anyColumns(), s.view+"."+c.name)
}

// compareAlike reports whether SQLite compares two columns by the same affinities, whether
// they are those of views or of virtual tables.
func compareAlike(a source, x viewColumn, b source, y viewColumn) bool {
	return !(a.isAny(x) && y.kind == "TEXT" || b.isAny(y) && x.kind == "TEXT")
}

func (d *differ) literal(s source, c viewColumn) string {
	if known := d.values[s.view+"."+c.name]; len(known) > 0 && d.IntN(4) > 0 {
		v := pick(d, known...)
		switch d.IntN(12) {
		case 0:
			return "upper(" + v + ")"
		case 1:
			return v + " || ' '"
		}
		return v
	}
	return pick(d, "NULL", "0", "1", "2", "1.0", "'1'", "'1 '", "''", "'a'", "'b1'", "'1.0'", "x'61'", "1e3", "'Game'")
}

func (d *differ) collation() string {
	return pick(d, "", "", "", "", "", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY")
}

func (d *differ) operator() string {
	return pick(d, "=", "=", "=", "=", "IS", "<>", "<", ">=", "IS NOT")
}

// condition of one source. args are appended to.
func (d *differ) condition(s source, args *[]any) string {
	c := d.columnOf(s)
	x := s.of(c)
	switch d.IntN(14) {
	case 0:
		return x + d.collation() + " IN (" + d.literal(s, c) + ", " + d.literal(s, c) + ", " + d.literal(s, c) + ")"
	case 1:
		return x + " IS " + pick(d, "", "NOT ") + "NULL"
	case 2:
		return x + pick(d, " LIKE ", " NOT LIKE ") + pick(d, "'%a%'", "'game/%'", "'G%'", "'%.B'", "'%1'", "'f_.a'")
	case 3:
		return x + " LIKE " + pick(d, "'%!_%' ESCAPE '!'", "'G!%%' ESCAPE '!'", "'%/f1!0%' ESCAPE '!'")
	case 4:
		return x + " GLOB " + pick(d, "'Game/*'", "'*1*'", "'[a-c]*'", "'Game/1/*'", "'*'")
	case 5:
		return "NOT (" + d.condition(s, args) + ")"
	case 6:
		return "(" + d.condition(s, args) + " OR " + d.condition(s, args) + ")"
	case 7:
		return x + " BETWEEN " + d.literal(s, c) + " AND " + d.literal(s, c)
	case 8:
		*args = append(*args, pick[any](d, int64(1), "1", "b1", "Game/1/f4.a", nil, 1.5))
		return x + " " + d.operator() + " ?"
	case 9:
		return "lower(" + x + ") = " + d.literal(s, c)
	case 10:
		return "+" + x + " " + d.operator() + " " + d.literal(s, c)
	case 11:
		if len(d.values[s.view+".build"]) > 0 {
			return s.alias + ".build = " + pick(d, d.values[s.view+".build"]...)
		}
	}
	return x + " " + d.operator() + " " + d.literal(s, c) + d.collation()
}

// between is a condition of two sources.
func (d *differ) between(a, b source, args *[]any) string {
	x, y := d.pair(a, b)
	for !compareAlike(a, x, b, y) {
		x, y = d.pair(a, b)
	}
	l, r := a.of(x), b.of(y)
	if d.IntN(2) == 0 {
		l, r = r, l
	}
	switch d.IntN(9) {
	case 0:
		return l + " " + d.operator() + " " + r + d.collation()
	case 1:
		return "lower(" + l + ") = lower(" + r + ")"
	case 2:
		return l + " = " + r + " AND " + d.between(a, b, args)
	case 3:
		return l + " = " + r + pick(d, " AND ", " OR ") + d.condition(a, args)
	case 4:
		if !b.isAny(y) && !a.isAny(x) {
			return "CAST(" + l + " AS TEXT) = " + r
		}
	case 5:
		return l + " IS " + r
	}
	return l + " = " + r
}

func (d *differ) selected(sources ...source) (list string, names []string) {
	var b strings.Builder
	for i := range 1 + d.IntN(3) {
		if i > 0 {
			b.WriteString(", ")
		}
		s := pick(d, sources...)
		c := d.columnOf(s)
		b.WriteString(s.of(c))
		switch d.IntN(4) {
		case 0: // an alias that hides a column
			name := pick(d, d.columns[pick(d, sources...).view]...).name
			if !slices.Contains(names, name) {
				b.WriteString(` AS "` + name + `"`)
				names = append(names, name)
			}
		}
	}
	return b.String(), names
}

// subquery is a SELECT of one column of one kind of affinity.
func (d *differ) subquery(kind string, args *[]any) string {
	for range 50 {
		s := d.source("s")
		c := d.columnOf(s)
		if c.kind != kind || s.isAny(c) {
			continue
		}
		text := "SELECT " + s.of(c) + " FROM " + s.view + " s"
		if d.IntN(2) == 0 {
			text += " WHERE " + d.condition(s, args)
		}
		if d.IntN(4) == 0 {
			for range 50 {
				o := d.source("s")
				if y := d.columnOf(o); y.kind == kind {
					return text + pick(d, " UNION ", " EXCEPT ", " INTERSECT ", " UNION ALL ") + "SELECT " + o.of(y) + " FROM " + o.view + " s"
				}
			}
		}
		return text
	}
	return "SELECT NULL"
}

func (d *differ) statement() (s statement) {
	a := d.source("a")
	b := d.like(a, "b")
	where := func(sources ...source) string {
		if d.IntN(3) == 0 {
			return ""
		}
		text := " WHERE " + d.condition(pick(d, sources...), &s.args)
		if d.IntN(2) == 0 {
			text += pick(d, " AND ", " AND ", " OR ") + d.condition(pick(d, sources...), &s.args)
		}
		return text
	}
	switch d.IntN(14) {
	case 0:
		list, _ := d.selected(a)
		s.text = "SELECT " + pick(d, "", "DISTINCT ") + pick(d, list, list, "*") + " FROM " + a.view + " a" + where(a)
	case 1, 2, 3:
		list, _ := d.selected(a, b)
		s.text = "SELECT " + list + " FROM " + a.view + " a " + pick(d, "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "JOIN") +
			" " + b.view + " b ON " + d.between(a, b, &s.args) + where(a, b)
	case 4:
		x, _ := d.pair(a, b)
		join := pick(d, "NATURAL JOIN "+b.view, "JOIN "+b.view+` USING ("`+x.name+`")`, "LEFT JOIN "+b.view+` USING ("`+x.name+`")`, "NATURAL FULL JOIN "+b.view)
		s.text = "SELECT " + pick(d, "*", "count(*)", `"`+x.name+`"`) + " FROM " + a.view + " " + join
	case 5:
		c := d.columnOf(a)
		for a.isAny(c) {
			c = d.columnOf(a)
		}
		list, _ := d.selected(a)
		s.text = "SELECT " + list + " FROM " + a.view + " a WHERE " + a.of(c) + pick(d, " IN (", " NOT IN (") + d.subquery(c.kind, &s.args) + ")"
		if d.IntN(2) == 0 {
			s.text += " AND " + d.condition(a, &s.args)
		}
	case 6:
		list, _ := d.selected(a)
		s.text = "SELECT " + list + " FROM " + a.view + " a WHERE " + pick(d, "", "NOT ") + "EXISTS (SELECT 1 FROM " + b.view + " b WHERE " +
			d.between(a, b, &s.args) + " AND " + d.condition(b, &s.args) + ")"
	case 7:
		s.text = "SELECT " + a.of(d.columnOf(a)) + ", (SELECT count(*) FROM " + b.view + " b WHERE " + d.between(a, b, &s.args) + ") FROM " + a.view + " a" + where(a)
	case 8:
		c := d.columnOf(a)
		alias := pick(d, d.columnOf(a).name, "n")
		s.text = "SELECT " + a.of(c) + ", " + pick(d, "count(*)", "min("+a.of(d.columnOf(a))+")", "max("+a.of(d.columnOf(a))+")",
			"count(DISTINCT "+a.of(d.columnOf(a))+")", "total("+a.of(d.columnOf(a))+")") + ` AS "` + alias + `" FROM ` + a.view + " a" + where(a) +
			" GROUP BY " + a.of(c)
		if alias != c.name {
			if alias != "n" { // HAVING means the column, which differs within a group otherwise
				s.text += ", " + a.of(viewColumn{name: alias})
			}
			s.text += pick(d, "", ` HAVING "`+alias+`" > 1`, ` HAVING "`+alias+`" = 2`, ` HAVING "`+alias+`" IS NOT NULL`)
		}
	case 9:
		one, other := d.columnOf(a), d.columnOf(b)
		s.text = "SELECT " + a.of(one) + " FROM " + a.view + " a" + where(a) + pick(d, " UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ") +
			"SELECT " + b.of(other) + " FROM " + b.view + " b" + where(b)
	case 10:
		c, o := d.columnOf(a), d.columnOf(a)
		s.text = "SELECT " + a.of(c) + ", " + pick(d, "count(*) OVER (PARTITION BY "+a.of(c)+")", "rank() OVER (ORDER BY "+a.of(o)+")",
			"min("+a.of(o)+") OVER (PARTITION BY "+a.of(c)+")") + " FROM " + a.view + " a" + where(a)
	case 11:
		list, names := d.selected(a)
		s.text = "SELECT " + list + " FROM " + a.view + " a" + where(a) + " ORDER BY "
		if len(names) > 0 && d.IntN(2) == 0 {
			s.text += `"` + names[0] + `"` + pick(d, "", " DESC")
		} else {
			s.text += "1" + pick(d, "", " DESC", " COLLATE NOCASE")
		}
		if d.IntN(2) == 0 {
			s.text += " LIMIT " + pick(d, "1", "3", "10", "2 OFFSET 2")
			s.some = true
		}
	case 12:
		c := d.source("c")
		list, _ := d.selected(a, b, c)
		s.text = "SELECT " + list + " FROM " + a.view + " a " + pick(d, "JOIN ", "LEFT JOIN ") + b.view + " b ON " + d.between(a, b, &s.args) + " " +
			pick(d, "JOIN ", "LEFT JOIN ") + c.view + " c ON " + d.between(b, c, &s.args) + " WHERE " + d.condition(a, &s.args) + " LIMIT 2000"
		s.some = true
	default:
		list, _ := d.selected(a)
		s.text = "WITH " + pick(d, "x", "x", b.view) + " AS " + pick(d, "", "MATERIALIZED ", "NOT MATERIALIZED ") + "(SELECT * FROM main." + b.view + " b" + where(b) + ") SELECT " + list +
			", b.* FROM " + a.view + " a " + pick(d, "JOIN", "LEFT JOIN") + " x b ON " + d.between(a, b, &s.args)
		s.text = strings.Replace(s.text, " main."+b.view, " "+b.view, 1)
		if strings.Contains(s.text, "WITH "+b.view) {
			s.text = strings.Replace(s.text, "WITH "+b.view, "WITH x", 1)
		}
	}
	return s
}

// editionsCatalog makes a catalog of builds whose archives continue those of the build
// before, as they come: paths in several archives and twice in one, delete records,
// files that hide others, entries without a path or without a content, a build that was
// removed, one that is not complete, and one that mounts an archive twice.
func editionsCatalog(t testing.TB, seed uint64, entries, changes int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	archives := make([][]schema.Entry, 3)
	entry := func() schema.Entry {
		n := r.IntN(25)
		e := schema.Entry{Name: fmt.Sprintf("Game/%d/f%d.%c", n%3, n, 'a'+n%2), Method: "none", Stored: int64(r.IntN(100)), ContentSize: 5, HasContent: true}
		e.Content = sha256.Sum256([]byte{byte(r.IntN(12))})
		e.Size = e.Stored + 3
		switch r.IntN(12) {
		case 0:
			e.Flags, e.HasContent = 2, false
		case 1:
			e.HasContent = false
		case 2:
			e.Name = ""
		}
		if e.Name != "" && r.IntN(2) == 0 {
			e.Name = strings.ToUpper(e.Name) // the same file
		}
		return e
	}
	for build := range 9 {
		for i := range archives {
			for range map[bool]int{true: entries, false: changes}[build == 0] {
				switch at := r.IntN(len(archives[i]) + 1); {
				case at == len(archives[i]) || build == 0:
					archives[i] = append(archives[i], entry())
				case r.IntN(3) == 0:
					archives[i] = append(archives[i][:at], archives[i][at+1:]...)
				default:
					archives[i][at] = entry()
				}
			}
		}
		b, err := schematest.Begin(t.Context(), c, fmt.Sprint("b", build))
		if err != nil {
			t.Fatal(err)
		}
		for i, entries := range archives {
			if r.IntN(6) == 0 && changes > 1 {
				continue
			}
			name := fmt.Sprint(i, ".tst")
			id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test", Name: name})
			for n := range entries {
				entries[n].Ordinal, entries[n].Offset = int64(n), int64(n*100)
				if err := b.Add(id, &entries[n]); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			mount := schema.Mount{Archive: id, Name: name, Location: "/" + name, Order: int64(i), Place: int64(r.IntN(4))}
			b.Mount(mount)
			if build == 3 {
				mount.Name, mount.Place = fmt.Sprintf("again%d.tst", i), int64(r.IntN(4))
				mount.Location = "/" + mount.Name
				b.Mount(mount)
			}
		}
		if build == 7 {
			err = b.Abandon()
		} else {
			_, err = b.Finish(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Remove(t.Context(), "b4"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
