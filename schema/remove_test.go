package schema_test

import (
	"fmt"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestRemoveGivesSpaceBack: whichever of many builds is removed, the pages of what it
// alone had are free, the next build takes them, and Vacuum gives them back.
func TestRemoveGivesSpaceBack(t *testing.T) {
	const builds, own, shared = 8, 500, 100
	of := func(build int) (entries []*schema.Entry) {
		for i := range shared + own {
			n := i
			if i >= shared {
				n = 1_000_000*build + i
			}
			entries = append(entries, entry(n))
			entries[i].Ordinal = int64(i)
		}
		return entries
	}
	for _, gone := range testkit.Some([]int{5, 1, builds}, 1) {
		c, path := newCatalog(t)
		db := readDB(t, path)
		pages := func() (all, used int64) {
			all = scan[int64](t, db, "SELECT page_count FROM pragma_page_count")
			return all, all - scan[int64](t, db, "SELECT freelist_count FROM pragma_freelist_count")
		}
		_, empty := pages()
		for build := 1; build <= builds; build++ {
			writeBuild(t, c, fmt.Sprint(build), of(build))
		}
		all, full := pages()
		if err := c.Remove(t.Context(), fmt.Sprint(gone)); err != nil {
			t.Fatal(err)
		}
		// Keys lie in random order: their pages stay, with room for the keys of the next build.
		if _, used := pages(); full-used < (full-empty)/builds*6/10 {
			t.Errorf("build %d: %d of %d pages are used, were %d with it", gone, used, all, full)
		}
		writeBuild(t, c, "again", of(gone))
		if again, _ := pages(); again > all+all/50 {
			t.Errorf("build %d: %d pages when it is back, were %d", gone, again, all)
		}
		if err := c.Remove(t.Context(), "again"); err != nil {
			t.Fatal(err)
		}
		if err := c.Vacuum(t.Context()); err != nil {
			t.Fatal(err)
		}
		if small, used := pages(); small != used || small > all-(all-empty)/builds*8/10 {
			t.Errorf("build %d: %d pages after Vacuum, %d of them used, were %d with it", gone, small, used, all)
		}
		for query, want := range map[string]int64{
			"SELECT count(*) FROM x_content":     shared + (builds-1)*own,
			"SELECT count(*) FROM x_content_key": shared + (builds-1)*own,
			"SELECT count(*) FROM x_path":        shared + (builds-1)*own,
			"SELECT count(*) FROM x_path_key":    shared + (builds-1)*own,
			"SELECT count(*) FROM x_entry_row":   (builds - 1) * (shared + own),
		} {
			if n := scan[int64](t, db, query); n != want {
				t.Errorf("build %d: %s: %d, want %d", gone, query, n, want)
			}
		}
		_ = db.Close()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := schema.Check(t.Context(), path, func(f schema.Finding) { t.Errorf("build %d: %s: %s", gone, f.Check, f.Detail) }, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemoveTextsWithNUL: the keys of names and paths with a NUL go with them, so that the ids
// are free, and the search finds what comes after such a name.
func TestRemoveTextsWithNUL(t *testing.T) {
	c, path := newCatalog(t)
	e := entry(1)
	e.Name = "Dir\x00s/Na\x00me.ext"
	e.Facts = &schema.Facts{Inspector: "i/1", Kind: "k"}
	for _, name := range []string{"Cue\x00\x00", "Zebra"} {
		e.Facts.Refs = append(e.Facts.Refs, schema.Ref{Kind: "r", Space: "s", Key: schema.NameKey(name), Name: name})
	}
	db := readDB(t, path)
	for range 2 {
		schematest.Build(t, c, "1", func(b *schema.Build) {
			b.Search = schema.SearchMade
			id := schematest.Start(t, b, schema.Archive{Format: "test"})
			if err := b.Add(id, e); err != nil {
				t.Fatal(err)
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: "a"})
		})
		_, err := schema.Check(t.Context(), path, func(f schema.Finding) { t.Errorf("%s: %s", f.Check, f.Detail) }, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if n := scan[int](t, db, "SELECT count(*) FROM x_search_word WHERE x_search_word MATCH 'zebra'"); n == 0 {
			t.Error("the search does not find Zebra")
		}
		if err := c.Remove(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		if n := scan[int](t, db, "SELECT (SELECT count(*) FROM x_name_key) + (SELECT count(*) FROM x_path_key)"); n != 0 {
			t.Fatalf("%d keys of texts that were removed", n)
		}
	}
}
