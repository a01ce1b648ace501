package update_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pakdb/codecs/all"
	"pakdb/diff/ship/store/update"
)

// noise draws bytes that do not compress.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// planned is what a test says of a file of a plan: of its bytes that come from the
// folder, and that are fetched as chunks, whether they are none, some or all.
type planned struct {
	path           string
	isNew          bool
	from           []string
	local, missing string
}

func share(n, of int64) string {
	switch {
	case n == 0:
		return ""
	case n == of:
		return "all"
	}
	return "some"
}

// TestPlanIsData: what an update will do is known before anything is done, for each
// kind of difference between a folder and a build.
func TestPlanIsData(t *testing.T) {
	t.Parallel()
	a, b, c := noise(1, 120_000), noise(2, 80_000), noise(3, 2000)
	edited := slices.Concat(a[:60_000], []byte("edited"), a[60_000:])
	damaged := bytes.Clone(a)
	damaged[80_000] ^= 1
	for name, test := range map[string]struct {
		before folder // the build before, if there is one
		build  folder
		have   folder // what the folder has: of no name, the build before
		deltas int
		files  []planned
		remove []string
		keep   []string
	}{
		"fresh": {
			build: folder{"a": a, "sub/c": c},
			files: []planned{{path: "a", isNew: true, missing: "all"}, {path: "sub/c", isNew: true, missing: "all"}},
		},
		"nothing to do": {
			before: folder{"a": a}, build: folder{"a": a}, have: folder{"a": a},
		},
		"one of two files changed": {
			before: folder{"a": a, "b": b}, build: folder{"a": edited, "b": b}, have: folder{"a": a, "b": b},
			files: []planned{{path: "a", from: []string{"a"}, local: "some", missing: "some"}},
		},
		"one file changed, by a delta": {
			before: folder{"a.pak": a}, build: folder{"a.pak": slices.Concat(edited, c)}, have: folder{"a.pak": a}, deltas: 1,
			files: []planned{{path: "a.pak", from: []string{"a.pak"}, local: "all"}},
		},
		"moved": {
			before: folder{"a": a, "b": b}, build: folder{"deep/moved": a, "b": b}, have: folder{"a": a, "b": b},
			files:  []planned{{path: "deep/moved", isNew: true, from: []string{"a"}, local: "all"}},
			remove: []string{"a"},
		},
		"removed": {
			before: folder{"a": a, "b": b}, build: folder{"a": a}, have: folder{"a": a, "b": b},
			remove: []string{"b"},
		},
		"a foreign file": {
			before: folder{"a": a}, build: folder{"a": a}, have: folder{"a": a, "mod/mine": c},
			keep: []string{"mod/mine"},
		},
		"a seed in an unchanged neighbour": {
			before: folder{"a": a}, build: folder{"a": a, "b": slices.Concat(b, a[20_000:])}, have: folder{"a": a},
			files: []planned{{path: "b", isNew: true, from: []string{"a"}, local: "some", missing: "some"}},
		},
		"a seed in a foreign file": {
			build: folder{"a": a}, have: folder{"backup/of a": a},
			files: []planned{{path: "a", isNew: true, from: []string{"backup/of a"}, local: "all"}},
			keep:  []string{"backup/of a"},
		},
		"a damaged file": {
			build: folder{"a": a}, have: folder{"a": damaged},
			files: []planned{{path: "a", from: []string{"a"}, local: "some", missing: "some"}},
		},
		"a file that lost its end": {
			build: folder{"a": a}, have: folder{"a": a[:100_000]},
			files: []planned{{path: "a", from: []string{"a"}, local: "some", missing: "some"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := t.TempDir()
			if test.before != nil {
				runPublish(t, store, "before", test.before)
			}
			runPublish(t, store, "build", test.build, slices.Repeat([]int{1}, test.deltas)...)
			p := planOf(t, store, test.have.write(t, t.TempDir()))
			if got := describe(p); !reflect.DeepEqual(got, test.files) {
				t.Errorf("files %+v,\nwant  %+v", got, test.files)
			}
			if !slices.Equal(p.Remove, test.remove) || !slices.Equal(p.Keep, test.keep) {
				t.Errorf("removes %q, keeps %q; want %q and %q", p.Remove, p.Keep, test.remove, test.keep)
			}
			checkSums(t, p)
			checkJSON(t, p)
		})
	}
}

// planOf plans an update of a folder to the last build, and does nothing else.
func planOf(t *testing.T, store, dir string) *update.Plan {
	t.Helper()
	before := readFolder(t, dir)
	r, err := update.OpenRemote(store, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := update.Open(t.Context(), r, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Compare(t.Context(), dir, update.Options{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		same(t, "a plan changes nothing", readFolder(t, dir), before)
	}()
	p, err := f.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func describe(p *update.Plan) (list []planned) {
	for _, f := range p.Files {
		list = append(list, planned{f.Path, f.New, f.From, share(f.Local+f.Coded, f.Size), share(f.Missing, f.Size)})
	}
	return list
}

// checkSums compares the bill of a plan with what the plan says in detail.
func checkSums(t *testing.T, p *update.Plan) {
	t.Helper()
	fetch, write, local, missing := int64(0), int64(0), int64(0), int64(0)
	for _, r := range p.Ranges {
		fetch += r.Size
		if len(r.Parts) == 0 {
			t.Errorf("nothing is wanted of %+v", r)
		}
		for _, part := range r.Parts {
			if part.Off < 0 || part.Off+part.Size > r.Size || (part.Pack > 0) == (part.Content != update.Content{}) {
				t.Errorf("%+v is no part of %+v", part, r)
			}
		}
	}
	for _, patch := range p.Patches {
		fetch += patch.Size
	}
	for _, f := range p.Files {
		write, local, missing = write+f.Size, local+f.Local+f.Coded, missing+f.Missing
	}
	if b := p.Bill; fetch != b.Fetch || write != b.Write || local != b.Local || missing != b.Missing || len(p.Files) != b.New+b.Changed ||
		len(p.Remove) != b.Gone || len(p.Keep) != b.Kept || missing > 0 && fetch == 0 {
		t.Errorf("%+v; in detail %d to fetch, %d to write, %d local and %d missing", b, fetch, write, local, missing)
	}
}

// checkJSON reads a plan back.
func checkJSON(t *testing.T, p *update.Plan) {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again update.Plan
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if p.Files == nil {
		again.Files = nil
	}
	if !reflect.DeepEqual(*p, again) {
		t.Errorf("as JSON it is\n%+v, not\n%+v", again, *p)
	}
}

// TestPlanNamesItsPatch: a patch between files is in the plan with the files that it
// begins with and makes, and these come from nothing else.
func TestPlanNamesItsPatch(t *testing.T) {
	t.Parallel()
	pair := mixedPair(t)
	p := planOf(t, pair.store, pair.old.write(t, t.TempDir()))
	if len(p.Patches) != 1 || !slices.Equal(p.Patches[0].Old, []string{"Game.pak"}) || !slices.Equal(p.Patches[0].Files, []string{"Game.pak"}) {
		t.Fatalf("%+v", p.Patches)
	}
	if f := p.Files[0]; f.Patch != p.Patches[0].Name || f.From != nil || f.Local != 0 || len(p.Ranges) != 0 {
		t.Errorf("%+v, %d ranges", f, len(p.Ranges))
	}
	checkSums(t, p)
	checkJSON(t, p)
	modded := planOf(t, pair.store, pair.mod.write(t, t.TempDir()))
	if f := modded.Files[0]; f.Patch != "" || f.Coded == 0 || f.Local == 0 || !slices.Equal(f.From, []string{"Game.pak"}) {
		t.Errorf("of a modded pak: %+v", f)
	}
	checkSums(t, modded)
	checkJSON(t, modded)
}

// TestForeignPlan: a plan of another folder or build is not applied.
func TestForeignPlan(t *testing.T) {
	t.Parallel()
	store, at := t.TempDir(), t.TempDir()
	runPublish(t, store, "1", folder{"a": []byte("one")})
	runPublish(t, store, "2", folder{"a": []byte("two")})
	other := planOf(t, store, t.TempDir())
	r, err := update.OpenRemote(store, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, own, err := update.Prepare(t.Context(), r, at, update.Options{Label: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	forged := *own
	forged.Files = other.Files
	for _, p := range []*update.Plan{other, &forged} {
		if err := f.Apply(t.Context(), p, nil); err == nil {
			t.Errorf("%+v was applied", p)
		}
	}
	if files := without(readFolder(t, at), ".pakdb-update/"); files["a"] != nil {
		t.Errorf("%v", files)
	}
}
