package update_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/testkit"
)

// preloadTo preloads a build into a folder.
func preloadTo(ctx context.Context, from, dir string, opt update.Options) (*update.Plan, error) {
	r, err := update.OpenRemote(from, update.RemoteOptions{Keep: true, Preloaded: dir})
	if err != nil {
		return nil, err
	}
	opt.Registry = all.Registry()
	f, plan, err := update.Prepare(ctx, r, dir, opt)
	if err != nil {
		return nil, err
	}
	return plan, errors.Join(f.Fetch(ctx, plan, nil), f.Close())
}

// preloadedTo updates a folder by what was preloaded; from may be "".
func preloadedTo(ctx context.Context, from, dir string, opt update.Options) (*update.Remote, error) {
	r, err := update.OpenRemote(from, update.RemoteOptions{Preloaded: dir})
	if err != nil {
		return nil, err
	}
	r.SetClock(time.Now, noSleep)
	opt.Registry = all.Registry()
	f, plan, err := update.Prepare(ctx, r, dir, opt)
	if err != nil {
		return r, err
	}
	return r, errors.Join(f.Apply(ctx, plan, nil), f.Close())
}

// withoutWork is what a folder has but for the folder of work and what it remembers.
func withoutWork(t *testing.T, dir string) folder {
	f := readFolder(t, dir)
	for name := range f {
		if strings.HasPrefix(name, ".pakdb-") {
			delete(f, name)
		}
	}
	return f
}

// TestPreload: a preloaded build is installed without the store, by contents, deltas and
// patches, in a new folder and in one that has another build.
func TestPreload(t *testing.T) {
	list, key := builds(t), sure(delta.GenerateKey())
	for name, c := range map[string]struct {
		before folder
		opt    publish.Options
	}{
		"nothing":      {folder{}, publish.Options{}},
		"contents":     {list[0], publish.Options{}},
		"with patches": {list[0], publish.Options{Deltas: 1}},
		"signed":       {list[0], publish.Options{Deltas: 1, Key: key}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, at := t.TempDir(), filepath.Join(t.TempDir(), "game")
			c.opt.Registry = all.Registry()
			for i, f := range list[:2] {
				publishWith(t, dir, string(rune('1'+i)), f, &c.opt)
			}
			c.before.write(t, at)
			server := httptest.NewServer(http.FileServer(http.Dir(dir)))
			plan, err := preloadTo(quick(t.Context()), server.URL, at, update.Options{})
			if err != nil || plan.Build != "2" {
				t.Fatal(plan, err)
			}
			server.Close()
			same(t, "preloaded", withoutWork(t, at), c.before)
			from := map[string]string{"contents": server.URL, "signed": server.URL}[name] // of a server that does not answer
			r, err := preloadedTo(quick(t.Context()), from, at, update.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Fetched()+r.Requests() != 0 && from == "" || r.Fetched() != 0 {
				t.Errorf("%d bytes came by %d requests", r.Fetched(), r.Requests())
			}
			same(t, "updated", withoutWork(t, at), list[1])
			if _, err := preloadedTo(t.Context(), "", at, update.Options{}); !errors.Is(err, update.ErrNotPreloaded) {
				t.Errorf("after the update: %v", err)
			}
		})
	}
}

// TestPreloadOfNewer: a store that has a newer build now gives that; what was preloaded goes.
func TestPreloadOfNewer(t *testing.T) {
	list, dir, at := builds(t), t.TempDir(), t.TempDir()
	runPublish(t, dir, "1", list[0])
	if _, err := preloadTo(quick(t.Context()), dir, at, update.Options{}); err != nil {
		t.Fatal(err)
	}
	again, err := preloadTo(quick(t.Context()), dir, at, update.Options{})
	if err != nil || again.Bill.Reused != again.Bill.Fetch {
		t.Errorf("the same again fetches %d bytes, of which %d are there: %v", again.Bill.Fetch, again.Bill.Reused, err)
	}
	runPublish(t, dir, "2", list[1])
	if _, err := preloadedTo(quick(t.Context()), dir, at, update.Options{}); err != nil {
		t.Fatal(err)
	}
	same(t, "updated", readFolder(t, at), list[1])
}

// TestPreloadOfAnotherFolder: what was not preloaded is not made up: the folder stays as it is.
func TestPreloadOfAnotherFolder(t *testing.T) {
	testkit.NotShort(t)
	list, dir, at := builds(t), t.TempDir(), t.TempDir()
	runPublish(t, dir, "1", list[0])
	runPublish(t, dir, "2", list[1])
	list[1].write(t, at)
	if _, err := preloadTo(quick(t.Context()), dir, at, update.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(at, "big.bin")); err != nil {
		t.Fatal(err)
	}
	before := withoutWork(t, at)
	_, err := preloadedTo(quick(t.Context()), "", at, update.Options{})
	var hint interface{ Hint() string }
	if !errors.Is(err, update.ErrNotPreloaded) || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "--fetch-only") {
		t.Errorf("got %v", err)
	}
	same(t, "refused", withoutWork(t, at), before)
	file := filepath.Join(at, store.WorkDir, atomicfile.Prefix+"preload")
	if err := os.WriteFile(file, []byte(`{"builds/index.json 0 -1`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := preloadedTo(quick(t.Context()), "", at, update.Options{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("of half a file: %v", err)
	}
}

// TestPreloadOverlay: the archive over installed ones is made without the store, too.
func TestPreloadOverlay(t *testing.T) {
	testkit.NotShort(t)
	o := codecs.CreateOptions{Version: "11", Method: "zlib", MountPoint: "../../../Game/"}
	list := games(t, o)
	from := smallStore(t, list[:2], 0, nil)
	dir, build := t.TempDir(), t.TempDir()
	list[0].Write(t, dir)
	list[1].Write(t, build)
	opt := update.Options{Overlay: true}
	if _, err := preloadTo(quick(t.Context()), from, dir, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := preloadedTo(quick(t.Context()), "", dir, opt); err != nil {
		t.Fatal(err)
	}
	seen(t, dir, build)
}

// A preload that is killed, or fails, changes nothing; the next one, and the update after it,
// come to the build.
func TestFaultsPreload(t *testing.T) {
	list := small(t)
	from := smallStore(t, list[:2], 1, nil)
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "game")
			list[0].Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			if _, err := preloadTo(ctx, from, dir, update.Options{}); err != nil {
				return err
			}
			_, err := preloadedTo(ctx, "", dir, update.Options{})
			return err
		},
		Mixed: true, // a crash while renaming leaves files of both builds
		Kept:  true,
		MayFail: func(op atomicfile.Op) bool {
			return op.Kind == atomicfile.OpRemove && !strings.Contains(filepath.ToSlash(op.Path), "/.pakdb-update")
		},
		Lax: func(path string) bool { return strings.Contains(filepath.ToSlash(path), "/.pakdb-update/") },
	}, faultPoints/3)
}
