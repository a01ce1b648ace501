package update_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/overlay"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/testkit"
)

// gameBuild is a build of paks: contents by pak and name.
type gameBuild map[string]map[string][]byte

// tree writes the paks, and other files as they are.
func (g gameBuild) tree(t *testing.T, o codecs.CreateOptions, others map[string]string) faulttest.Tree {
	t.Helper()
	tree := faulttest.Tree{}
	for name, b := range others {
		tree[name] = b
	}
	for pak, files := range g {
		var list []deltatest.Content
		for _, name := range sortedKeys(files) {
			list = append(list, deltatest.Content{Name: name, Data: files[name]})
		}
		tree[pak] = string(deltatest.WritePak(t, &o, list))
	}
	return tree
}

func sortedKeys(m map[string][]byte) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// games are four builds: files change, come, go, move between paks and change back; a
// patch comes and goes.
func games(t *testing.T, o codecs.CreateOptions) []faulttest.Tree {
	t.Helper()
	large := map[string][]byte{}
	for i := range 20 {
		large[fmt.Sprintf("Content/Big/%02d.uasset", i)] = deltatest.Noisy(uint64(100+i), 20_000)
	}
	with := func(more map[string][]byte, without ...string) map[string][]byte {
		all := map[string][]byte{}
		for _, from := range []map[string][]byte{large, more} {
			for name, b := range from {
				all[name] = b
			}
		}
		for _, name := range without {
			delete(all, name)
		}
		return all
	}
	text := func(seed uint64) []byte { return deltatest.Words(seed, 9000) }
	return []faulttest.Tree{
		gameBuild{"Game/Content/Paks/Game.pak": with(map[string][]byte{"Content/a.txt": text(1), "Content/b.txt": text(2), "Content/gone.txt": text(3), "Content/empty": nil}),
			"Game/Content/Paks/Other.pak": {"Content/c.txt": text(4), "Content/move.txt": text(5)}}.tree(t, o, map[string]string{"game.exe": "one", "old.txt": "old"}),
		gameBuild{"Game/Content/Paks/Game.pak": with(map[string][]byte{"Content/a.txt": text(11), "Content/b.txt": text(2), "Content/new.txt": text(6), "Content/empty": nil, "Content/move.txt": text(5)}),
			"Game/Content/Paks/Other.pak":    {"Content/c.txt": text(4)},
			"Game/Content/Paks/Game_0_P.pak": {"Content/p.txt": text(7)}}.tree(t, o, map[string]string{"game.exe": "two"}),
		gameBuild{"Game/Content/Paks/Game.pak": with(map[string][]byte{"Content/a.txt": text(1), "Content/b.txt": text(12), "Content/new.txt": text(6), "Content/empty": []byte("not any more")}, "Content/Big/07.uasset"),
			"Game/Content/Paks/Other.pak": {"Content/c.txt": text(14)}}.tree(t, o, map[string]string{"game.exe": "three", "new.txt": "new"}),
	}
}

// overlayTo updates by an overlay, and returns the plan and the bytes that came.
func overlayTo(ctx context.Context, from, dir, label string, keep bool) (*update.Plan, int64, error) {
	r, err := update.OpenRemote(from, update.RemoteOptions{})
	if err != nil {
		return nil, 0, err
	}
	f, plan, err := update.Prepare(ctx, r, dir, update.Options{Label: label, Registry: all.Registry(), Overlay: true, Keep: keep})
	if err != nil {
		return nil, 0, err
	}
	err = f.Apply(ctx, plan, nil)
	return plan, r.Fetched(), errors.Join(err, f.Close())
}

// seen fails unless a game sees the same in two folders, by names and contents.
func seen(t *testing.T, have, want string) {
	t.Helper()
	if err := seesSame(t.Context(), have, want); err != nil {
		t.Error(err)
	}
}

func seesSame(ctx context.Context, have, want string) error {
	d := &overlay.Disk{Registry: all.Registry()}
	h, err := d.Stack(ctx, "have", []string{have}, false)
	if err != nil {
		return err
	}
	w, err := d.Stack(ctx, "want", []string{want}, false)
	if err != nil {
		return err
	}
	report, err := d.Compare(ctx, h, w, nil)
	if err == nil && len(report.Differences)+len(h.Damage) > 0 {
		err = fmt.Errorf("%d differences, the first %+v; damage %v", len(report.Differences), report.Differences[:1], h.Damage)
	}
	return err
}

// TestExactOfAnotherPacker: blocks of another packer are not those of the build, though their
// contents are.
func TestExactOfAnotherPacker(t *testing.T) {
	testkit.NotShort(t)
	o := codecs.CreateOptions{Version: "11", Method: "zlib", MountPoint: "../../../Game/"}
	list := games(t, o)
	from := smallStore(t, list[:2], 0, nil)
	o.Fast = true
	dir := t.TempDir()
	games(t, o)[0].Write(t, dir)
	if err := updateTo(quick(t.Context()), from, dir, "1", nil); err != nil {
		t.Fatal(err)
	}
	got := faulttest.Files(t, dir)
	for name, want := range list[1] {
		if got[name] != want {
			t.Errorf("%s is not the build's", name)
		}
	}
}

// TestOverlayOfAnotherPacker: installed archives may have the same contents in other
// bytes, as another packer compresses them. Little is written then, too.
func TestOverlayOfAnotherPacker(t *testing.T) {
	testkit.NotShort(t)
	o := codecs.CreateOptions{Version: "11", Method: "zlib", MountPoint: "../../../Game/"}
	list := games(t, o)
	from := smallStore(t, list, 0, nil)
	o.Fast = true
	dir, build := t.TempDir(), t.TempDir()
	games(t, o)[0].Write(t, dir)
	list[1].Write(t, build)
	plan, _, err := overlayTo(t.Context(), from, dir, "1", false)
	if err != nil {
		t.Fatal(err)
	}
	seen(t, dir, build)
	made := plan.Overlay.Made
	if len(made) != 1 || made[0].Size > 10_000 || plan.Bill.Write != made[0].Size+int64(len(list[1]["game.exe"])) {
		t.Errorf("made %v, and the bill has %d bytes", made, plan.Bill.Write)
	}
}

// TestFaultsOverlay: whenever an update is stopped, a game sees the old build or the new
// one.
func TestFaultsOverlay(t *testing.T) {
	list := small(t)
	list = append(list[:0], games(t, codecs.CreateOptions{Version: "11", Method: "zlib", MountPoint: "../../../Game/"})...)
	for _, tree := range list { // other files may be of both builds
		maps.DeleteFunc(tree, func(name, _ string) bool { return !strings.HasSuffix(name, ".pak") })
	}
	from := smallStore(t, list, 0, nil)
	for name, steps := range map[string][]string{"first": {"1"}, "next": {"1", "2"}, "back": {"1", "2", "0"}} {
		t.Run(name, func(t *testing.T) {
			last := len(steps) - 1
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := filepath.Join(t.TempDir(), "game")
					list[0].Write(t, dir)
					for _, to := range steps[:last] {
						if _, _, err := overlayTo(quick(t.Context()), from, dir, to, false); err != nil {
							t.Fatal(err)
						}
					}
					return dir
				},
				Run: func(ctx context.Context, dir string) error {
					_, _, err := overlayTo(ctx, from, dir, steps[last], false)
					return err
				},
				State: viewOf,
				Kept:  true,
				MayFail: func(op atomicfile.Op) bool { // a folder that may be empty now
					return op.Kind == atomicfile.OpRemove && !strings.Contains(filepath.Base(op.Path), ".")
				},
				Lax: func(path string) bool { return strings.Contains(filepath.ToSlash(path), "/.pakdb-update/") },
			}, faultPoints)
		})
	}
}

// viewOf is what a game sees of a folder.
func viewOf(t *testing.T, dir string) faulttest.Tree {
	t.Helper()
	d := &overlay.Disk{Registry: all.Registry()}
	s, err := d.Stack(t.Context(), "", []string{dir}, false)
	if err != nil {
		t.Fatal(err)
	}
	opened := map[string]*codecs.File{}
	seen := faulttest.Tree{}
	for _, f := range s.View() {
		at := f.Mount.Location
		if opened[at] == nil {
			if opened[at], err = codecs.OpenFile(t.Context(), at, all.Registry(), nil); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened[at].Close() }()
		}
		for e, err := range opened[at].Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Ordinal != f.Ordinal {
				continue
			}
			r, err := opened[at].Open(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			seen[f.Path()] = string(b)
		}
	}
	return seen
}

func TestOverlay(t *testing.T) {
	for name, o := range map[string]codecs.CreateOptions{
		"zlib":   {Version: "11", Method: "zlib", MountPoint: "../../../Game/"},
		"stored": {Version: "8B", MountPoint: "../../../Game/"},
	} {
		t.Run(name, func(t *testing.T) {
			list := games(t, o)
			from := smallStore(t, list, 0, nil)
			var builds []string
			for _, tree := range list {
				dir := t.TempDir()
				tree.Write(t, dir)
				builds = append(builds, dir)
			}
			dir := t.TempDir()
			list[0].Write(t, dir)
			for i, to := range []int{1, 1, 2, 0, 2, 1} {
				plan, fetched, err := overlayTo(t.Context(), from, dir, fmt.Sprint(to), false)
				if err != nil {
					t.Fatalf("step %d, to %d: %v", i, to, err)
				}
				t.Logf("step %d, to %d: fetched %d, wrote %d: %+v", i, to, fetched, plan.Bill.Write, *plan.Overlay)
				seen(t, dir, builds[to])
				if got := faulttest.Files(t, dir); got["Game/Content/Paks/Game.pak"] != list[0]["Game/Content/Paks/Game.pak"] || got["game.exe"] != list[to]["game.exe"] {
					t.Errorf("step %d: an installed archive has changed, or another file has not", i)
				}
			}
			if err := updateTo(t.Context(), from, dir, "2", nil); err != nil {
				t.Fatal(err)
			}
			got := faulttest.Files(t, dir)
			if !maps.Equal(got.Visible(), list[2]) {
				t.Errorf("after the exact update: %v", slices.Sorted(maps.Keys(got)))
			}
		})
	}
}
