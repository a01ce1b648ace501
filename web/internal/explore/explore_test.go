package explore_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// entry is a file of an archive.
func entry(name, content string) schema.Entry {
	e := schema.Entry{Name: name, Method: "none", Size: int64(len(content)), Stored: int64(len(content)) + 2, ContentSize: int64(len(content)), HasContent: true}
	copy(e.Content[:], content)
	return e
}

// mounts writes a build of archives that replace, delete and continue each other.
func mounts(t *testing.T, c *schema.Catalog, label string, text string) {
	schematest.Build(t, c, label, func(b *schema.Build) {
		mount := func(name, point string, place int64, entries ...schema.Entry) {
			id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test", Name: name, MountPoint: point, Size: int64(len(text))})
			for i := range entries {
				entries[i].Ordinal = int64(i)
				if err := b.Add(id, &entries[i]); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: name, Location: "/" + name, Place: place})
		}
		inside, gone, own := entry("Mods/a.zip!/x.txt", "in"), entry("Content/C.uasset", ""), entry("header", "own")
		inside.Flags, gone.Flags, own.Flags, gone.HasContent = 8, 2, 32, false
		unnamed := entry("", "nobody")
		mount("base.pak", "../../../Game/", 2, entry("Content/A.uasset", "aaaa"), entry("Content/B.uexp", "bb"),
			entry("Content/C.uasset", "cccccc"), entry("Content/Deep/Er/D.uasset", text), inside, unnamed, own)
		mount("patch_P.pak", "../../../Game/", 1, entry("Content/A.uasset", "AAAAAAAA"), gone)
		mount("other.pak", "../../../", 3, entry("Game/Content/E.txt", "e"), entry("Top.txt", "top"), entry("Game/Content/Odd/<b>\u202e\n.txt", "odd"))
	})
}

func made(t *testing.T) string {
	return schematest.Write(t, func(c *schema.Catalog) {
		for i := range 3 {
			mounts(t, c, fmt.Sprint("b", i), strings.Repeat("d", 10+i))
		}
	})
}

// indexed writes a build of files.
func indexed(t *testing.T, builds ...[]string) string {
	return schematest.Write(t, func(c *schema.Catalog) {
		for i, paths := range builds {
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: fmt.Sprint("b", i), Paths: paths}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func glob(t *testing.T, patterns ...string) (found []string) {
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files: %v", p, err)
		}
		found = append(found, names...)
	}
	return found
}

// TestFoldersAreThoseOfTheView walks all folders of catalogs, and compares what is found
// with what the views tell.
func TestFoldersAreThoseOfTheView(t *testing.T) {
	catalogs := map[string]func(*testing.T) string{
		"made": made,
		"testdata": func(t *testing.T) string {
			return indexed(t, glob(t, "../../../testdata/mu_cdata_1.5.sip"), glob(t, "../../../testdata/*.sip"))
		},
		"samples": func(t *testing.T) string {
			s := cmp.Or(os.Getenv("PAKDB_SAMPLES"), "../../../../shared/samples")
			if _, err := os.Stat(s); err != nil {
				t.Skip("no samples: set PAKDB_SAMPLES")
			}
			return indexed(t, []string{s + "/unreal-pak"}, []string{s + "/iostore", s + "/unreal-pak/pairs"}, []string{s + "/retro-pak"})
		},
	}
	for name, catalog := range catalogs {
		t.Run(name, func(t *testing.T) {
			db := schematest.Open(t, catalog(t))
			c := explore.New(db)
			builds, err := c.Builds(t.Context())
			if err != nil || len(builds) == 0 {
				t.Fatalf("%d builds: %v", len(builds), err)
			}
			for _, b := range builds {
				tree, err := c.Tree(t.Context(), b.Label)
				if err != nil {
					t.Fatal(err)
				}
				got := walk(t, tree)
				if want := listed(t, db, b.Label); !slices.Equal(got, want) {
					t.Errorf("build %s: %d files found, the view has %d; the first that differs: %s", b.Label, len(got), len(want), firstDifference(got, want))
				}
				checkRoots(t, db, b.ID, b.Label)
				var unnamed int64
				if err := db.QueryRow("SELECT count(*) FROM files WHERE build = ? AND game_path IS NULL", b.Label).Scan(&unnamed); err != nil || unnamed != tree.Unnamed {
					t.Errorf("build %s: %d without a name, want %d (%v)", b.Label, tree.Unnamed, unnamed, err)
				}
			}
		})
	}
}

// checkRoots compares what stands before the paths of archives with the view.
func checkRoots(t *testing.T, db *sql.DB, build int64, label string) {
	t.Helper()
	roots, err := explore.Roots(t.Context(), db, build)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(`SELECT DISTINCT archive, rtrim(substr(game_path, 1, length(game_path) - length(path)), '/')
		FROM files WHERE build = ? AND substr(game_path, -length(path)) = path AND instr(game_path, path) = length(game_path) - length(path) + 1`, label)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	different := map[string]bool{}
	for rows.Next() {
		var archive, root string
		if err := rows.Scan(&archive, &root); err != nil {
			t.Fatal(err)
		}
		different[root] = true
		if got, ok := roots[archive]; roots != nil && (!ok || got != root) {
			t.Errorf("build %s: %s is mounted at %q, the view has %q", label, archive, got, root)
		}
	}
	if err := rows.Err(); err != nil || roots == nil && len(different) > 1 {
		t.Errorf("build %s: no roots, the view has %d (%v)", label, len(different), err)
	}
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return "lacks " + want[i]
		case i >= len(want):
			return "has " + got[i]
		case got[i] != want[i]:
			return fmt.Sprintf("%q, want %q", got[i], want[i])
		}
	}
	return ""
}

// listed returns a line for each file that the view files has of a build.
func listed(t *testing.T, db *sql.DB, build string) (all []string) {
	rows, err := db.Query("SELECT f.game_path, f.archive, f.ordinal, f.size, e.stored FROM files f JOIN entries e USING (build_id, archive, ordinal) WHERE f.build = ? AND f.game_path IS NOT NULL", build)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var path, archive string
		var ordinal, size, stored int64
		if err := rows.Scan(&path, &archive, &ordinal, &size, &stored); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s %d %d %d", path, archive, ordinal, size, stored))
	}
	slices.Sort(all)
	return all
}

// walk lists all files of a tree, and checks its sums.
func walk(t *testing.T, tree *explore.Tree) (all []string) {
	var below func(path string) (files, size, stored int64)
	below = func(path string) (files, size, stored int64) {
		f, err := tree.Folder(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := tree.List(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		ordinals, err := tree.Ordinals(t.Context(), list.Files)
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range list.Files {
			name := file.Name
			if path != "" {
				name = path + "/" + name
			}
			all = append(all, fmt.Sprintf("%s %s %d %d %d", name, tree.ArchiveName(file.Archive), ordinals[i], file.Size, file.Stored))
			files, size, stored = files+1, size+file.Size, stored+file.Stored
		}
		if n, s, st := f.Own(); files != n || size != s || stored != st {
			t.Errorf("%s has %d files of %d bytes itself, its sums say %d of %d", path, files, size, n, s)
		}
		for _, sub := range f.Folders {
			name := sub.Name
			if path != "" {
				name = path + "/" + name
			}
			n, s, st := below(name)
			files, size, stored = files+n, size+s, stored+st
		}
		if files != f.Files || size != f.Size || stored != f.Stored {
			t.Errorf("%s: %d files of %d bytes, its sums say %d of %d", path, files, size, f.Files, f.Size)
		}
		return files, size, stored
	}
	below("")
	slices.Sort(all)
	return all
}

// TestEntriesAreThoseOfTheView looks up every entry by its address.
func TestEntriesAreThoseOfTheView(t *testing.T) {
	for name, catalog := range map[string]string{"made": made(t), "testdata": indexed(t, glob(t, "../../../testdata/Calligraphy.sip"), glob(t, "../../../testdata/damaged.sip"))} {
		t.Run(name, func(t *testing.T) {
			db := schematest.Open(t, catalog)
			c := explore.New(db)
			builds, err := c.Builds(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for i := range builds {
				for _, row := range schematest.Ask(t, catalog, `SELECT e.archive, e.ordinal, coalesce(e.path, ''), e.offset, coalesce(e.content, ''), coalesce(f.game_path, '')
					FROM entries e LEFT JOIN files f USING (build_id, archive, ordinal) WHERE e.build = ?`, builds[i].Label) {
					at := explore.Place{Archive: row[0].(string), Ordinal: row[1].(int64)}
					path, offset, content, game := row[2].(string), row[3].(int64), row[4].(string), row[5].(string)
					e, err := c.Entry(t.Context(), &builds[i], at)
					if err != nil {
						t.Fatal(err)
					}
					if e.Path != path || e.Offset != offset || e.Content != content || e.GamePath != game {
						t.Errorf("%v: %+v, want %q %d %q %q", at, e, path, offset, content, game)
					}
					seen++
					if game == "" {
						continue
					}
					if places, err := c.Places(t.Context(), &builds[i], game); err != nil || !slices.Contains(places, at) || places[0] != at {
						t.Errorf("%s: found %v, want %v first (%v)", game, places, at, err)
					}
				}
				if _, err := c.Entry(t.Context(), &builds[i], explore.Place{Archive: "none", Ordinal: 0}); !errors.Is(err, explore.ErrNoEntry) {
					t.Errorf("an archive that is not there: %v", err)
				}
				for _, ordinal := range []int64{-1, 1 << 40, -1 << 62, 1<<63 - 1} {
					if _, err := c.Entry(t.Context(), &builds[i], explore.Place{Archive: "base.pak", Ordinal: ordinal}); !errors.Is(err, explore.ErrNoEntry) {
						t.Errorf("entry %d: %v", ordinal, err)
					}
				}
			}
			if seen < 10 {
				t.Errorf("only %d entries", seen)
			}
		})
	}
}

func TestWhatIsNotThere(t *testing.T) {
	c := explore.New(schematest.Open(t, made(t)))
	if _, err := c.Tree(t.Context(), "nope"); !errors.Is(err, schema.ErrNoBuild) {
		t.Errorf("no such build: %v", err)
	}
	tree, err := c.Tree(t.Context(), "b1")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"none", "Game/none", "/", "Game/", "Game//Content", "Game/Content/E.txt"} {
		if _, err := tree.Folder(path); !errors.Is(err, explore.ErrNoFolder) {
			t.Errorf("folder %q: %v", path, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Tree(gone, "b2"); !errors.Is(err, context.Canceled) {
		t.Errorf("a question that nobody waits for: %v", err)
	}
	if _, err := c.Tree(t.Context(), "b2"); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestSearch(t *testing.T) {
	c := explore.New(schematest.Open(t, made(t)))
	b, err := c.Build(t.Context(), "b1")
	if err != nil {
		t.Fatal(err)
	}
	content := fmt.Sprintf("%x", "AAAAAAAA") + strings.Repeat("0", 48)
	for typed, want := range map[string]string{
		"Content/A.uasset": "path Content/A.uasset patch_P.pak 0", "a.uasset": "path Content/A.uasset", "E.txt": "path Game/Content/E.txt", content: "content Content/A.uasset patch_P.pak 0",
		"": "", "nothinglikethis": "",
	} {
		a, err := c.Search(t.Context(), b, typed, 10)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(a.Found) > 0 {
			f := a.Found[0]
			if got = f.Kind + " " + f.Path; f.Archive != "" {
				got += fmt.Sprintf(" %s %d", f.Archive, f.Ordinal)
			}
		}
		if got != want {
			t.Errorf("%q: found %q, want %q", typed, got, want)
		}
	}
}

// TestValues: what a file says is what the views have of it.
func TestValues(t *testing.T) {
	db := schematest.Open(t, indexed(t, glob(t, "../../../testdata/Calligraphy.sip"), glob(t, "../../../testdata/Calligraphy_next.sip")))
	c := explore.New(db)
	b, err := c.Build(t.Context(), "b1")
	if err != nil {
		t.Fatal(err)
	}
	entry := func(path string) *explore.Entry {
		t.Helper()
		places, err := c.Places(t.Context(), b, path)
		if err != nil || len(places) != 1 {
			t.Fatalf("%s is at %v: %v", path, places, err)
		}
		e, err := c.Entry(t.Context(), b, places[0])
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	curve := entry("Calligraphy/Powers/Curves/DamageByRank.curve")
	curves, err := c.Curves(t.Context(), b, curve)
	if err != nil || len(curves) != 1 {
		t.Fatalf("%v: %v", curves, err)
	}
	rows, err := db.Query("SELECT position, value FROM calligraphy_curves WHERE build = 'b1' AND path = ? ORDER BY position", curve.Path)
	if err != nil {
		t.Fatal(err)
	}
	var want [][2]float64
	for rows.Next() {
		var p [2]float64
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			t.Fatal(err)
		}
		want = append(want, p)
	}
	_ = rows.Close()
	if len(want) < 5 || !slices.Equal(curves[0].Points, want) {
		t.Errorf("points %v, want %v", curves[0].Points, want)
	}
	if h, err := c.Holds(t.Context(), b, curve); err != nil || h != (explore.Holds{Curves: 1}) {
		t.Errorf("holds %+v: %v", h, err)
	}
}

func TestTables(t *testing.T) {
	s := cmp.Or(os.Getenv("PAKDB_SAMPLES"), "../../../../shared/samples") + "/unreal-properties/cue4parse-UE5_8"
	if _, err := os.Stat(s); err != nil {
		t.Skip("no samples: set PAKDB_SAMPLES")
	}
	db := schematest.Open(t, indexed(t, []string{s + "/Legacy-Tagged-Zlib.pak"}))
	c := explore.New(db)
	b, err := c.Build(t.Context(), "b0")
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Entry(t.Context(), b, explore.Place{Archive: "Legacy-Tagged-Zlib.pak"})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := c.Tables(t.Context(), b, e)
	if err != nil || len(tables) != 1 || len(tables[0].Rows) != 3 || tables[0].More {
		t.Fatalf("%+v: %v", tables, err)
	}
	if row := tables[0].Rows[0]; row[0] != "Alpha" || row[slices.Index(tables[0].Columns, "LargeNumber")] != int64(1234605616436508552) || row[slices.Index(tables[0].Columns, "Nested.Position.Y")] != -2.5 {
		t.Errorf("%v: %v", tables[0].Columns, row)
	}
}

// TestRegistryListsAssets: a registry of assets is a table of these.
func TestRegistryListsAssets(t *testing.T) {
	s := cmp.Or(os.Getenv("PAKDB_SAMPLES"), "../../../../shared/samples") + "/unreal-pak/cue4parse-ue5.8/Pak/Uncompressed"
	if _, err := os.Stat(s); err != nil {
		t.Skip("no samples: set PAKDB_SAMPLES")
	}
	c := explore.New(schematest.Open(t, indexed(t, []string{s})))
	b, err := c.Build(t.Context(), "b0")
	if err != nil {
		t.Fatal(err)
	}
	places, err := c.Places(t.Context(), b, "AssetRegistry.bin")
	if err != nil || len(places) == 0 {
		t.Fatal(places, err)
	}
	e, err := c.Entry(t.Context(), b, places[0])
	if err != nil {
		t.Fatal(err)
	}
	holds, err := c.Holds(t.Context(), b, e)
	if err != nil || holds.Tables != 1 {
		t.Errorf("%+v, %v", holds, err)
	}
	tables, err := c.Tables(t.Context(), b, e)
	if err != nil || len(tables) != 1 || len(tables[0].Rows) != 306 || tables[0].More {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	if got := fmt.Sprint(tables[0].Columns, tables[0].Rows[0]); got != "[ Class Size Package] [ScrubHandleDown_Clamped Texture2D 2059 /AudioWidgets/Resources/ScrubHandleDown_Clamped]" {
		t.Error(got)
	}
}
