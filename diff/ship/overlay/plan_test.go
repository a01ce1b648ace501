package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/testkit"
)

// TestGeneratedBuilds writes patches between builds in which everything that can
// change does, and mounts them from disk alone: what the game sees must be the
// new build.
func TestGeneratedBuilds(t *testing.T) {
	for i, k := range testkit.Some([]kind{{"11", compress.Zlib, false}, {"3", compress.None, false}, {"3", compress.Zlib, false}, {"7", compress.None, false},
		{"7", compress.Zlib, true}, {"8B", compress.None, false}, {"8B", compress.Zlib, false}, {"11", compress.None, true}}, 3) {
		n := 400
		if i < 2 {
			n = testkit.Of(400, 2000)
		}
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			a, b := generated(n)
			oldDir, newDir := filepath.Join(dir, "old"), filepath.Join(dir, "new")
			a.write(t, oldDir, k)
			b.write(t, newDir, k)
			db := catalog(t, oldDir, newDir)
			for name, o := range map[string]overlay.Options{"whole": {Number: -1}, "chunks": {Number: -1, PerChunk: true},
				"cut": {Number: -1, MaxSize: 256 << 10}} {
				p := planOf(t, db, "old", "new", o)
				out := filepath.Join(dir, name)
				written, _, err := p.Write(context.Background(), testDisk(), overlay.Output{Dir: out})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, w := range written {
					if o.MaxSize > 0 && w.Size > o.MaxSize {
						t.Errorf("%s: %s has %d bytes", name, w.Name, w.Size)
					}
				}
				r := compared(t, []string{oldDir, out}, newDir)
				if wrong := len(r.Differences) - len(p.Kept); wrong != 0 || r.Files != len(p.New.View()) {
					t.Errorf("%s: %d of %d files differ, %d of them kept: %+v", name, len(r.Differences), r.Files, len(p.Kept), r.Differences[:min(3, len(r.Differences))])
				}
				if (k.version == "3") != (len(p.Kept) > 0) {
					t.Errorf("%s: %d files kept", name, len(p.Kept))
				}
			}
		})
	}
}

// compared mounts paths and compares them with the build at another.
func compared(t *testing.T, paths []string, want string) *overlay.Report {
	t.Helper()
	ctx, d := context.Background(), testDisk()
	have, err := d.Stack(ctx, "have", paths, false)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := d.Stack(ctx, "want", []string{want}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Compare(ctx, have, wanted, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPairs patches other people's builds, there and back.
func TestPairs(t *testing.T) {
	for _, pair := range [][2]string{{"sandboxutilities_old_P.pak", "sandboxutilities_new_P.pak"}, {"integration_old.pak", "integration_new.pak"}} {
		old, new := codecstest.Sample(t, "unreal-pak", "pairs", pair[0]), codecstest.Sample(t, "unreal-pak", "pairs", pair[1])
		db := catalog(t, old, new)
		for _, way := range [][2]string{{old, new}, {new, old}} {
			p := planOf(t, db, filepath.Base(way[0]), filepath.Base(way[1]), overlay.Options{Number: -1})
			out := t.TempDir()
			if _, _, err := p.Write(context.Background(), testDisk(), overlay.Output{Dir: out}); err != nil {
				t.Fatal(err)
			}
			if r := compared(t, []string{way[0], out}, way[1]); len(r.Differences) > 0 {
				t.Errorf("%s: %+v", way[0], r.Differences[0])
			}
			if r := compared(t, []string{way[0]}, way[1]); len(r.Differences) == 0 {
				t.Errorf("%s: nothing differs without the patch", way[0])
			}
		}
	}
}

// A patch that does not prove itself gets no name.
func TestWrongContentGetsNoName(t *testing.T) {
	dir := t.TempDir()
	k := kind{"11", compress.None, false}
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	build{"Game.pak": {"a": []byte("1")}}.write(t, old, k)
	build{"Game.pak": {"a": []byte("2")}}.write(t, new, k)
	db := catalog(t, old, new)
	p := planOf(t, db, "old", "new", overlay.Options{Number: -1})
	pak := filepath.Join(new, "Game.pak")
	b, err := os.ReadFile(pak)
	if err != nil {
		t.Fatal(err)
	}
	build{"Game.pak": {"a": []byte("3")}}.write(t, new, k) // of the same size: it looks like the one that was scanned
	out := filepath.Join(dir, "out")
	_, r, err := p.Write(context.Background(), testDisk(), overlay.Output{Dir: out})
	if !errors.Is(err, overlay.ErrDiffers) || r == nil || len(r.Differences) != 1 || r.Differences[0].Kind != "content" {
		t.Errorf("%v, %+v", err, r)
	}
	noFiles(t, out)
	if err := os.WriteFile(pak, bytes.Repeat(b, 2), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Write(context.Background(), testDisk(), overlay.Output{Dir: out}); !errors.Is(err, overlay.ErrChanged) {
		t.Errorf("another size: %v", err)
	}
	noFiles(t, out)
}

// noFiles checks that a folder has no files, or is not there.
func noFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestMountPoint: the model's mount point stays where all files lie below it.
func TestMountPoint(t *testing.T) {
	for mount, want := range map[string]string{"../../../Game/": "../../../Game/", "../../../Game/Other": "../../../Game/",
		"../../../Engine/Content/": "../../../", "../../../": "../../../", "D:/Game/Content/": "D:/Game/Content/", "/": "/"} {
		got, below := overlay.MountFor(mount, []string{"Game/Content/a", "Game/Content/b/c"})
		if got != want || !strings.HasPrefix("Game/Content/a", below) {
			t.Errorf("%s: %s, %s; want %s", mount, got, below, want)
		}
	}
}
