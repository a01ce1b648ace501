package schema_test

import (
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestMergeSearched: of a content that two catalogs searched for the ids of their own builds,
// both together have what either found, and the next scan searches it again.
func TestMergeSearched(t *testing.T) {
	t.Run("archives", func(t *testing.T) { mergeSearched(t, 1) })
	t.Run("one archive", func(t *testing.T) { mergeSearched(t, 0) })
}

// mergeSearched merges catalogs whose archives differ if others is 1, and are the same if it is 0.
func mergeSearched(t *testing.T, others int) {
	dir := t.TempDir()
	var paths []string
	for n, found := range [][]schema.Ref{{{Kind: "scan", Space: "a", Key: 1}, {Kind: "scan", Space: "a", Key: 2}}, {{Kind: "scan", Space: "a", Key: 2}, {Kind: "scan", Space: "b", Key: 3, Flags: 1}}} {
		paths = append(paths, filepath.Join(dir, string(rune('0'+n))))
		c, err := schema.Open(t.Context(), paths[n])
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Begin(t.Context(), string(rune('x'+n)), time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		id, err := schematest.TryStart(t.Context(), b, schema.Archive{Size: 9, ModTime: 1, Quick: digest(others * n), Scan: "s", Format: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add(id, &schema.Entry{Name: "f", Method: "none", HasContent: true, Content: digest(7), ContentSize: 9, Stored: 9, Size: 9,
			Facts: &schema.Facts{Inspector: "i/1", Kind: "k", Scan: "all", Known: int64(1 + n), Scanned: found}}); err != nil {
			t.Fatal(err)
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "n", Location: "/n"})
		if _, err := b.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	mergeInto(t, paths[0], false, paths[1])
	db := readDB(t, paths[0])
	const refs = `SELECT group_concat(word || key || flags, ' ') FROM (SELECT word, key, flags FROM x_ref JOIN x_word ON word_id = space_id ORDER BY seq)`
	if got := scan[string](t, db, refs); got != "a10 a20 b31" {
		t.Errorf("references %s", got)
	}
	if known := scan[int64](t, db, "SELECT known FROM x_content_scan"); known == 1 || known == 2 || known == 0 {
		t.Errorf("it was searched for the ids %d, of one catalog alone", known)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM x_ref_key"); n != 3 {
		t.Errorf("%d keys of references, want 3", n)
	}
}
