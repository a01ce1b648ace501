package indexer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pakdb/indexer"
	"pakdb/internal/testkit"
	gen "pakdb/testdata/gen/fixture"
)

// gameBuild writes a build of 600 entries or so, always under one name.
func gameBuild(t *testing.T, build int, how gen.Changes) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.pak")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := gen.Game(f, 600, build, how); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const editionRows = `SELECT ordinal, path, offset, size, stored, content, method, ext, asset_id, mtime, encrypted, deleted
	FROM entries WHERE build = '%d' ORDER BY ordinal`

// TestEditions: a catalog of several builds of a pak says of each what a catalog of
// that build alone does, and stores little more than the first.
func TestEditions(t *testing.T) {
	testkit.NotShort(t)
	for _, how := range testkit.Some([]gen.Changes{gen.Scattered, gen.Clustered, gen.Front, gen.Reordered}, 1) {
		t.Run(string(how), func(t *testing.T) {
			shared := newCatalog(t)
			for build := 1; build <= 3; build++ {
				pak := gameBuild(t, build, how)
				alone := newCatalog(t)
				for _, c := range []catalog{shared, alone} {
					c.mustScan(indexer.Options{Label: fmt.Sprint(build), Paths: []string{pak}})
				}
				query := fmt.Sprintf(editionRows, build)
				if got, want := shared.rows(query), alone.rows(query); len(want) < 500 || !slices.Equal(got, want) {
					t.Errorf("build %d: %d entries, want %d, or they differ", build, len(got), len(want))
				}
			}
			rows := shared.rows("SELECT count(*) FROM x_entry_row")[0]
			n, err := strconv.ParseInt(rows, 10, 64)
			if limit := map[gen.Changes]int64{gen.Front: 2800, gen.Reordered: 1900}[how]; err != nil || n > max(limit, 750) {
				t.Errorf("%s rows", rows)
			}
		})
	}
}

// TestQuickEditions: a quick scan knows the contents of entries that an earlier scan
// has read, and a full scan after it knows all.
func TestQuickEditions(t *testing.T) {
	c := newCatalog(t)
	first, second := gameBuild(t, 1, gen.Scattered), gameBuild(t, 2, gen.Scattered)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{first}})
	c.mustScan(indexer.Options{Label: "2", Paths: []string{second}, Quick: true})
	unknown := "SELECT count(*) BETWEEN ? AND ? FROM entries WHERE content IS NULL AND build = ?"
	if c.rows(unknown, 1, 60, "2")[0] != "1" {
		t.Errorf("contents are unknown: %s", c.rows("SELECT count(*) FROM entries WHERE content IS NULL"))
	}
	if rows := c.rows("SELECT count(*) BETWEEN 1 AND 60 FROM x_entry_row WHERE since > 0"); rows[0] != "1" {
		t.Errorf("the quick scan added %s rows", c.rows("SELECT count(*) FROM x_entry_row WHERE since > 0"))
	}
	c.mustScan(indexer.Options{Label: "3", Paths: []string{second}})
	for _, build := range []string{"1", "2", "3"} {
		if c.rows(unknown, 0, 0, build)[0] != "1" {
			t.Errorf("build %s: contents are unknown after a full scan", build)
		}
	}
	alone := newCatalog(t)
	alone.mustScan(indexer.Options{Label: "3", Paths: []string{second}})
	query := fmt.Sprintf(editionRows, 3)
	if !slices.Equal(c.rows(query), alone.rows(query)) {
		t.Error("the full scan differs from one in a catalog of its own")
	}
}
