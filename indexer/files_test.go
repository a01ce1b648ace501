package indexer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

const defaultMount = "../../../"

// writePak writes a pak of "name=content" entries; "-name" is a delete record.
func writePak(t testing.TB, path string, o codecs.CreateOptions, entries ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err := codecs.WriteFile(ctx, path, unrealpak.Format(), &o, func(w codecs.Writer) error {
		for _, text := range entries {
			name, content, _ := strings.Cut(text, "=")
			e := &codecs.Entry{Name: name}
			if rest, ok := strings.CutPrefix(name, "-"); ok {
				e.Name, e.Flags = rest, codecs.Deleted
			}
			if err := w.Add(ctx, e, strings.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (c catalog) wantRows(query string, want ...string) {
	c.t.Helper()
	if got := c.rows(query); !slices.Equal(got, want) {
		c.t.Errorf("%s\n got %q\nwant %q", query, got, want)
	}
}

const (
	allFiles    = "SELECT path, archive, size, shadowed_count FROM files ORDER BY lower(mount_point || path), archive"
	allShadowed = "SELECT path, archive, by_archive, deleted FROM shadowed ORDER BY lower(path), archive"
)

// What the engine sees of a game and its patches: higher orders win whatever
// their mount point and case, delete records hide what is lower, and nothing of
// their own order.
func TestFilesOfMountedPaks(t *testing.T) {
	testkit.NotShort(t)
	dir := t.TempDir()
	paks := filepath.Join(dir, "Game", "Content", "Paks")
	writePak(t, filepath.Join(paks, "Game-Win.pak"), codecs.CreateOptions{MountPoint: defaultMount},
		"Game/Content/A.uasset=base", "Game/Content/B.uasset=base", "Game/Content/C.uasset=base", "Game/Content/Same.ini=same",
		"Game/Content/Gone.uasset=base")
	writePak(t, filepath.Join(paks, "Game-Win_P.pak"), codecs.CreateOptions{MountPoint: "../../../Game/Content/"},
		"a.UASSET=patched", "-B.uasset", "Same.ini=same", "-Gone.uasset")
	writePak(t, filepath.Join(paks, "Game-Win_1_P.pak"), codecs.CreateOptions{MountPoint: "../../../Game/Content"},
		"B.uasset=back", "-C.uasset")
	// Of the order of Game-Win_1_P: sees what that deletes, but nothing lower.
	writePak(t, filepath.Join(paks, "Game-Mod_1_P.pak"), codecs.CreateOptions{MountPoint: "D:/"},
		"Game/Content/C.uasset=mod", "Game/Content/B.uasset=mod")

	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"})
	win := "Game/Content/Paks/Game-Win"
	c.wantRows(allFiles,
		"a.UASSET|"+win+"_P.pak|7|1",
		"Same.ini|"+win+"_P.pak|4|1",
		"B.uasset|"+win+"_1_P.pak|4|2",
		"Game/Content/C.uasset|Game/Content/Paks/Game-Mod_1_P.pak|3|1")
	c.wantRows(allShadowed,
		"Game/Content/A.uasset|"+win+".pak|"+win+"_P.pak|0",
		"Game/Content/B.uasset|Game/Content/Paks/Game-Mod_1_P.pak|"+win+"_1_P.pak|0",
		"Game/Content/B.uasset|"+win+".pak|"+win+"_1_P.pak|0",
		"Game/Content/C.uasset|"+win+".pak|Game/Content/Paks/Game-Mod_1_P.pak|0",
		"Game/Content/Gone.uasset|"+win+".pak|"+win+"_P.pak|1",
		"Game/Content/Same.ini|"+win+".pak|"+win+"_P.pak|0")
	c.wantRows("SELECT path FROM shadowed WHERE same_content", "Game/Content/Same.ini")
	// Every entry that is no delete record is in one of the two.
	c.wantRows("SELECT (SELECT count(*) FROM files) + (SELECT count(*) FROM shadowed) - (SELECT count(*) FROM entries WHERE NOT deleted)", "0")

	c.mustScan(indexer.Options{Paths: []string{filepath.Join(paks, "Game-Win.pak")}, Label: "b"})
	c.wantRows("SELECT count(*) FROM files", "5")
	c.wantRows("SELECT count(*) FROM shadowed", "0")
	c.wantRows("SELECT count(*) FROM x_build_shadow", "0")
}

// Paks of one order: by descending name. Archives that have no order: the first
// of the build. Loose files of one name in several folders are several files.
func TestFilesOfEqualOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pak", "B.pak"} {
		writePak(t, filepath.Join(dir, name), codecs.CreateOptions{}, "x.txt="+name)
	}
	for _, name := range []string{"one", "two"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "readme.txt"), []byte("the same"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "X.TXT"), []byte("loose"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"})
	c.wantRows("SELECT path, archive, shadowed_count FROM files ORDER BY archive",
		"x.txt|B.pak|2", "one/readme.txt|one/readme.txt|0", "two/readme.txt|two/readme.txt|0")
	c.wantRows(allShadowed, "X.TXT|X.TXT|B.pak|0", "x.txt|a.pak|B.pak|0")
}

// The engine's own patch pair: two of the base's files are replaced.
func TestFilesOfPatchSample(t *testing.T) {
	base := codecstest.Sample(t, "unreal-pak", "cue4parse-ue5.8")
	var paks []string
	err := filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".pak") && strings.Contains(strings.ToLower(path), "patch") {
			paks = append(paks, path)
		}
		return err
	})
	if err != nil || len(paks) != 2 {
		t.Fatalf("%v %v", paks, err)
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: paks, Label: "b"})
	for _, row := range c.rows("SELECT by_archive, archive, count(*) FROM shadowed GROUP BY 1, 2") {
		if parts := strings.Split(row, "|"); !strings.HasSuffix(parts[0], "_P.pak") || parts[2] != "2" {
			t.Errorf("shadowed: %s", row)
		}
	}
	c.wantRows("SELECT count(*) FROM shadowed", "2")
}

// A quick scan takes contents from checksums; what it does not know it leaves
// open, and a later scan fills it in.
func TestQuick(t *testing.T) {
	for _, version := range []string{"5", "11"} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			old, next := filepath.Join(dir, "old", "g.pak"), filepath.Join(dir, "next", "g.pak")
			o := codecs.CreateOptions{Version: version, Method: compress.Zlib}
			long := strings.Repeat("a long text, ", 1000)
			writePak(t, old, o, "same.txt="+long, "empty=", "changed.txt="+long+"old")
			writePak(t, next, o, "same.txt="+long, "empty=", "changed.txt="+long+"new", "copy.txt="+long+"new")

			c := newCatalog(t)
			c.mustScan(indexer.Options{Paths: []string{old}, Label: "old"})
			if r := c.mustScan(indexer.Options{Paths: []string{next}, Label: "next", Quick: true}); r.Skimmed != 4 || r.Problems != 0 {
				t.Errorf("%+v", r)
			}
			const known = "SELECT path, known FROM sums WHERE build = 'next' ORDER BY ordinal"
			c.wantRows(known, "same.txt|1", "empty|1", "changed.txt|0", "copy.txt|0")
			c.wantRows("SELECT count(DISTINCT content) FROM entries WHERE path = 'same.txt'", "1")
			c.wantRows("SELECT digest IS NULL FROM archives WHERE build = 'next'", "1")

			// A quick scan is known to the next quick scan, not to a full one.
			if r := c.mustScan(indexer.Options{Paths: []string{next}, Label: "again", Quick: true}); r.Reused != 1 {
				t.Errorf("%+v", r)
			}
			full := c.mustScan(indexer.Options{Paths: []string{next}, Label: "full"})
			if full.Reused != 0 || full.Skimmed != 0 {
				t.Errorf("%+v", full)
			}
			c.wantRows(known, "same.txt|1", "empty|1", "changed.txt|1", "copy.txt|1")
			c.wantRows(fmt.Sprintf("SELECT count(DISTINCT archive_id), count(DISTINCT content) FROM entries WHERE path = 'changed.txt' AND build IN (%s)",
				"'next', 'full'"), "2|1")
			// What was read in full needs no quick scan.
			if r := c.mustScan(indexer.Options{Paths: []string{next}, Label: "last", Quick: true}); r.Reused != 1 || r.Skimmed != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Damage is not taken for what the checksum says it was.
func TestQuickDoesNotLinkDamage(t *testing.T) {
	dir := t.TempDir()
	sound, damaged := filepath.Join(dir, "sound", "g.pak"), filepath.Join(dir, "damaged", "g.pak")
	writePak(t, sound, codecs.CreateOptions{Version: "5"}, "a.txt=some text")
	b, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	b[strings.Index(string(b), "some text")]++
	if err := os.MkdirAll(filepath.Dir(damaged), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, b, 0o666); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{damaged}, Label: "damaged"}); r.Problems != 1 {
		t.Errorf("%+v", r)
	}
	c.mustScan(indexer.Options{Paths: []string{sound}, Label: "sound"})
	c.wantRows("SELECT build, content IS NULL FROM entries ORDER BY build", "damaged|1", "sound|0")
}

// Archives without checksums are read, and their scan is as good as any.
func TestQuickReadsWhatHasNoSums(t *testing.T) {
	sip := filepath.Join(codecstest.ModuleRoot(t), "testdata", "Calligraphy.sip")
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{sip}, Label: "a", Quick: true}); r.Skimmed != 0 {
		t.Errorf("%+v", r)
	}
	if r := c.mustScan(indexer.Options{Paths: []string{sip}, Label: "b"}); r.Reused != 1 {
		t.Errorf("%+v", r)
	}
}

// A .pak that nobody recognises says why.
func TestUnknownPakIsExplained(t *testing.T) {
	path := filepath.Join(t.TempDir(), "half.pak")
	if err := os.WriteFile(path, make([]byte, 4096), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{path}, Label: "a"}); r.Problems != 1 {
		t.Errorf("%+v", r)
	}
	c.wantRows("SELECT archive, field, cause LIKE '%half-written%' FROM problems", "half.pak|footer|1")
}
