package schema_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// Builds that were read and builds of which only checksums are known, in any order, some
// of them removed: what stored bytes decode to is known when any build of the catalog has
// read them, and sum_key is filled when a scan asks for it.
func TestChecksumsFindContents(t *testing.T) {
	for seed := range uint64(testkit.Of(1, 6)) {
		r := rand.New(rand.NewPCG(seed, 15))
		c, path := newCatalog(t)
		var labels []string
		for build := range testkit.Of(5, 8) {
			label := fmt.Sprint(build)
			writeSummed(t, c, label, r, build > 0 && r.IntN(3) > 0)
			if labels = append(labels, label); len(labels) > 2 && r.IntN(3) == 0 {
				i := r.IntN(len(labels))
				if err := c.Remove(context.Background(), labels[i]); err != nil {
					t.Fatal(err)
				}
				labels = append(labels[:i], labels[i+1:]...)
			}
			db := readDB(t, path)
			if n := scan[int](t, db, `SELECT count(*) FROM x_entry_row r WHERE content_id IS NULL
				AND EXISTS (SELECT 1 FROM x_entry_row x WHERE x.sum = r.sum AND x.content_id IS NOT NULL)`); n != 0 {
				t.Fatalf("seed %d, build %d: %d entries are open that another build has read", seed, build, n)
			}
			if all, _ := findings(t, path); len(all) > 0 {
				t.Fatalf("seed %d, build %d: %v", seed, build, all)
			}
			if build == 0 && scan[int](t, db, "SELECT count(*) FROM x_sum_key") != 0 {
				t.Error("a scan that reads everything fills sum_key")
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// writeSummed writes a build of two archives that continue those of their names.
func writeSummed(t *testing.T, c *schema.Catalog, label string, r *rand.Rand, quick bool) {
	t.Helper()
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, label)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.pak", "b.pak"} {
		id := schematest.Start(t, b, schema.Archive{Scan: "s", Format: "test", Name: name})
		unread := quick && (name == "a.pak" || r.IntN(2) == 0)
		for i := range 12 {
			e := entry(i)
			e.HasTime, e.HasPathHash = false, false
			content := r.IntN(30)
			e.Content, e.Sum = digest(content), fmt.Appendf(nil, "sum of content %5d", content)
			e.HasContent, e.Claimed = !unread, unread
			if err := b.Add(id, e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name})
	}
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
}
