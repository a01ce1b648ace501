package indexer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// containerBuild writes a build of 400 chunks, always under one name. The sizes of those
// that changed say in which build they did.
func containerBuild(t *testing.T, changed map[int]int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.utoc")
	err := codecs.WriteFile(t.Context(), path, iostore.Format(), &codecs.CreateOptions{MountPoint: "../../../Game/"}, func(w codecs.Writer) error {
		for i := range 400 {
			text := strings.Repeat(fmt.Sprint("chunk ", i, " "), 20+i%7)
			if build := changed[i]; build != 0 {
				text += strings.Repeat(fmt.Sprint("of build ", build), 9*build)
			}
			e := &codecs.Entry{Name: fmt.Sprintf("Content/Dir%d/File%d.ubulk", i/20, i)}
			if err := w.Add(context.Background(), e, strings.NewReader(text)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func countOf(t *testing.T, c catalog, table string) int {
	t.Helper()
	n, err := strconv.Atoi(c.rows("SELECT count(*) FROM " + table)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countRows returns how many rows the tables of a catalog have together that say what
// its archives hold. Places and sums of folders are of each version.
func countRows(t *testing.T, c catalog) (total int) {
	t.Helper()
	for _, table := range c.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT IN ('x_archive_place', 'x_folder_sum')") {
		total += countOf(t, c, table)
	}
	return total
}

// TestContainerEditions: a next build of an IoStore container costs what changed in it,
// read in full or quickly, and says of its chunks what a catalog of its own does.
func TestContainerEditions(t *testing.T) {
	testkit.NotShort(t)
	for _, quick := range []bool{false, true} {
		t.Run(fmt.Sprintf("quick=%v", quick), func(t *testing.T) {
			shared := newCatalog(t)
			changed := map[int]int{}
			before := 0
			for build := 1; build <= 3; build++ {
				if build > 1 { // each build changes three chunks more
					for i := range 3 {
						changed[(build*131+i*57)%400] = build
					}
				}
				path := containerBuild(t, changed)
				o := indexer.Options{Label: fmt.Sprint(build), Paths: []string{path}, Quick: quick}
				shared.mustScan(o)
				alone := newCatalog(t)
				alone.mustScan(o)
				const asked = "SELECT ordinal, path, offset, size, stored, content, method, type, asset_id FROM entries WHERE build = ? ORDER BY ordinal"
				got, want := shared.rows(asked, o.Label), alone.rows(asked, o.Label)
				if len(want) < 400 || strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("build %d: %d chunks, want %d, or they differ", build, len(got), len(want))
				}
				now := countRows(t, shared)
				// A changed chunk: its row, its content and the key of that; the build: itself, its archive with the sums, and the mount.
				if added := now - before; build > 1 && added > 3*3+4 {
					t.Errorf("build %d adds %d rows for three chunks that changed", build, added)
				}
				if places := countOf(t, shared, "x_archive_place"); places > build {
					t.Errorf("%d rows say where the chunks of %d builds lie", places, build)
				}
				before = now
				_ = os.Remove(path)
			}
		})
	}
}
