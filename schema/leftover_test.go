package schema_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// A process that is killed while it makes a catalog leaves a database without
// tables. It is not in the way of the next one; a database of someone else is.
func TestOpenTakesWhatADeadProcessLeft(t *testing.T) {
	for statement, want := range map[string]error{
		"PRAGMA journal_mode = wal":      nil,
		"CREATE TABLE t (x)":             schema.ErrNotCatalog,
		"PRAGMA application_id = 123456": schema.ErrNotCatalog,
	} {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := schema.Open(context.Background(), path)
		if !errors.Is(err, want) {
			t.Errorf("after %s: %v, want %v", statement, err, want)
		}
		if err == nil {
			_ = c.Close()
		}
	}
}

// leftOver makes a catalog with build "other" and what an interrupted scan left:
// an archive of size 7, complete, which holds contents 0 to 8191. killed says that
// the process did not get to end the build, and the keys of the contents are not
// there.
func leftOver(t *testing.T, killed bool) string {
	t.Helper()
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	writeBuild(t, c, "other", []*schema.Entry{referring(0), referring(100_000)})
	b, err := schematest.Begin(ctx, c, "interrupted")
	if err != nil {
		t.Fatal(err)
	}
	for archive := range 2 { // the second one pushes the end of the first into the catalog
		id := schematest.Start(t, b, schema.Archive{Size: 7, Quick: digest(archive), Scan: "s", Format: "test"})
		for n := range 8192 {
			if err := b.Add(id, referring(n)); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
	}
	if !killed {
		if err := b.Abandon(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for db := readDB(t, path); scan[int](t, db, "SELECT count(*) FROM x_archive WHERE complete AND size = 7") == 0; {
		time.Sleep(10 * time.Millisecond)
	}
	copied := filepath.Join(t.TempDir(), "killed.db") // what is committed is what a kill leaves
	if err := schema.Copy(ctx, path, copied); err != nil {
		t.Fatal(err)
	}
	if err := b.Abandon(); err != nil {
		t.Fatal(err)
	}
	return copied
}

// An archive that the next scan mounts without reading it has its contents in the
// catalog, and so those that are kept beside it, also when a build was removed
// meanwhile that shares contents with it.
func TestWhatAnInterruptedScanLeftIsWhole(t *testing.T) {
	for name, c := range testkit.SomeOf(map[string]struct {
		killed, remove bool
		known          int
	}{
		"cancelled":                      {known: 1},
		"killed":                         {killed: true, known: 1},
		"cancelled, and a build removed": {remove: true},
		"killed, and a build removed":    {killed: true, remove: true},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			path := leftOver(t, c.killed)
			catalog, err := schema.Open(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = catalog.Close() }()
			if c.remove {
				if err := catalog.Remove(ctx, "other"); err != nil {
					t.Fatal(err)
				}
			}
			b, err := schematest.Begin(ctx, catalog, "next")
			if err != nil {
				t.Fatal(err)
			}
			known, err := b.Known(ctx, 7, 0, digest(0), "s")
			if err := errors.Join(err, b.Abandon()); err != nil || len(known) != c.known {
				t.Errorf("%d archives are known, want %d: %v", len(known), c.known, err)
			}
			for n, want := range map[int]bool{0: c.known > 0, 8191: c.known > 0, 100_000: !c.remove} {
				if holds, err := catalog.Holds(ctx, digest(n)); holds != want || err != nil {
					t.Errorf("content %d is held: %v, want %v: %v", n, holds, want, err)
				}
			}
			for table, n := range keysOf(t, keyDB(t, path)) {
				if n[0] != n[1] {
					t.Errorf("%s: %d of %d have keys", table, n[1], n[0])
				}
			}
		})
	}
}
