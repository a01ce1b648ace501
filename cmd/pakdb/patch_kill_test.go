package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
)

const patchKills = 10

// patchFixture makes two builds of paks that differ in all of their bytes, in a
// catalog, and the patch that an undisturbed run writes.
type patchFixture struct {
	dir, want string
	args      []string // up to -o
}

func newPatchFixture(t *testing.T, files int) *patchFixture {
	t.Helper()
	dir := t.TempDir()
	f := &patchFixture{dir: dir, want: filepath.Join(dir, "want"),
		args: []string{"patch", "build", "-q", "--catalog", filepath.Join(dir, "pakdb.db"), "old", "new", "--max-size", "3MB", "-o"}}
	r := rand.New(rand.NewPCG(3, 4))
	for _, label := range []string{"old", "new"} {
		source := filepath.Join(dir, label+"-files")
		if err := os.MkdirAll(source, 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range files {
			b := make([]byte, 100_000)
			for k := range b {
				b[k] = byte(r.Uint32() & 15)
			}
			if err := os.WriteFile(filepath.Join(source, fmt.Sprintf("%03d.bin", i)), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		pak := filepath.Join(dir, label, "Game.pak")
		if err := os.Mkdir(filepath.Dir(pak), 0o777); err != nil {
			t.Fatal(err)
		}
		pakdb(t, "pack", "-q", source, "-o", pak, "--type", "unrealpak", "--method", "zlib")
		pakdb(t, "index", "-q", "--catalog", filepath.Join(dir, "pakdb.db"), "--build", label, pak)
	}
	pakdb(t, append(f.args, f.want)...)
	return f
}

// check: every file that has a name is whole, and with the manifest all are there.
func (f *patchFixture) check(t *testing.T, out string) (named int) {
	t.Helper()
	wanted, err := os.ReadDir(f.want)
	if err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	manifest := false
	for _, d := range found {
		if strings.HasPrefix(d.Name(), ".pakdb-") {
			continue // has no name yet
		}
		named++
		manifest = manifest || strings.HasSuffix(d.Name(), ".patch.json")
		have, herr := os.ReadFile(filepath.Join(out, d.Name()))
		want, werr := os.ReadFile(filepath.Join(f.want, d.Name()))
		if herr != nil || werr != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what an undisturbed run writes (%v, %v)", d.Name(), herr, werr)
		}
	}
	if manifest && named != len(wanted) {
		t.Errorf("the manifest is there, but %d of %d files", named, len(wanted))
	}
	return named
}

// A patch that is killed leaves no half of a file under its name.
func TestKilledPatches(t *testing.T) {
	killing(t)
	f := newPatchFixture(t, 80)
	out := filepath.Join(f.dir, "out")
	start := time.Now()
	pakdb(t, append(f.args, out)...)
	whole := time.Since(start)
	if f.check(t, out) == 0 {
		t.Fatal("an undisturbed run writes nothing")
	}
	seed := testkit.Seed(t)
	t.Logf("a patch takes %s; seed %d", whole, seed)
	k := &killer{r: rand.New(rand.NewPCG(seed, 0)), whole: whole}
	for i := 0; k.goesOn(i, killsOf(patchKills)); i++ {
		out := filepath.Join(f.dir, fmt.Sprint("killed", i))
		k.kill(t, 0, append(f.args, out)...)
		f.check(t, out)
	}
	pakdb(t, append(f.args, filepath.Join(f.dir, "killed0"), "--overwrite")...) // whatever is left there
	f.check(t, filepath.Join(f.dir, "killed0"))
	if k.killed == 0 {
		t.Error("every run ended before it was killed")
	}
}

// A full disk, and a folder that cannot be written to, leave nothing at all.
func TestPatchWithoutRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("packs builds of some megabytes")
	}
	t.Parallel()
	f := newPatchFixture(t, 60)
	fails := func(t *testing.T, out string) {
		t.Helper()
		if text, err := exec.Command("pakdb", append(f.args, out)...).CombinedOutput(); err == nil || !bytes.HasPrefix(text, []byte("pakdb: ")) {
			t.Errorf("%v\n%s", err, text)
		}
		if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
			t.Errorf("%d files are left", len(left))
		}
	}
	t.Run("no folder", func(t *testing.T) { fails(t, filepath.Join(f.want, "Game_0_P.pak", "out")) })
	t.Run("read-only", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("root may write anywhere")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		fails(t, dir)
	})
	t.Run("full disk", func(t *testing.T) {
		dir := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
			t.Skipf("no small file system to fill: %v %s", err, out)
		}
		defer func() { _ = exec.Command("umount", dir).Run() }()
		fails(t, filepath.Join(dir, "out"))
	})
}
