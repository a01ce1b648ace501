package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit"
)

// deltaKills is how many updates in place are killed.
const deltaKills = 16

// deltaFixture is two versions of a pak and the patch between them.
type deltaFixture struct {
	dir      string
	old, new []byte
}

func newDeltaFixture(t *testing.T) *deltaFixture {
	t.Helper()
	f := &deltaFixture{dir: t.TempDir()}
	r := rand.New(rand.NewPCG(5, 6))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	contents := map[string][]byte{"kept.bin": noise(2 << 20), "other.bin": noise(400_000), "text.txt": bytes.Repeat([]byte("some text\n"), 9000)}
	for i, version := range []string{"old", "new"} {
		source := filepath.Join(f.dir, version+"-files")
		if err := os.MkdirAll(source, 0o777); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			contents["other.bin"] = noise(1 << 20)
			contents["added.bin"] = noise(100_000)
		}
		for name, b := range contents {
			if err := os.WriteFile(filepath.Join(source, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		pak := filepath.Join(f.dir, version, "Game.pak")
		if err := os.MkdirAll(filepath.Dir(pak), 0o777); err != nil {
			t.Fatal(err)
		}
		pakdb(t, "pack", "-q", source, "-o", pak, "--type", "unrealpak", "--method", "zlib")
		b, err := os.ReadFile(pak)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			f.old = b
		}
		f.new = b
	}
	pakdb(t, "delta", "make", "-q", filepath.Join(f.dir, "old"), filepath.Join(f.dir, "new"), "-o", f.patch())
	return f
}

func (f *deltaFixture) patch() string { return filepath.Join(f.dir, "p.pkdelta") }

// apply returns the command that updates a folder.
func (f *deltaFixture) apply(dir string) []string {
	return []string{"delta", "apply", "-q", f.patch(), dir, "-o", dir, "--in-place"}
}

// folder is one with the old pak.
func (f *deltaFixture) folder(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(f.dir, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Game.pak"), f.old, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An update that was killed is finished by the same command: it leaves the new pak.
func TestKilledDeltas(t *testing.T) {
	killing(t)
	f := newDeltaFixture(t)
	seed := testkit.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := f.folder(t, "undisturbed")
	start := time.Now()
	pakdb(t, f.apply(dir)...)
	whole := time.Since(start)
	if got, err := os.ReadFile(filepath.Join(dir, "Game.pak")); err != nil || !bytes.Equal(got, f.new) {
		t.Fatalf("undisturbed: %d bytes, %v", len(got), err)
	}
	var count struct{ journal int }
	k := &killer{r: r, whole: whole}
	kills := killsOf(deltaKills)
	for i := 0; k.goesOn(i, kills); i++ {
		dir := f.folder(t, "killed")
		switch args := f.apply(dir); i % 8 {
		case 0, 2, 4: // where it writes
			k.kill(t, 0.5, args...)
		case 6: // while the journal is written
			k.killOnce(t, filepath.Join(dir, ".pakdb-update.new"), args...)
		case 7: // while the journal is followed
			k.killOnce(t, filepath.Join(dir, ".pakdb-update.journal"), args...)
		default:
			k.kill(t, 0, args...)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".pakdb-update.*")); len(left) > 0 {
			count.journal++
		}
		pakdb(t, f.apply(dir)...)
		got, err := os.ReadFile(filepath.Join(dir, "Game.pak"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, f.new) {
			t.Fatalf("seed %d: %d bytes, not the new pak; %v", seed, len(got), f.left(t, dir))
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("an update takes %v, seed %d: %d of %d killed, %d left something", whole, seed, k.killed, kills, count.journal)
	if k.killed == 0 {
		t.Error("every update ended before it was killed")
	}
}

func (f *deltaFixture) left(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		names = append(names, fmt.Sprint(d.Name()))
	}
	return names
}
