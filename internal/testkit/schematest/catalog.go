// Package schematest writes and opens catalogs for tests. Nothing but tests imports
// it.
package schematest

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"pakdb/schema"
)

// Write makes a catalog in a folder that the test removes, lets fill write to it,
// closes it and returns its path.
func Write(t testing.TB, fill func(*schema.Catalog)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fill(c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Begin starts a build that is made now.
func Begin(ctx context.Context, c *schema.Catalog, label string) (*schema.Build, error) {
	return c.Begin(ctx, label, time.Now())
}

// Start begins an archive that continues the edition before, if there is one.
func Start(t testing.TB, b *schema.Build, a schema.Archive) int64 {
	t.Helper()
	id, err := TryStart(t.Context(), b, a)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TryStart is Start, and returns the error.
func TryStart(ctx context.Context, b *schema.Build, a schema.Archive) (int64, error) {
	before, err := b.EditionBefore(ctx, &a)
	if err != nil {
		return 0, err
	}
	return b.Continue(a, before), nil
}

// Build writes one build.
func Build(t testing.TB, c *schema.Catalog, label string, fill func(*schema.Build)) {
	t.Helper()
	b, err := Begin(t.Context(), c, label)
	if err != nil {
		t.Fatal(err)
	}
	fill(b)
	if _, err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Mount writes an archive that has the entries, and mounts it under a name.
func Mount(t testing.TB, b *schema.Build, name string, entries ...schema.Entry) {
	t.Helper()
	id := Start(t, b, schema.Archive{Format: "test", Scan: "test"})
	for i := range entries {
		entries[i].Ordinal = int64(i)
		if err := b.Add(id, &entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name})
}

// OfOne makes a catalog of one build, labelled 1.52, of one archive a.tst.
func OfOne(t testing.TB, entries ...schema.Entry) (path string) {
	t.Helper()
	return Write(t, func(c *schema.Catalog) {
		Build(t, c, "1.52", func(b *schema.Build) { Mount(t, b, "a.tst", entries...) })
	})
}

// Open opens a catalog for reading, until the test ends.
func Open(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := schema.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
