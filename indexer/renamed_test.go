package indexer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/indexer"
	"pakdb/internal/testkit"
	gen "pakdb/testdata/gen/fixture"
)

// renamed copies archives to a folder, under other names.
func renamed(t *testing.T, names map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range names {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRenamedEditions: archives that have another name in each build, as those of many
// games, are stored by what changed, and shown as a catalog of that build alone shows them.
func TestRenamedEditions(t *testing.T) {
	testkit.NotShort(t)
	for _, quick := range []bool{false, true} {
		for _, workers := range []int{1, 4} {
			if quick != (workers == 4) && !testkit.Deep() {
				continue
			}
			t.Run(fmt.Sprintf("quick=%v workers=%d", quick, workers), func(t *testing.T) {
				shared := newCatalog(t)
				changed := map[int]int{}
				for build := 1; build <= testkit.Of(2, 3); build++ {
					changed[build*50] = build
					utoc := containerBuild(t, changed)
					ucas := utoc[:len(utoc)-len("utoc")] + "ucas"
					dir := renamed(t, map[string]string{
						fmt.Sprintf("pakchunk%d-WindowsClient.pak", build): gameBuild(t, build, gen.Scattered),
						fmt.Sprintf("global-1.%d.utoc", build):             utoc,
						fmt.Sprintf("global-1.%d.ucas", build):             ucas,
						fmt.Sprintf("readme-%d.txt", build):                ucas, // any file
					})
					o := indexer.Options{Label: fmt.Sprint(build), Paths: []string{dir}, Quick: quick, Workers: workers}
					shared.mustScan(o)
					alone := newCatalog(t)
					alone.mustScan(o)
					for _, asked := range []string{
						"SELECT archive, format, entry_count, problem_count FROM archives WHERE build = ? ORDER BY archive",
						"SELECT archive, path, game_path, size FROM files WHERE build = ? ORDER BY path, archive",
						`SELECT archive, ordinal, path, offset, size, stored, iif(?2, NULL, content), method, ext, asset_id, mtime, encrypted, deleted
							FROM entries WHERE build = ?1 ORDER BY archive, ordinal`,
					} {
						got, want := shared.rows(asked, o.Label, quick), alone.rows(asked, o.Label, quick)
						if len(want) < 3 || !slices.Equal(got, want) {
							t.Errorf("build %d: %d rows, want %d, or they differ: %s", build, len(got), len(want), asked)
						}
					}
				}
				if n := countOf(t, shared, "(SELECT DISTINCT lineage_id FROM x_archive WHERE format <> 'loose')"); n != 2 {
					t.Errorf("%d lineages of a pak and a container", n)
				}
				if n := countOf(t, shared, "x_entry_row"); n > 600+400+130 {
					t.Errorf("%d rows", n)
				}
			})
		}
	}
}

// TestRenamedBeside: an archive continues one that its build mounts too, under another name.
func TestRenamedBeside(t *testing.T) {
	testkit.NotShort(t)
	first, second := gameBuild(t, 1, gen.Scattered), gameBuild(t, 2, gen.Scattered)
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{renamed(t, map[string]string{"a1.pak": first})}})
	both := renamed(t, map[string]string{"b.pak": first, "c.pak": second})
	if r := c.mustScan(indexer.Options{Label: "2", Paths: []string{both}}); r.Reused != 1 {
		t.Fatalf("%d archives are known", r.Reused)
	}
	if n := countOf(t, c, "(SELECT DISTINCT lineage_id FROM x_archive)"); n != 1 {
		t.Errorf("%d lineages", n)
	}
	alone := newCatalog(t)
	alone.mustScan(indexer.Options{Label: "2", Paths: []string{both}})
	for _, asked := range []string{
		"SELECT archive, path, game_path, size FROM files WHERE build = '2' ORDER BY path, archive",
		"SELECT archive, path, by_archive FROM shadowed WHERE build = '2' ORDER BY path, archive",
		"SELECT archive, ordinal, path, offset, size, content FROM entries WHERE build = '2' ORDER BY archive, ordinal",
		"SELECT build, content, copies, wasted FROM duplicates WHERE build = '2' ORDER BY content",
	} {
		if got, want := c.rows(asked), alone.rows(asked); len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("%d rows, want %d, or they differ: %s", len(got), len(want), asked)
		}
	}
}

// TestRenamedRepeats: what continues what does not depend on workers, and is the same in each scan.
func TestRenamedRepeats(t *testing.T) {
	build := func(n int) string {
		pak, next := gameBuild(t, n, gen.Scattered), gameBuild(t, n+1, gen.Reordered)
		return renamed(t, map[string]string{fmt.Sprintf("a%d.pak", 7-n): pak, fmt.Sprintf("b%d.pak", n): next, fmt.Sprintf("c%d.pak", n): pak})
	}
	first, second := build(1), build(2)
	var want []string
	for _, workers := range []int{1, 7} {
		c := newCatalog(t)
		for i, dir := range []string{first, second} {
			c.mustScan(indexer.Options{Label: fmt.Sprint(i), Paths: []string{dir}, Workers: workers})
		}
		if got := c.dump(); want == nil {
			want = got
		} else {
			checkSameDump(t, want, got)
		}
	}
}
