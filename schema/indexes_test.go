package schema_test

import (
	"context"
	"fmt"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

const countIndexes = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"

// largeBuild adds more entries than travel to the catalog at a time.
func largeBuild(t *testing.T, ctx context.Context, c *schema.Catalog) *schema.Build {
	t.Helper()
	b, err := schematest.Begin(ctx, c, "large")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: 1, Quick: digest(1), Scan: "s", Format: "test"})
	for n := range 9000 {
		if err := b.Add(id, entry(n)); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a.sip", Location: "/a.sip"})
	return b
}

// TestLargeFirstBuildHasIndexes: a large build drops the indexes of an empty catalog and
// makes them when all of its rows are there.
func TestLargeFirstBuildHasIndexes(t *testing.T) {
	c, path := newCatalog(t)
	want := scan[int](t, readDB(t, path), countIndexes)
	b := largeBuild(t, t.Context(), c)
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	if got := scan[int](t, db, countIndexes); got != want {
		t.Errorf("%d indexes, an empty catalog has %d", got, want)
	}
	if s := scan[string](t, db, "PRAGMA integrity_check"); s != "ok" {
		t.Error(s)
	}
}

// finishLargeBuild adds a large build to a catalog and closes it. Nothing is wrong with it then.
func finishLargeBuild(t *testing.T, c *schema.Catalog, path string) {
	t.Helper()
	if _, err := largeBuild(t, t.Context(), c).Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if s := scan[string](t, readDB(t, path), "PRAGMA integrity_check"); s != "ok" {
		t.Error(s)
	}
	if all, _ := findings(t, path); len(all) > 0 {
		t.Error(all)
	}
}

// TestLargeBuildAfterOneWithoutContents: the first build had paths, which keep their keys.
func TestLargeBuildAfterOneWithoutContents(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "deleted", []*schema.Entry{{Name: "gone.txt", Flags: 2, Offset: -1}})
	finishLargeBuild(t, c, path)
}

// TestLargeBuildAfterEditionsWithoutNames: no path, content or text was stored before, but rows that
// lie between those of a first edition.
func TestLargeBuildAfterEditionsWithoutNames(t *testing.T) {
	c, path := newCatalog(t)
	for build, ids := range [][]uint64{{1, 3}, {1, 2, 3}} {
		schematest.Build(t, c, fmt.Sprint(build), func(b *schema.Build) {
			id := schematest.Start(t, b, schema.Archive{Name: "b.bin", Size: int64(len(ids)), Quick: digest(build), Scan: "s", Format: "test"})
			for n, low := range ids {
				if err := b.Add(id, &schema.Entry{Ordinal: int64(n), Flags: 2, Offset: -1, ID: [2]uint64{0, low}, IDBits: 32}); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: "b.bin", Location: "/b.bin"})
		})
	}
	finishLargeBuild(t, c, path)
}

// TestInterruptedBuildLeavesIndexesToTheNext: one that is cancelled does not take the time
// for them.
func TestInterruptedBuildLeavesIndexesToTheNext(t *testing.T) {
	c, path := newCatalog(t)
	want := scan[int](t, readDB(t, path), countIndexes)
	ctx, cancel := context.WithCancel(t.Context())
	b := largeBuild(t, ctx, c)
	cancel()
	if err := b.Abandon(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := scan[int](t, readDB(t, path), countIndexes); got == want {
		t.Errorf("%d indexes, all of them", got)
	}
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	writeBuild(t, c, "small", []*schema.Entry{entry(1), entry(2)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	if got := scan[int](t, db, countIndexes); got != want {
		t.Errorf("%d indexes after the next build, an empty catalog has %d", got, want)
	}
	if s := scan[string](t, db, "PRAGMA integrity_check"); s != "ok" {
		t.Error(s)
	}
	if all, _ := findings(t, path); len(all) > 0 {
		t.Error(all)
	}
}
