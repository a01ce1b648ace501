package update_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// withParts brings a folder to a build, with a choice of parts, and returns the bill.
func withParts(t *testing.T, from, dir, label string, choice store.PartChoice) (update.Bill, error) {
	t.Helper()
	ctx := quick(t.Context())
	r, err := update.OpenRemote(from, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u, plan, err := update.Prepare(ctx, r, dir, update.Options{Label: label, Parts: choice, Registry: all.Registry()})
	if err != nil {
		return update.Bill{}, err
	}
	return plan.Bill, errors.Join(u.Apply(ctx, plan, nil), u.Close())
}

// has compares a folder with files, but for what it remembers.
func has(t *testing.T, what, dir string, want folder) {
	t.Helper()
	got := readFolder(t, dir)
	delete(got, store.InstallName)
	same(t, what, got, want)
}

func leaving(names ...string) store.PartChoice { return store.PartChoice{Without: names} }
func having(names ...string) store.PartChoice  { return store.PartChoice{With: names} }

// partsOf are the files of a build of several parts, each of size bytes of noise.
func partsOf(seed uint64, size int) folder {
	f := folder{}
	for i, name := range []string{"Game.bin", "Text/de.bin", "Text/fr.bin", "DLC1/fr.bin", "DLC1/level.bin", "a.txt"} {
		r := rand.NewChaCha8([32]byte{byte(seed), byte(i)})
		f[name] = make([]byte, size)
		_, _ = r.Read(f[name])
	}
	return f
}

func only(f folder, names ...string) folder {
	some := folder{}
	for _, name := range names {
		some[name] = f[name]
	}
	return some
}

var someParts = []publish.PartFiles{{Name: "fr", Pattern: "fr.bin"}, {Name: "de", Pattern: "Text/de.bin"}, {Name: "dlc1", Pattern: "DLC1/**"}}

// TestParts: a folder has the parts that it wants, through builds, and fetches no others.
func TestParts(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	const size = 400_000
	dir, at := t.TempDir(), t.TempDir()
	builds := []folder{partsOf(1, size), partsOf(2, size)}
	for i, f := range builds {
		publishWith(t, dir, fmt.Sprint(i+1), f, &publish.Options{Registry: all.Registry(), Deltas: 1, Parts: someParts})
	}
	for _, c := range []struct {
		label  string
		choice store.PartChoice
		fetch  int64 // files that are fetched
		want   folder
	}{
		{"1", leaving("de", "dlc1"), 4, only(builds[0], "Game.bin", "Text/fr.bin", "DLC1/fr.bin", "a.txt")},
		{"1", having("de"), 1, only(builds[0], "Game.bin", "Text/fr.bin", "Text/de.bin", "DLC1/fr.bin", "a.txt")},
		{"1", leaving("fr"), 0, only(builds[0], "Game.bin", "Text/de.bin", "a.txt")},
		{"2", store.PartChoice{}, 3, only(builds[1], "Game.bin", "Text/de.bin", "a.txt")},
		{"2", leaving("all"), 0, only(builds[1], "Game.bin", "a.txt")},
		{"1", having("dlc1"), 4, only(builds[0], "Game.bin", "DLC1/fr.bin", "DLC1/level.bin", "a.txt")},
		{"2", having("all"), 6, builds[1]},
	} {
		what := fmt.Sprint(c.label, c.choice)
		bill, err := withParts(t, dir, at, c.label, c.choice)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if bill.Write != c.fetch*size || bill.Fetch > c.fetch*(size+size/10) || bill.Fetch < c.fetch*size {
			t.Errorf("%s: writes %d, fetches %d, want %d files of %d", what, bill.Write, bill.Fetch, c.fetch, size)
		}
		has(t, what, at, c.want)
		if again, err := withParts(t, dir, at, c.label, store.PartChoice{}); err != nil || again.Write+again.Fetch != 0 || again.Gone > 0 {
			t.Errorf("%s, again: %+v, %v", what, again, err)
		}
	}
}

// TestPartsLieApart: files of languages that take turns in a folder are not fetched with each
// other.
func TestPartsLieApart(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	dir, f, size := t.TempDir(), folder{}, 20_000
	for i := range 100 {
		for _, lang := range []string{"de", "en", "fr"} {
			f[fmt.Sprintf("Voice/%02d_%s.ogg", i, lang)] = nil
		}
	}
	for i, name := range slices.Sorted(maps.Keys(f)) {
		r := rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)})
		f[name] = make([]byte, size)
		_, _ = r.Read(f[name])
	}
	publishWith(t, dir, "1", f, &publish.Options{Parts: []publish.PartFiles{{Name: "de", Pattern: "*_de.ogg"}, {Name: "fr", Pattern: "*_fr.ogg"}}})
	bill, err := withParts(t, dir, t.TempDir(), "", leaving("de", "fr"))
	if most := int64(100*size) * 11 / 10; err != nil || bill.Fetch > most {
		t.Errorf("fetches %d for a third of the files, at most %d: %v", bill.Fetch, most, err)
	}
}

// TestPartsInOrder: what is needed first comes into place first, in the order of the parts, and
// without the bytes of later ones; when the server goes away the folder has whole parts, and
// the next update goes on.
func TestPartsInOrder(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	const size = 400_000
	dir := t.TempDir()
	builds := []folder{partsOf(1, size), partsOf(2, size)}
	for i, f := range builds {
		publishWith(t, dir, fmt.Sprint(i+1), f, &publish.Options{Registry: all.Registry(), Parts: someParts})
	}
	base, text := []string{"Game.bin", "a.txt"}, []string{"Game.bin", "a.txt", "Text/fr.bin", "DLC1/fr.bin"}
	for name, c := range map[string]struct {
		before folder
		after  string // part after which the server goes away
		want   folder // then
	}{
		"first":        {folder{}, "", only(builds[1], base...)},
		"second":       {folder{}, "fr", only(builds[1], text...)},
		"third":        {folder{}, "de", only(builds[1], append(text, "Text/de.bin")...)},
		"a next build": {only(builds[0], base...), "", only(builds[1], base...)},
		// Files of two builds would be seen at once: those that are there are replaced together.
		"one with parts": {only(builds[0], text...), "", only(builds[1], text...)},
		"whole":          {builds[0], "none", builds[0]},
	} {
		t.Run(name, func(t *testing.T) {
			at := c.before.write(t, t.TempDir())
			gone := atomic.Bool{}
			files := http.FileServer(http.Dir(dir))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if gone.Load() {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				files.ServeHTTP(w, req)
			}))
			defer server.Close()
			var order []string
			run := func() (update.Bill, error) {
				r := sure(update.OpenRemote(server.URL, update.RemoteOptions{}))
				r.SetClock(time.Now, noSleep)
				order = nil
				u, plan, err := update.Prepare(quick(t.Context()), r, at, update.Options{Label: "2", Registry: all.Registry(), Placed: func(part string) {
					order = append(order, part)
					gone.Store(part == c.after || gone.Load())
				}})
				if err != nil {
					return update.Bill{}, err
				}
				if c.after == "none" {
					gone.Store(true)
				}
				return plan.Bill, errors.Join(u.Apply(quick(t.Context()), plan, nil), u.Close())
			}
			if _, err := run(); err == nil {
				t.Error("the server went away, and nothing was missing")
			}
			same(t, "in between", withoutWork(t, at), c.want)
			gone.Store(false)
			c.after = "never"
			bill, err := run()
			if err != nil {
				t.Fatal(err)
			}
			if missing := int64(len(builds[1])-len(c.want)) * size; len(c.before) == 0 && bill.Write != missing {
				t.Errorf("the rest writes %d bytes, want %d", bill.Write, missing)
			}
			same(t, "at the end", withoutWork(t, at), builds[1])
			if got := fmt.Sprintf("%q", order); got != `["" "fr" "de" "dlc1"]` {
				t.Errorf("parts came in the order %s", got)
			}
		})
	}
}

// TestPartsDifference: what a folder does without is not missing, and is to go if it is there.
func TestPartsDifference(t *testing.T) {
	t.Parallel()
	dir, at, f := t.TempDir(), t.TempDir(), partsOf(1, 10)
	publishWith(t, dir, "1", f, &publish.Options{Parts: someParts})
	only(f, "Game.bin", "a.txt", "DLC1/level.bin").write(t, at)
	r, err := update.OpenRemote(dir, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := update.Open(t.Context(), r, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the target stays as it was
		u, err := target.Compare(quick(t.Context()), at, update.Options{Parts: leaving("de", "dlc1")})
		if err != nil {
			t.Fatal(err)
		}
		if d := u.Difference(); fmt.Sprint(d.Missing, d.Gone) != "[DLC1/fr.bin Text/fr.bin] [DLC1/level.bin]" {
			t.Errorf("%+v", d)
		}
		list, gone := u.Parts()
		if got := fmt.Sprint(list, gone); got != "[{fr true 2 20} {de false 1 10} {dlc1 false 2 20}] []" {
			t.Error(got)
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
	has(t, "compared", at, only(f, "Game.bin", "a.txt", "DLC1/level.bin"))
}

// TestPartsOfNobody: what a publisher must not say of parts leaves the store as it was.
func TestPartsOfNobody(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "st")
	inputs := []delta.Input{{Name: "a", Source: codecs.Source{Name: "a", Size: 1, ReaderAt: strings.NewReader("a")}}}
	var many []publish.PartFiles
	for i := range store.MostParts + 1 {
		many = append(many, publish.PartFiles{Name: fmt.Sprint(i), Pattern: "a"})
	}
	for name, parts := range map[string][]publish.PartFiles{
		"many":      many,
		"separator": {{Name: "x/y", Pattern: "a"}},
		"control":   {{Name: "x\n", Pattern: "a"}},
		"twice":     {{Name: "x", Pattern: "a"}, {Name: "x", Pattern: "a"}},
		"nothing":   {{Name: "x", Pattern: "b"}},
		"pattern":   {{Name: "x", Pattern: "[a"}},
	} {
		if _, err := publish.Publish(t.Context(), dir, "1", inputs, &publish.Options{Parts: parts}); err == nil {
			t.Errorf("%s: published", name)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written")
	}
	for _, opt := range []*publish.Options{{Parts: []publish.PartFiles{{Name: "x", Pattern: "a"}}}, {NoParts: true}} {
		if _, err := publish.Publish(t.Context(), dir, "1", inputs, opt); err != nil {
			t.Fatal(err)
		}
		if _, err := publish.Publish(t.Context(), dir, "2", inputs, nil); errors.Is(err, publish.ErrForgottenParts) == opt.NoParts {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// TestForgedParts: a store cannot have a client do without files, or refuses what no
// publisher writes.
func TestForgedParts(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	key := sure(delta.GenerateKey())
	for name, forged := range map[string]string{
		"more files":  `{"name": "de", "files": [0, 6]}`,
		"no such":     `{"name": "de", "files": [4, 3]}`,
		"a path":      `{"name": "../de", "files": [4, 1]}`,
		"twice":       `{"name": "de", "files": [4, 1]}, {"name": "de", "files": [4, 1]}`,
		"half a run":  `{"name": "de", "files": [4]}`,
		"no number":   `{"name": "de", "files": ["4", 1]}`,
		"beyond size": `{"name": "de", "files": [4, 99999999999999999999]}`,
	} {
		for _, signed := range []bool{false, true} {
			dir, at := t.TempDir(), t.TempDir()
			opt := &publish.Options{Parts: []publish.PartFiles{{Name: "de", Pattern: "Text/de.bin"}}}
			if signed {
				opt.Key = key
			}
			publishWith(t, dir, "1", partsOf(1, 10), opt)
			if _, err := withParts(t, dir, at, "", leaving("de")); err != nil {
				t.Fatal(err)
			}
			manifests := sure(filepath.Glob(filepath.Join(dir, "*/*/*1.json")))
			for _, file := range append(manifests, filepath.Join(dir, "builds", "1.json")) {
				b := sure(os.ReadFile(file))
				from, to := bytes.Index(b, []byte(`"parts": [`))+10, bytes.Index(b, []byte("\n ],\n \"tables\""))
				if from < 10 || to < from {
					t.Fatalf("%s: %s", file, b)
				}
				b = append(append(bytes.Clone(b[:from]), forged...), b[to:]...)
				if err := os.WriteFile(file, b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := withParts(t, dir, at, "", store.PartChoice{})
			switch {
			case signed && !errors.Is(err, trust.ErrMixed) && !errors.Is(err, store.ErrCorrupt): // or too long
				t.Errorf("%s, signed: %v", name, err)
			case !signed && name == "more files" && err != nil:
				t.Errorf("%s: %v", name, err) // nobody can know
			case !signed && name != "more files" && !errors.Is(err, store.ErrCorrupt):
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
