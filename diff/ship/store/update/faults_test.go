package update_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/testkit"
)

// How many operations of a command are killed, and fail, at most. A store takes
// longer to look at.
const (
	faultPoints = 150
	storePoints = 50
)

// quick leaves out syncing, for what only prepares or looks.
func quick(ctx context.Context) context.Context {
	return atomicfile.WithGuard(ctx, (&faulttest.Faults{}).Guard)
}

// smallPak is a pak of entries that differ by seeds.
func smallPak(t *testing.T, seeds ...uint64) string {
	t.Helper()
	list := make([]deltatest.Content, len(seeds))
	for i, seed := range seeds {
		list[i] = deltatest.Content{Name: fmt.Sprint("entry", i), Data: drawn(seed, 6000)}
	}
	return string(deltatest.WritePak(t, &codecs.CreateOptions{Version: "11", Method: "zlib"}, list))
}

func drawn(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(30))
	}
	return b
}

// small are builds of few bytes: files that change, come, go, stay, move; a file
// becomes a folder and a folder a file.
func small(t *testing.T) []faulttest.Tree {
	t.Helper()
	if testing.Short() {
		t.Skip("hundreds of runs, which differ in where they are stopped")
	}
	return []faulttest.Tree{
		{"Game.pak": smallPak(t, 1, 2, 3), "same": "same", "text": string(drawn(9, 3000)), "old/gone": "gone", "a": "a file", "b/c": "in a folder", "empty": ""},
		{"Game.pak": smallPak(t, 1, 4, 3), "same": "same", "text": string(drawn(10, 2000)), "new/deep/come": "come", "a/x": "below a file", "b": "a folder's", "empty": ""},
		{"Game.pak": smallPak(t, 5, 4, 3), "same": "same", "new/text": string(drawn(10, 2000)), "a/x": "below a file", "empty": "no more"},
	}
}

// publishTree publishes files as a build, with patches between files if from is
// above 0.
func publishTree(ctx context.Context, dir, label, from string, deltas int, key *delta.SecretKey) (err error) {
	files, err := delta.OpenFiles([]string{from})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	_, err = publish.Publish(ctx, dir, label, files.Inputs, &publish.Options{Registry: all.Registry(), Deltas: deltas, Key: key})
	return err
}

// smallStore has builds 0, 1, ..., and is made anew for each test.
func smallStore(t *testing.T, list []faulttest.Tree, deltas int, key *delta.SecretKey) string {
	t.Helper()
	dir := t.TempDir()
	for i, files := range list {
		from := t.TempDir()
		files.Write(t, from)
		if err := publishTree(quick(t.Context()), dir, fmt.Sprint(i), from, deltas, key); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func updateTo(ctx context.Context, from, dir, label string, key *delta.PublicKey) error {
	r, err := update.OpenRemote(from, update.RemoteOptions{Key: key})
	if err != nil {
		return err
	}
	u, plan, err := update.Prepare(ctx, r, dir, update.Options{Label: label, Registry: all.Registry()})
	if err != nil {
		return err
	}
	return errors.Join(u.Apply(ctx, plan, nil), u.Close())
}

func TestFaultsUpdate(t *testing.T) {
	list := small(t)
	for name, c := range map[string]struct {
		before faulttest.Tree // nil: the folder is not there
		to     string
		deltas int
	}{
		"fresh":          {nil, "0", 0},
		"next":           {list[0], "1", 0},
		"with patches":   {list[0], "1", 1},
		"back":           {list[2], "0", 0},
		"what was moved": {list[1], "2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			from := smallStore(t, list, c.deltas, nil)
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := filepath.Join(t.TempDir(), "game")
					if c.before != nil {
						c.before.Write(t, dir)
					}
					return dir
				},
				Run:   func(ctx context.Context, dir string) error { return updateTo(ctx, from, dir, c.to, nil) },
				Mixed: true, // a crash while renaming leaves files of both builds
				Kept:  true,
				// A folder that is empty now may stay.
				MayFail: func(op atomicfile.Op) bool {
					return op.Kind == atomicfile.OpRemove && slices.Contains([]string{"old", "b", "deep", "new", "a"}, filepath.Base(op.Path))
				},
				Lax: func(path string) bool { return strings.Contains(filepath.ToSlash(path), "/.pakdb-update/") },
			}, faultPoints)
		})
	}
}

// Killed wherever: when a file of a part is in place, all files of the parts before it are.
func TestFaultsParts(t *testing.T) {
	testkit.NotShort(t)
	from, build := t.TempDir(), partsOf(1, 3000)
	publishWith(t, from, "1", build, &publish.Options{Parts: someParts})
	stages := [][]string{{"Game.bin", "a.txt"}, {"Text/fr.bin", "DLC1/fr.bin"}, {"Text/de.bin"}, {"DLC1/level.bin"}}
	between := 0
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string { return filepath.Join(t.TempDir(), "game") },
		Run:     func(ctx context.Context, dir string) error { return updateTo(ctx, from, dir, "1", nil) },
		Look: func(t *testing.T, dir string, at faulttest.Point) {
			have := faulttest.Files(t, dir)
			whole := 0
			for i, names := range stages {
				n := 0
				for _, name := range names {
					if have[name] == string(build[name]) {
						n++
					}
				}
				switch {
				case n > 0 && whole < i:
					t.Errorf("%v: there are files of part %d, and not all of part %d", at, i, whole)
				case n == len(names):
					whole = i + 1
				}
			}
			if whole > 0 && whole < len(stages) {
				between++
			}
		},
		Mixed: true,
		Kept:  true,
		Lax:   func(path string) bool { return strings.Contains(filepath.ToSlash(path), "/.pakdb-update/") },
	}, faultPoints/3)
	if between == 0 {
		t.Error("none was killed between two parts")
	}
}

// state is what clients see of a store: the files of each build in its list. The
// store must be sound.
func state(key *delta.PublicKey, labels ...string) func(t *testing.T, dir string) faulttest.Tree {
	return func(t *testing.T, dir string) faulttest.Tree {
		seen := faulttest.Tree{}
		if _, err := os.Stat(filepath.Join(dir, "builds", "index.json")); err != nil {
			return seen // no store yet
		}
		if _, err := publish.Check(t.Context(), dir, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
			t.Error(err)
		}
		r, err := update.OpenRemote(dir, update.RemoteOptions{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		listed, err := r.Labels(t.Context()) // those of the signed list, if the store is signed
		if err != nil {
			t.Error(err)
		}
		for _, label := range slices.Backward(labels) {
			if !slices.Contains(listed, label) {
				continue
			}
			if seen["list"] += label; len(seen) > 1 {
				continue // that Check says nothing must do
			}
			to := t.TempDir()
			if err := updateTo(quick(t.Context()), dir, to, label, key); err != nil {
				t.Errorf("build %s: %v", label, err)
			}
			for name, content := range faulttest.Files(t, to) {
				if name != trust.MemoryName {
					seen[label+"/"+name] = content
				}
			}
		}
		return seen
	}
}

// namesAreLax: n/ is not synced, and may get lost.
func namesAreLax(path string) bool {
	return filepath.Base(filepath.Dir(path)) == "n"
}

func TestFaultsPublish(t *testing.T) {
	list := small(t)
	sources := make([]string, len(list))
	for i, files := range list {
		sources[i] = t.TempDir()
		files.Write(t, sources[i])
	}
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		before []faulttest.Tree
		deltas int
		key    *delta.SecretKey
	}{
		"first":        {nil, 0, nil},
		"next":         {list[:1], 0, key},
		"with patches": {list[:2], 1, key},
	} {
		t.Run(name, func(t *testing.T) {
			before := faulttest.Files(t, smallStore(t, c.before, c.deltas, c.key))
			label, public := fmt.Sprint(len(c.before)), (*delta.PublicKey)(nil)
			if c.key != nil {
				public = c.key.Public()
			}
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := filepath.Join(t.TempDir(), "store")
					before.Write(t, dir)
					return dir
				},
				Run: func(ctx context.Context, dir string) error {
					return publishTree(ctx, dir, label, sources[len(c.before)], c.deltas, c.key)
				},
				State: state(public, "0", "1", "2"),
				Lax:   func(path string) bool { return namesAreLax(path) || strings.Contains(path, atomicfile.Prefix+"build") },
			}, storePoints)
		})
	}
}

// A copy into an empty folder, and one of a later state over an earlier copy.
func TestFaultsCopy(t *testing.T) {
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	from, source := smallStore(t, small(t)[:1], 0, key), t.TempDir()
	earlier := faulttest.Files(t, from)
	small(t)[1].Write(t, source)
	if err := publishTree(quick(t.Context()), from, "1", source, 1, key); err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]faulttest.Tree{"first": nil, "next": earlier} {
		t.Run(name, func(t *testing.T) {
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := filepath.Join(t.TempDir(), "copy")
					before.Write(t, dir)
					return dir
				},
				Run: func(ctx context.Context, dir string) error {
					_, err := publish.Copy(ctx, from, dir, "")
					return err
				},
				State: state(key.Public(), "0", "1"),
				Lax:   namesAreLax,
			}, storePoints)
		})
	}
}

func TestFaultsPrune(t *testing.T) {
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	before := faulttest.Files(t, smallStore(t, small(t), 1, key))
	pruned := func(t *testing.T, files faulttest.Tree) []string {
		dir := t.TempDir()
		files.Write(t, dir)
		if _, err := publish.Prune(quick(t.Context()), dir, 1, 0, key, nil); err != nil {
			t.Error(err)
		}
		return slices.Sorted(maps.Keys(faulttest.Files(t, dir)))
	}
	want := pruned(t, before)
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := t.TempDir()
			before.Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			_, err := publish.Prune(ctx, dir, 1, 0, key, nil)
			return err
		},
		State: state(key.Public(), "0", "1", "2"),
		Look: func(t *testing.T, dir string, at faulttest.Point) { // by names: the time is in signatures
			if got := pruned(t, faulttest.Files(t, dir)); !slices.Equal(got, want) {
				t.Errorf("%v: the next pruning leaves %v, an undisturbed one %v", at, got, want)
			}
		},
	}, storePoints)
}
