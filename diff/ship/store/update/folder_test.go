package update_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// Whatever a folder has in which a build has something else.
func TestOddFolders(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	x, y := bytes.Repeat([]byte("x"), 5000), bytes.Repeat([]byte("y"), 100)
	for name, c := range map[string]struct {
		earlier, mod folder
		folders      []string // that are there, and empty
		build        folder
	}{
		"the same twice":               {build: folder{"a": x, "b": x, "c/a": x, "e": {}, "f": {}}},
		"the same twice, by a delta":   {earlier: folder{"a": x, "b": x}, build: folder{"a": append(x, 'z'), "b": append(x, 'z')}},
		"nothing but folders":          {folders: []string{"sub", "c/deep"}, build: folder{"a": x}},
		"what a stopped update left":   {mod: folder{".pakdb-update/.pakdb-x": y}, build: folder{"a": x}},
		"a file that becomes a folder": {earlier: folder{"a": x, "b": y}, build: folder{"a/b": y, "b": y}},
		"a folder that becomes a file": {earlier: folder{"a/b/c": x, "a/d": y, "b": y}, build: folder{"a": x, "b": y}},
		"both at once":                 {earlier: folder{"a/b": x, "c": y}, build: folder{"a": y, "c/d/e": x}},
		"empty folders where a file is to be": {
			earlier: folder{"b": y}, folders: []string{"a/c/d", "a/e"}, build: folder{"a": x, "b": y},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, at := t.TempDir(), t.TempDir()
			if len(c.earlier) > 0 {
				runPublish(t, dir, "earlier", c.earlier, 1)
			}
			runPublish(t, dir, "build", c.build, 1)
			c.earlier.write(t, at)
			c.mod.write(t, at)
			for _, f := range c.folders {
				if err := os.MkdirAll(filepath.Join(at, f), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := runUpdate(t.Context(), dir, at, "build"); err != nil {
				t.Fatal(err)
			}
			same(t, name, readFolder(t, at), c.build)
		})
	}
}

// TestInTheWay: what nobody published is not removed for a file of the build, and
// nothing has changed when that is told.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runPublish(t, dir, "is", folder{"a": []byte("new"), "b/c": []byte("new"), "z": []byte("new")})
	for _, start := range []folder{{"a/mine": []byte("m"), "z": []byte("old")}, {"b": []byte("m"), "z": []byte("old")}} {
		at := start.write(t, t.TempDir())
		if _, _, err := runUpdate(t.Context(), dir, at, "is"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v", err)
		}
		same(t, "with something in the way", readFolder(t, at), start)
	}
}

// TestLinkInTheWay: a folder that is a symbolic link is told before anything has
// changed.
func TestLinkInTheWay(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), folder{"a": []byte("old")}.write(t, t.TempDir())
	runPublish(t, dir, "is", folder{"a": []byte("new"), "b/c/d": []byte("new")})
	if err := os.Symlink(folder{"c/d": []byte("old")}.write(t, t.TempDir()), filepath.Join(at, "b")); err != nil {
		t.Skip(err)
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if err := os.Remove(filepath.Join(at, "b")); err != nil {
		t.Fatal(err)
	}
	same(t, "beside a link", readFolder(t, at), folder{"a": []byte("old")})
}

// TestModesStay: a file that is replaced keeps its permissions, but for those to run it.
func TestModesStay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	dir, at := t.TempDir(), folder{"a": []byte("old")}.write(t, t.TempDir())
	runPublish(t, dir, "is", folder{"a": []byte("new")})
	if err := os.Chmod(filepath.Join(at, "a"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(at, "a")); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// TestLostNames: what contents are called is written without waiting for the disk,
// and is not needed.
func TestLostNames(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	list := assets(40, 8000)
	p := testPair{old: folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, list)}, new: folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, updated(list))}}
	first := t.TempDir()
	runPublish(t, first, "1", p.old)
	published := readFolder(t, first)
	for name, damage := range map[string]func(b []byte) []byte{
		"empty":   func([]byte) []byte { return nil },
		"zeros":   func(b []byte) []byte { clear(b); return b },
		"cut off": func(b []byte) []byte { return b[:len(b)/2] },
	} {
		dir := published.write(t, t.TempDir())
		names, err := filepath.Glob(filepath.Join(dir, "n", "*"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%v, %v", names, err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err := errors.Join(err, os.WriteFile(n, damage(b), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		runPublish(t, dir, "2", p.new, 1)
		at := p.old.write(t, t.TempDir())
		if _, _, err := runUpdate(t.Context(), dir, at, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name, readFolder(t, at), p.new)
	}
}

// TestOneUpdate: a folder is updated by one at a time, of whatever kind.
func TestOneUpdate(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), t.TempDir()
	runPublish(t, dir, "is", folder{"a": []byte("new")})
	r, err := update.OpenRemote(dir, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u, _, err := update.Prepare(t.Context(), r, at, update.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); !errors.Is(err, apply.ErrBusy) {
		t.Errorf("a second update: %v", err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	release, err := apply.Lock(at)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); !errors.Is(err, apply.ErrBusy) {
		t.Errorf("while a patch is applied: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); err != nil {
		t.Error(err)
	}
	same(t, "in the end", readFolder(t, at), folder{"a": []byte("new")})
}

// TestDamagedDelta: a patch that was kept and is damaged is fetched anew.
func TestDamagedDelta(t *testing.T) {
	t.Parallel()
	p := mixedPair(t)
	dir, at := p.store, p.old.write(t, t.TempDir())
	deltas, err := filepath.Glob(filepath.Join(dir, "d", "*"))
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(at, ".pakdb-update")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, d := range deltas {
		b, err := os.ReadFile(d)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, []byte(delta.Magic)) {
			continue
		}
		kept++
		b[len(b)/2] ^= 1
		if err := os.WriteFile(filepath.Join(work, ".pakdb-delta-"+filepath.Base(d)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if kept == 0 {
		t.Fatal("no patch in the store")
	}
	if _, _, err := runUpdate(t.Context(), dir, at, ""); err != nil {
		t.Error(err)
	}
	same(t, "in the end", readFolder(t, at), p.new)
}

// changing is a file that becomes another one when it has been read once.
type changing struct {
	first, then *bytes.Reader
	read        atomic.Int64
}

func (c *changing) ReadAt(p []byte, off int64) (int, error) {
	if c.read.Add(int64(len(p))) <= c.first.Size() {
		return c.first.ReadAt(p, off)
	}
	return c.then.ReadAt(p, off)
}

// TestChangesMeanwhile: a build that nobody could make is not published.
func TestChangesMeanwhile(t *testing.T) {
	t.Parallel()
	in := &changing{first: bytes.NewReader(bytes.Repeat([]byte("a"), 100_000)), then: bytes.NewReader(bytes.Repeat([]byte("b"), 100_000))}
	inputs := []delta.Input{{Name: "a", Source: codecs.Source{ReaderAt: in, Name: "a", Size: 100_000}}}
	if _, err := publish.Publish(t.Context(), t.TempDir(), "is", inputs, nil); err == nil {
		t.Error("published")
	}
}

// TestManifestFirst: a list of builds never has one whose manifest could not be
// written.
func TestManifestFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runPublish(t, dir, "was", folder{"a": []byte("old")})
	if err := os.MkdirAll(filepath.Join(dir, "builds", "is.json", "x"), 0o777); err != nil { // no file takes its place
		t.Fatal(err)
	}
	in, err := delta.OpenFiles([]string{folder{"a": []byte("new")}.write(t, t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if _, err := publish.Publish(t.Context(), dir, "is", in.Inputs, &publish.Options{Registry: all.Registry()}); err == nil {
		t.Fatal("published")
	}
	index, err := os.ReadFile(filepath.Join(dir, "builds", "index.json"))
	if err != nil || strings.Contains(string(index), `"is"`) {
		t.Errorf("%s, %v", index, err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "builds", ".pakdb-*")); err != nil || slices.Compact(names) != nil {
		t.Errorf("%v is left, %v", names, err)
	}
}

// TestLinkedFolder: a folder may be named by a symbolic link to it.
func TestLinkedFolder(t *testing.T) {
	t.Parallel()
	p := mixedPair(t)
	at := p.old.write(t, t.TempDir())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(at, link); err != nil {
		t.Skip(err)
	}
	bill, _, err := runUpdate(t.Context(), p.store, link, "")
	if err != nil || bill.Changed != 1 || bill.New != 0 {
		t.Errorf("%+v, %v", bill, err)
	}
	same(t, "by a link", readFolder(t, at), p.new)
}
