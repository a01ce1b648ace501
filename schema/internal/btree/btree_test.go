package btree_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
)

// catalog writes builds with rows of all sizes: more than a page, and than a level of pages.
func catalog(t *testing.T, entries int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := schematest.Begin(t.Context(), c, "1")
	if err != nil {
		t.Fatal(err)
	}
	for a := range 3 {
		id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test"})
		for i := range entries {
			name := fmt.Sprintf("d%d/%d", i/50, i)
			if i%97 == 0 && a == 0 {
				name += strings.Repeat("long", i%4500)
			}
			e := &schema.Entry{Ordinal: int64(i), Name: name, Size: int64(i) << (i % 40), Offset: -int64(i), Sum: []byte(strings.Repeat("s", i%1500))}
			if err := b.Add(id, e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: fmt.Sprint(a), Location: "/"})
	}
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRows: rows are those of SQL, from any key on and by any key.
func TestRows(t *testing.T) {
	for _, entries := range []int{0, 1, 60, 900} {
		db := conn.Open(catalog(t, entries), conn.ToRead)
		defer func() { _ = db.Close() }()
		s := conn.NewStatements(db)
		list := func(query string, args ...driver.Value) (all []string) {
			if err := s.EachRow(t.Context(), query, args, func(v []driver.Value) { all = append(all, fmt.Sprintf("%v", v)) }); err != nil {
				t.Fatal(err)
			}
			return all
		}
		err := s.Together(t.Context(), func() error {
			pages, err := btree.Open(t.Context(), s)
			if err != nil {
				return err
			}
			rows, err := pages.Table("x_entry_row", "sum", "row", "path_id", "size", "mtime", "print", "until")
			if err != nil {
				return err
			}
			const columns = "SELECT sum, row, path_id, size, mtime, print, until FROM x_entry_row WHERE (lineage_id, row) >= (?1, ?2) ORDER BY lineage_id, row"
			for _, from := range [][2]int64{{-1 << 63, 0}, {1, 0}, {2, 0}, {2, 1 << 20}, {3, 12345678}, {9, 0}} {
				c := rows.Cursor()
				if err := c.From(from[0], from[1]); err != nil {
					return err
				}
				var got []string
				for {
					v, err := c.Next()
					if err != nil {
						return err
					}
					if v == nil {
						break
					}
					got = append(got, said(v))
				}
				if want := list(columns, from[0], from[1]); !slices.Equal(got, want) {
					t.Errorf("%d entries from %v: %d rows, want %d", entries, from, len(got), len(want))
				}
			}
			// One cursor goes to keys near and far: those that are there, and what is beside them.
			keys := list("SELECT lineage_id, row FROM x_entry_row ORDER BY lineage_id, row")
			jumping := rows.Cursor()
			for i := range min(4*len(keys), 600) {
				at := i * 7919 % len(keys)
				if i > 300 {
					at = (i / 3) % len(keys)
				}
				var lineage, row int64
				if _, err := fmt.Sscanf(keys[at], "[%d %d]", &lineage, &row); err != nil {
					return err
				}
				row += int64(i%3) - 1
				if err := jumping.From(lineage, row); err != nil {
					return err
				}
				for range 1 + i%2 {
					v, err := jumping.Next()
					if err != nil {
						return err
					}
					want := list(columns+" LIMIT 1", lineage, row)
					if got := said(v); v == nil && len(want) > 0 || v != nil && got != want[0] {
						t.Fatalf("%d entries from %d, %d: %.80s, want %.80s", entries, lineage, row, got, want)
					}
					if v != nil {
						lineage, row = jumping.Key(), v[1].Int+1
					}
				}
			}
			paths, err := pages.Table("x_path", "name", "dir_id")
			if err != nil {
				return err
			}
			c := paths.Cursor()
			for i := range int64(min(2*entries, 600) + 3) {
				id := i * 7919 % int64(entries+2) // in no order, and then in order
				if i > 300 {
					id = i - 300
				}
				v, err := c.Find(id)
				if err != nil {
					return err
				}
				if got, want := said(v), strings.Join(list("SELECT name, dir_id FROM x_path WHERE path_id = ?1", id), ""); got != want && (v != nil || want != "") {
					t.Errorf("path %d: %.80s, want %.80s", id, got, want)
				}
			}
			if _, err := pages.Table("x_path", "nothing"); !errors.Is(err, btree.ErrDamaged) {
				t.Errorf("a column that is not there: %v", err)
			}
			if _, err := pages.Table("nothing"); !errors.Is(err, btree.ErrDamaged) {
				t.Errorf("a table that is not there: %v", err)
			}
			return nil
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBuilder: SQLite finds nothing wrong with an index of drawn rows, which has as many pages as
// its own or fewer.
func TestBuilder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 2, 300, 301, 700, 20_000, 90_000} {
		path := filepath.Join(t.TempDir(), "a.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		number := func() int64 { return random.Int64N(math.MaxInt64) >> random.Int64N(63) * (1 - 2*random.Int64N(2)) }
		var keys, nulls [][3]int64
		seen := map[[2]int64]bool{}
		err = inTx(db, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), "CREATE TABLE t (c INTEGER, a INTEGER, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID; CREATE INDEX own ON t (c); CREATE TABLE k (c INTEGER, a INTEGER, b INTEGER, PRIMARY KEY (c, a, b)) WITHOUT ROWID")
			for range rows {
				row := [3]int64{number() >> random.Int64N(63), number(), number()}
				if key := [2]int64{row[1], row[2]}; seen[key] {
					continue
				} else {
					seen[key] = true
				}
				c := any(row[0])
				if random.IntN(10) == 0 {
					c = nil
					nulls = append(nulls, row)
				} else {
					keys = append(keys, row)
				}
				_, more := tx.ExecContext(t.Context(), "INSERT INTO t VALUES (?, ?, ?)", c, row[1], row[2])
				err = errors.Join(err, more)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(nulls, func(x, y [3]int64) int { return slices.Compare(x[1:], y[1:]) })
		slices.SortFunc(keys, func(x, y [3]int64) int { return slices.Compare(x[:], y[:]) })
		err = inTx(db, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(t.Context(), "PRAGMA writable_schema = 1; PRAGMA schema_version = 1000; INSERT INTO sqlite_schema VALUES ('index', 'x', 't', 2147483647, 'CREATE INDEX x ON t (c)')"); err != nil {
				return err
			}
			b, err := btree.NewBuilder(t.Context(), tx)
			if err != nil {
				return err
			}
			for _, k := range nulls {
				err = errors.Join(err, b.Add(true, k[:]...))
			}
			for _, k := range keys {
				err = errors.Join(err, b.Add(false, k[:]...))
			}
			root, more := b.End(0)
			// A table takes the pages of a tree whose root it has.
			var empty uint32
			more = errors.Join(more, tx.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = 'k'").Scan(&empty))
			for _, k := range keys {
				more = errors.Join(more, b.Add(false, k[:]...))
			}
			_, end := b.End(empty)
			more = errors.Join(more, end)
			_, last := tx.ExecContext(t.Context(), "UPDATE sqlite_schema SET rootpage = ? WHERE name = 'x'", root)
			return errors.Join(err, more, last, b.Close())
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if db, err = sql.Open("sqlite", path); err != nil {
			t.Fatal(err)
		}
		text := func(query string) (text string) {
			t.Helper()
			if err := db.QueryRowContext(t.Context(), query).Scan(&text); err != nil {
				t.Fatal(err)
			}
			return text
		}
		if got := text("PRAGMA integrity_check"); got != "ok" {
			t.Errorf("%d rows: %s", rows, got)
		}
		const differ = "SELECT count(*) FROM (SELECT row_number() OVER () AS n, * FROM (SELECT c, a, b FROM t INDEXED BY x ORDER BY c, a, b)) x " +
			"JOIN (SELECT row_number() OVER () AS n, * FROM (SELECT c, a, b FROM t NOT INDEXED ORDER BY c, a, b)) y USING (n) WHERE (x.c, x.a, x.b) IS NOT (y.c, y.a, y.b)"
		if got := text(differ); got != "0" {
			t.Errorf("%d rows: %s differ", rows, got)
		}
		if got := text("SELECT (SELECT count(*) FROM (SELECT c, a, b FROM t WHERE c IS NOT NULL EXCEPT SELECT * FROM k)) + abs((SELECT count(*) FROM k) - (SELECT count(c) FROM t))"); got != "0" {
			t.Errorf("%d rows: %s of the table differ", rows, got)
		}
		// An eighth of each page is free, so that a few rows between the others split none.
		const pages = "SELECT count(*) FROM dbstat WHERE name = 'x'"
		before := text(pages)
		if got := text("SELECT " + before + " * 7 <= count(*) * 8 + 14 FROM dbstat WHERE name = 'own'"); got != "1" {
			t.Errorf("%d rows: the index has %s pages, one of SQLite's %s", rows, before, text("SELECT count(*) FROM dbstat WHERE name = 'own'"))
		}
		if _, err := db.ExecContext(t.Context(), "INSERT OR IGNORE INTO t SELECT a + 1, b + 1, c FROM t WHERE (a + b) % 50 = 0"); err != nil {
			t.Fatal(err)
		}
		if after := text(pages); after != before {
			t.Errorf("%d rows and a fiftieth more: the index has %s pages, before %s", rows, after, before)
		}
		// Others can be put between its rows, and taken away.
		if _, err := db.ExecContext(t.Context(), "INSERT OR IGNORE INTO t SELECT c / 2, b, a FROM t WHERE a % 3 = 0; DELETE FROM t WHERE a % 3 = 1; "+
			"INSERT OR IGNORE INTO k SELECT c / 2, b, a FROM k WHERE a % 3 = 0; DELETE FROM k WHERE a % 3 = 1"); err != nil {
			t.Fatal(err)
		}
		if got := text("PRAGMA integrity_check"); got != "ok" {
			t.Errorf("%d rows, some of them changed: %s", rows, got)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func inTx(db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	return errors.Join(do(tx), tx.Commit())
}

// said returns a row as fmt says one of SQL.
func said(row []btree.Value) string {
	values := make([]driver.Value, len(row))
	for i, v := range row {
		switch v.Kind {
		case btree.Int:
			values[i] = v.Int
		case btree.Real:
			values[i] = v.Real
		case btree.Text:
			values[i] = string(v.Bytes)
		case btree.Blob:
			values[i] = v.Bytes
		}
	}
	return fmt.Sprintf("%v", values)
}
