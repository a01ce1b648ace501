package schema_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"pakdb/schema"
)

// A catalog that only pakdb wrote to is checked once a day. Each case damages a page
// behind the back of SQLite, so that a check is seen by what it finds.
func TestSeal(t *testing.T) {
	ago := func(d time.Duration) string {
		return fmt.Sprint("UPDATE x_seal SET checked_time = checked_time - (", d.Microseconds(), ")")
	}
	for _, c := range []struct {
		name    string
		before  func(t *testing.T, c *schema.Catalog) // to the open catalog
		sql     string                                // to the closed one, whose time is kept
		touched bool                                  // the file gets another time
		damaged bool                                  // what is found
	}{
		{name: "sealed"},
		{name: "another time", touched: true, damaged: true},
		{name: "23 hours", sql: ago(23 * time.Hour)},
		{name: "a day", sql: ago(24 * time.Hour), damaged: true},
		{name: "of tomorrow", sql: ago(-24 * time.Hour), damaged: true},
		{name: "another file", sql: "UPDATE x_seal SET file_time = file_time + 1", damaged: true},
		{name: "no seal", sql: "DELETE FROM x_seal", damaged: true},
		{name: "failed", damaged: true, before: func(t *testing.T, c *schema.Catalog) {
			if err := c.Remove(t.Context(), "there is none"); !errors.Is(err, schema.ErrNoBuild) {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			catalog, path := newCatalog(t)
			writeBuild(t, catalog, "a", []*schema.Entry{entry(1), entry(2)})
			if c.before != nil {
				c.before(t, catalog)
			}
			if err := catalog.Close(); err != nil {
				t.Fatal(err)
			}
			st, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if c.sql != "" {
				if err := rawly(path, c.sql); err != nil {
					t.Fatal(err)
				}
			}
			page := scan[int64](t, readDB(t, path), "SELECT rootpage FROM sqlite_schema WHERE name = 'x_content'")
			zeroPage(t, path, page)
			at := st.ModTime()
			if c.touched {
				at = at.Add(time.Millisecond)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			catalog, err = schema.Open(t.Context(), path)
			if err == nil {
				if !catalog.Checked() {
					t.Error("not checked")
				}
				_ = catalog.Close()
			}
			if errors.Is(err, schema.ErrDamaged) != c.damaged || err != nil && !c.damaged {
				t.Errorf("%v, want damaged: %v", err, c.damaged)
			}
		})
	}
}

// While a catalog is written to, its file has not the time of the seal, so that what a
// killed writer leaves is checked.
func TestSealOfUnclosed(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "a", []*schema.Entry{entry(1)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	sealed, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = schema.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if open, err := os.Stat(path); err != nil || open.ModTime().Equal(sealed.ModTime()) {
		t.Errorf("%v: %v", err, sealed.ModTime())
	}
}

func zeroPage(t *testing.T, path string, page int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(make([]byte, 4096), (page-1)*4096)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
