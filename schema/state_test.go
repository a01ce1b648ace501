package schema_test

import (
	"database/sql/driver"
	"testing"
	"time"

	asks "pakdb/query"
	"pakdb/schema"
)

// TestOneState: a build that is removed while a statement runs is there for all of the
// statement, whose rows are read by several statements of pakdb's own.
func TestOneState(t *testing.T) {
	path := editionsCatalog(t, 5, 30, 5)
	db, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	const text = `SELECT a.build, a.path, (SELECT count(*) FROM entries b WHERE b.path = a.path), f.mount
		FROM entries a LEFT JOIN files f ON f.path = a.path AND f.build = a.build`
	count := func(first func()) (n int) {
		err := db.Each(t.Context(), text, asks.Args{}, func([]string) error { return nil }, func([]driver.Value) error {
			if n++; n == 1 {
				first()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count(func() {})
	removed := make(chan error, 1)
	during := count(func() {
		go func() {
			c, err := schema.Open(t.Context(), path)
			if err == nil {
				if err = c.Remove(t.Context(), "b2"); err == nil {
					err = c.Close()
				}
			}
			removed <- err
		}()
		select {
		case err := <-removed:
			removed <- err
		case <-time.After(300 * time.Millisecond):
		}
	})
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if after := count(func() {}); during != before || after >= before {
		t.Errorf("%d rows before, %d while a build is removed, %d afterwards", before, during, after)
	}
}
