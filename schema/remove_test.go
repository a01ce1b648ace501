package schema_test

import (
	"fmt"
	"testing"

	"pakdb/internal/testkit"
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
