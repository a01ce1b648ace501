package schema_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/schema"
	"pakdb/schema/schematest"
)

// writeNames writes a build of one archive with these names.
func writeNames(ctx context.Context, c *schema.Catalog, label string, names ...string) error {
	b, err := c.Begin(ctx, label)
	if err != nil {
		return err
	}
	a := b.StartArchive(schema.Archive{Format: "test", Name: label})
	for i, name := range names {
		e := schema.Entry{Name: name, Ordinal: int64(i), Size: 1, Stored: 1, HasContent: true, ContentSize: 1}
		e.Content[0] = byte(len(name))
		if err := b.Add(a, &e); err != nil {
			return err
		}
	}
	b.EndArchive(a, nil)
	b.Mount(schema.Mount{Archive: a, Name: label})
	_, err = b.Finish(ctx)
	return err
}

// TestScratchCatalog: paths and contents of a scratch catalog are the same in both
// builds, though their keys are not written; a label has one build.
func TestScratchCatalog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scratch.db")
	c, err := schema.OpenScratch(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for label, names := range map[string][]string{"old": {"a", "d/bb"}, "new": {"a", "d/bb", "d/ccc"}} {
		if err := writeNames(t.Context(), c, label, names...); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeNames(t.Context(), c, "old", "x"); err == nil || !strings.Contains(err.Error(), "has build") {
		t.Errorf("a second build of a label: %v", err)
	}
	if err := writeNames(t.Context(), c, "next", "x"); err == nil || !strings.Contains(err.Error(), "has failed") {
		t.Errorf("a build after one that failed: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := schematest.Open(t, path)
	for query, want := range map[string]int{
		"SELECT count(*) FROM entries":                                    5,
		"SELECT count(*) FROM path":                                       3,
		"SELECT count(*) FROM content":                                    3,
		"SELECT count(*) FROM path_key k JOIN path p USING (path_id)":     3,
		"SELECT count(*) FROM content_key":                                0,
		"SELECT count(*) FROM build WHERE complete = 1":                   2,
		"SELECT count(DISTINCT path_id) FROM entries WHERE build = 'new'": 3,
	} {
		var got int
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", query, got, want, err)
		}
	}
}
