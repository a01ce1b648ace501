package btree_test

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	b, err := c.Begin(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	for a := range 3 {
		id := b.StartArchive(schema.Archive{Format: "test", Scan: "test"})
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
		db := conn.OpenReader(catalog(t, entries))
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
