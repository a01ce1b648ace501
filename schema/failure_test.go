package schema_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

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
	b, err := c.Begin(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	alter(t, path, "CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
	deadline := time.AfterFunc(time.Minute, func() { panic("blocked") })
	defer deadline.Stop()
	id := b.StartArchive(schema.Archive{Format: "test"})
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
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM entry"); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

func TestEndedBuild(t *testing.T) {
	c, _ := newCatalog(t)
	defer func() { _ = c.Close() }()
	b, err := c.Begin(context.Background(), "one")
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
