package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

const (
	updateKills  = 32
	publishKills = 8
	looseFiles   = 50 // so that putting them into place takes a while
)

// storeFixture is two builds, a store of both, and what they consist of.
type storeFixture struct {
	dir    string
	builds []map[string][]byte
	seed   uint64
	r      *rand.Rand
}

func newStoreFixture(t *testing.T) *storeFixture {
	t.Helper()
	f := &storeFixture{dir: t.TempDir(), seed: testkit.Seed(t)}
	f.r = rand.New(rand.NewPCG(f.seed, 0))
	t.Logf("seed %d", f.seed)
	draw := rand.New(rand.NewPCG(1, 2))
	contents := make([][]byte, 40)
	for i := range contents {
		contents[i] = make([]byte, 8_000)
		for k := range contents[i] {
			contents[i][k] = byte(draw.Uint32() & 31)
		}
	}
	for n, label := range []string{"1", "2"} {
		source := filepath.Join(f.dir, "source"+label)
		files := map[string][]byte{}
		for i, b := range contents {
			if b = bytes.Clone(b); i%3 == 0 {
				copy(b[2000*n:], fmt.Sprintf("build %s", label))
			}
			write(t, filepath.Join(source, fmt.Sprintf("%02d.bin", i)), b)
		}
		for i := range looseFiles {
			files[fmt.Sprintf("loose/%03d.txt", i)] = fmt.Appendf(nil, "file %d of build %s", i, label)
		}
		files["A-in-"+label] = []byte(label)
		pak := filepath.Join(f.dir, "pak"+label)
		pakdb(t, "pack", "-q", source, "-o", pak, "--type", "unrealpak", "--method", "zlib")
		b, err := os.ReadFile(pak)
		if err != nil {
			t.Fatal(err)
		}
		files["Game.pak"] = b
		for name, b := range files {
			write(t, filepath.Join(f.dir, label, name), b)
		}
		f.builds = append(f.builds, files)
	}
	return f
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b, 0o666)); err != nil {
		t.Fatal(err)
	}
}

// pakdb runs a command in this process, which must succeed.
func pakdb(t *testing.T, args ...string) {
	t.Helper()
	var o bytes.Buffer
	if code := execute(t.Context(), cli.New(nil, &o, &o, all.Registry), args); code != cli.ExitOK {
		t.Fatalf("pakdb %s: exit code %d\n%s", strings.Join(args, " "), code, o.String())
	}
}

// check: every file in the folder must
// be whole, of one of them. With done it must be that one.
func (f *storeFixture) check(t *testing.T, folder string, done int) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".pakdb-update" && done < 0 {
				return fs.SkipDir
			}
			return nil
		}
		if d.Name() == ".pakdb-update.lock" && done < 0 || d.Name() == update.MemoryName {
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found++
		for i, build := range f.builds {
			if want, ok := build[filepath.ToSlash(rel)]; ok && bytes.Equal(b, want) && (done < 0 || done == i) {
				return nil
			}
		}
		t.Errorf("%s: %d bytes of no build", rel, len(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done >= 0 && found != len(f.builds[done]) {
		t.Errorf("%d files, build %d has %d", found, done+1, len(f.builds[done]))
	}
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// An update may be killed at any moment: every file is that of the old build or
// of the new one, as a whole, and the next update completes it.
func TestKilledUpdates(t *testing.T) {
	killing(t)
	f := newStoreFixture(t)
	store, game := filepath.Join(f.dir, "store"), filepath.Join(f.dir, "game")
	pakdb(t, "publish", "-q", filepath.Join(f.dir, "1"), "-o", store)
	pakdb(t, "publish", "-q", filepath.Join(f.dir, "2"), "-o", store)
	pakdb(t, "update", "-q", game, "--from", store, "--build", "1")
	start := time.Now()
	pakdb(t, "update", "-q", game, "--from", store, "--build", "2")
	whole := time.Since(start)
	half, k, kills := 0, &killer{r: f.r, whole: whole}, killsOf(updateKills)
	for i := range kills {
		to := i % 2
		args := []string{"update", "-q", game, "--from", store, "--build", fmt.Sprint(to + 1)}
		if i%3 == 0 { // while files are put into place
			k.killOnce(t, filepath.Join(game, fmt.Sprintf("A-in-%d", to+1)), args...)
		} else {
			k.kill(t, 0, args...)
		}
		f.check(t, game, -1)
		if _, err := os.Stat(filepath.Join(game, "A-in-1")); err == nil {
			if _, err := os.Stat(filepath.Join(game, "A-in-2")); err == nil {
				half++
			}
		}
		if i%8 == 7 {
			pakdb(t, "update", "-q", game, "--from", store, "--build", fmt.Sprint(to+1))
			f.check(t, game, to)
		}
	}
	t.Logf("an update takes %v; %d of %d killed, %d between builds", whole, k.killed, kills, half)
	if k.killed < kills/4 {
		t.Errorf("only %d updates of %d were killed", k.killed, kills)
	}
	pakdb(t, "update", "-q", game, "--from", store)
	f.check(t, game, 1)
}

// A publication may be killed at any moment: the store has the builds that it
// had, or the new one as well; it is sound, and the next publication goes on.
func TestKilledPublications(t *testing.T) {
	killing(t)
	f := newStoreFixture(t)
	store, game, key := filepath.Join(f.dir, "store"), filepath.Join(f.dir, "game"), filepath.Join(f.dir, "test.key")
	pakdb(t, "store", "keys", "new", key)
	pakdb(t, "publish", "-q", filepath.Join(f.dir, "1"), "-o", store, "--sign", key)
	before := filepath.Join(f.dir, "before")
	copyFolder(t, store, before)
	args := []string{"publish", "-q", filepath.Join(f.dir, "2"), "-o", store, "--sign", key}
	start := time.Now()
	pakdb(t, args...)
	whole := time.Since(start)
	k, kills := &killer{r: f.r, whole: whole}, killsOf(publishKills)
	for i := range kills {
		if i%2 == 0 { // else it goes on where the last one stopped
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
			copyFolder(t, before, store)
		}
		if i%4 == 2 { // between a manifest and the list
			k.killOnce(t, filepath.Join(store, "builds", "2.json"), args...)
		} else {
			k.kill(t, 0, args...)
		}
		pakdb(t, "store", "check", store)
		pakdb(t, "update", "-q", game, "--from", store, "--build", "1", "--trust", key+".pub", "--allow", "rollback") // the store was replaced
		f.check(t, game, 0)
	}
	if k.killed < kills/4 {
		t.Errorf("only %d publications of %d were killed", k.killed, kills)
	}
	t.Logf("a publication takes %v; %d of %d killed", whole, k.killed, kills)
	pakdb(t, args...)
	pakdb(t, "store", "check", store)
	pakdb(t, "update", "-q", game, "--from", store, "--trust", key+".pub")
	f.check(t, game, 1)
	left, err := filepath.Glob(filepath.Join(store, "*", ".pakdb-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
