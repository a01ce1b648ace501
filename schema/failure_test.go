package schema_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// alter runs a statement on the catalog behind its writer's back.
func alter(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// A batch that cannot be written, as on a full disk, fails the build once and
// for all, and blocks nobody; the catalog can be used for the next one.
func TestFailedBatch(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	alter(t, path, "CREATE TRIGGER full BEFORE INSERT ON x_entry_row BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
	deadline := time.AfterFunc(time.Minute, func() { panic("blocked") })
	defer deadline.Stop()
	id := schematest.Start(t, b, schema.Archive{Format: "test"})
	for n := 0; err == nil && n < 1<<20; n++ {
		err = b.Add(id, entry(n))
	}
	finish := func() error { _, err := b.Finish(ctx); return err }
	for name, err := range map[string]error{"Add": err, "Finish": finish(), "Finish again": finish(), "Abandon": b.Abandon()} {
		if err == nil || strings.Count(err.Error(), "disk is full") != 1 {
			t.Errorf("%s: %v, want the reason, once", name, err)
		}
	}
	alter(t, path, "DROP TRIGGER full")
	writeBuild(t, c, "two", []*schema.Entry{entry(1)})
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM x_entry"); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

// A statement that takes long ends soon after its context, as when a process is to stop.
func TestCancelledBatch(t *testing.T) {
	testkit.OnlyDeep(t)
	if testing.Short() {
		t.Skip("takes as long as a build may after it was cancelled")
	}
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	b, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	alter(t, path, `CREATE TRIGGER slow BEFORE INSERT ON x_entry_row BEGIN
		SELECT sum(n) FROM (WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count) SELECT n FROM count); END`)
	id := schematest.Start(t, b, schema.Archive{Format: "test"})
	if err := b.Add(id, entry(1)); err != nil {
		t.Fatal(err)
	}
	deadline := time.AfterFunc(time.Minute, func() { panic("not interrupted") })
	defer deadline.Stop()
	cancel()
	if err := b.Abandon(); err == nil {
		t.Error("no error from a batch that was interrupted")
	}
	alter(t, path, "DROP TRIGGER slow")
	writeBuild(t, c, "two", []*schema.Entry{entry(1)})
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM entries"); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

func TestEndedBuild(t *testing.T) {
	c, _ := newCatalog(t)
	defer func() { _ = c.Close() }()
	b, err := schematest.Begin(context.Background(), c, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := b.Abandon(); err != nil {
		t.Errorf("Abandon after Finish: %v", err)
	}
	if _, err := b.Finish(context.Background()); err == nil {
		t.Error("a build was finished twice")
	}
}

// A catalog that is deleted during a scan is no catalog of that scan.
func TestRemovedCatalog(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	b, err := schematest.Begin(context.Background(), c, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Skip("an open file cannot be removed here:", err)
	}
	if _, err := b.Finish(context.Background()); !errors.Is(err, schema.ErrGone) {
		t.Errorf("Finish: %v, want ErrGone", err)
	}
}

func TestLinkToCatalogIsLocked(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := schema.Open(context.Background(), link); !errors.Is(err, schema.ErrBusy) {
		t.Errorf("Open through a link: %v, want ErrBusy", err)
	}
}

func TestNoPermission(t *testing.T) {
	c, path := newCatalog(t)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		_ = f.Close()
		t.Skip("this user may read anything")
	}
	for name, open := range map[string]func() error{
		"Open":         func() error { _, err := schema.Open(context.Background(), path); return err },
		"OpenReadOnly": func() error { _, err := schema.OpenReadOnly(context.Background(), path); return err },
	} {
		if err := open(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, want fs.ErrPermission", name, err)
		}
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Open(context.Background(), path); !errors.Is(err, schema.ErrReadOnly) {
		t.Errorf("Open of a file that is not writable: %v, want ErrReadOnly", err)
	}
}
