package diff_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pakdb/diff"
	"pakdb/internal/mount"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// archive is one to be: a mount order, and entries by path.
type archive struct {
	name    string
	order   int64
	entries []schema.Entry
}

func anyEntry(t *rapid.T) schema.Entry {
	// few names and contents, so that they meet
	dir := rapid.SampledFrom([]string{"a/", "b/", "B/", ""}).Draw(t, "dir")
	name := rapid.SampledFrom([]string{"one", "two", "Two", "three.txt", "x.uasset", "x.uexp", "x.ubulk", "X.uasset"}).Draw(t, "name")
	content := rapid.IntRange(0, 5).Draw(t, "content")
	e := schema.Entry{Name: dir + name, Method: rapid.SampledFrom([]string{"none", "zlib"}).Draw(t, "method"),
		Stored: rapid.Int64Range(1, 3).Draw(t, "stored"), Size: int64(content), ContentSize: int64(content),
		Content: digest(content), HasContent: true}
	if asset := rapid.IntRange(0, 3).Draw(t, "essence"); asset > 0 {
		e.Digest = &schema.PackageDigest{Essence: [16]byte{byte(content) / 2}}
	}
	switch rapid.IntRange(0, 9).Draw(t, "special") {
	case 0:
		e.Flags, e.HasContent = 2, false
	case 1:
		e.Name, e.ID, e.IDBits = "", [2]uint64{0, uint64(content % 3)}, 64
	}
	return e
}

func anyBuild(t *rapid.T) []archive {
	n := rapid.IntRange(1, 3).Draw(t, "archives")
	build := make([]archive, n)
	for i := range build {
		build[i].name = fmt.Sprintf("%d.pak", i)
		build[i].order = rapid.Int64Range(0, 2).Draw(t, "order")
		build[i].entries = rapid.SliceOfN(rapid.Custom(anyEntry), 0, 8).Draw(t, "entries")
	}
	return build
}

// nextVersion returns a build whose archives are those of another one but for a few
// entries, and have other names.
func nextVersion(t *rapid.T, build []archive) (next []archive) {
	for i, a := range build {
		entries := slices.Clone(a.entries)
		if len(entries) > 0 && rapid.Bool().Draw(t, "changes") {
			entries[rapid.IntRange(0, len(entries)-1).Draw(t, "at")] = anyEntry(t)
		}
		name := fmt.Sprintf("%d-2.pak", (i+rapid.IntRange(0, 1).Draw(t, "name"))%len(build))
		if slices.ContainsFunc(next, func(a archive) bool { return a.name == name }) {
			name = fmt.Sprintf("more %d.pak", i)
		}
		next = append(next, archive{name, rapid.Int64Range(0, 2).Draw(t, "next order"), entries})
	}
	return next
}

// writeBuilds writes builds to a new catalog. An archive that a build has in
// common with one before, by place in the slice of shared, is stored once.
func writeBuilds(t testing.TB, dir string, builds map[string][]archive, shared []archive) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(dir, "pakdb.db")
	c, err := schema.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	var sharedIDs []int64
	for _, label := range slices.Sorted(maps.Keys(builds)) {
		b, err := schematest.Begin(ctx, c, label)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range append(slices.Clone(shared), builds[label]...) {
			names = append(names, a.name)
		}
		b.SetNames(names)
		if sharedIDs == nil {
			for _, a := range shared {
				sharedIDs = append(sharedIDs, addArchive(t, b, a))
			}
		}
		var mounts []schema.Mount
		for i, a := range shared {
			mounts = append(mounts, schema.Mount{Archive: sharedIDs[i], Name: a.name, Order: a.order})
		}
		for _, a := range builds[label] {
			mounts = append(mounts, schema.Mount{Archive: addArchive(t, b, a), Name: a.name, Order: a.order})
		}
		mountAll(b, mounts)
		if _, err := b.Finish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// mountAll places archives of a format without names that decide, as the indexer
// does.
func mountAll(b *schema.Build, mounts []schema.Mount) {
	rules := make([]mount.Archive, len(mounts))
	for i := range mounts {
		rules[i] = mount.Archive{Order: mounts[i].Order}
	}
	for i, place := range mount.Places(rules) {
		mounts[i].Place = int64(place)
		b.Mount(mounts[i])
	}
}

func addArchive(t testing.TB, b *schema.Build, a archive) int64 {
	var s schema.Sample
	for i := range a.entries {
		s.Add(schema.Outline{Name: a.entries[i].Name, Stored: a.entries[i].Stored, Size: a.entries[i].Size})
	}
	sample := func() (*schema.Sample, error) { return &s, nil }
	id := schematest.Start(t, b, schema.Archive{Format: "test", Scan: "test", Name: a.name, Sample: sample})
	for i := range a.entries {
		e := a.entries[i]
		e.Ordinal = int64(i)
		if err := b.Add(id, &e); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	return id
}

// seen is an entry that a game sees; of a name, without regard to case, there is
// one, but any number of an id.
type seen struct {
	name string
	size int64
}

// view is what a game would see: the simplest thing that could be right. The
// first archive of an order wins, and its first entry; a delete record hides what
// lower orders have.
func view(archives []archive) map[seen]int {
	files, out := map[string]seen{}, map[seen]int{}
	for order := int64(0); order <= 2; order++ {
		here, gone := map[string]seen{}, map[string]bool{}
		for _, a := range archives {
			if a.order != order {
				continue
			}
			counted := map[string]bool{}
			for _, e := range a.entries {
				if e.Name == "" {
					out[seen{fmt.Sprintf("@%016x", e.ID[1]), e.Size}]++
					continue
				}
				key := strings.ToLower(e.Name)
				if counted[key] {
					continue
				}
				counted[key] = true
				if _, taken := here[key]; e.Flags&2 != 0 {
					gone[key] = true
				} else if !taken {
					here[key] = seen{e.Name, e.Size}
				}
			}
		}
		for key := range gone {
			delete(files, key)
		}
		maps.Copy(files, here)
	}
	for _, f := range files {
		out[f]++
	}
	return out
}

func apply(t *rapid.T, files map[seen]int, changes []diff.Change) map[seen]int {
	out := maps.Clone(files)
	for _, c := range changes {
		if c.Old != nil {
			if out[seen{c.Old.Name(), c.Old.Size}]--; out[seen{c.Old.Name(), c.Old.Size}] < 0 {
				t.Fatalf("%s %s of %d: the old build has none", c.Kind, c.Old.Name(), c.Old.Size)
			}
		}
		if c.New != nil {
			out[seen{c.New.Name(), c.New.Size}]++
		}
	}
	maps.DeleteFunc(out, func(_ seen, n int) bool { return n == 0 })
	return out
}

func TestProperties(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred catalogs")
	}
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		shared := rapid.SliceOfN(rapid.Custom(anyEntry), 0, 8).Draw(rt, "shared")
		base := []archive{{"shared.pak", rapid.Int64Range(0, 2).Draw(rt, "order"), shared}}
		a, b := anyBuild(rt), anyBuild(rt)
		if rapid.Bool().Draw(rt, "other version") { // b is much like a, under other names
			b = nextVersion(rt, a)
		}
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(sub) }()
		db, err := schema.OpenReadOnly(t.Context(), writeBuilds(t, sub, map[string][]archive{"a": a, "b": b, "c": a}, base))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		viewA, viewB := view(append(base, a...)), view(append(base, b...))
		for _, o := range []diff.Options{{Files: true}, {Files: true, NoRenames: true}} {
			// c is a, of archives that were scanned anew: nothing is passed over.
			for _, other := range []string{"a", "c"} {
				if _, same := comparedIn(t, db, o, "a", other); len(same) > 0 {
					rt.Fatalf("a build differs from itself: %s", lines(same))
				}
			}
			_, forth := comparedIn(t, db, o, "a", "b")
			if d := cmp.Diff(viewB, apply(rt, viewA, forth)); d != "" {
				rt.Fatalf("changes do not lead from a to b (-want +got):\n%s\n%s", d, lines(forth))
			}
			_, back := comparedIn(t, db, o, "b", "a")
			if d := cmp.Diff(viewA, apply(rt, viewB, back)); d != "" {
				rt.Fatalf("changes do not lead from b to a (-want +got):\n%s", d)
			}
			if d := cmp.Diff(mirror(forth), count(back)); d != "" {
				rt.Fatalf("b to a is not the mirror of a to b (-want +got):\n%s\n%s\n%s", d, lines(forth), lines(back))
			}
			o.Files = false
			checkAssets(t, rt, db, o, forth)
		}
	})
}

// count leaves the order in the archive out: where two entries changed places,
// either may be said to have moved.
func count(changes []diff.Change) map[diff.Kind]int {
	n := map[diff.Kind]int{}
	for _, c := range changes {
		if !slices.Equal(c.Notes, []string{"order"}) || c.Kind != diff.Metadata {
			n[c.Kind]++
		}
	}
	return n
}

// mirror counts changes as seen from the other side.
func mirror(changes []diff.Change) map[diff.Kind]int {
	n := count(changes)
	n[diff.Added], n[diff.Removed] = n[diff.Removed], n[diff.Added]
	maps.DeleteFunc(n, func(_ diff.Kind, n int) bool { return n == 0 })
	return n
}

// checkAssets: assets are made of the files that changed, and of nothing else.
func checkAssets(tb testing.TB, t *rapid.T, db *sql.DB, o diff.Options, files []diff.Change) {
	want, got := diff.NewTotals("kind"), diff.NewTotals("kind")
	for i := range files {
		want.Add(&files[i])
	}
	_, assets := comparedIn(tb, db, o, "a", "b")
	n := 0
	for i := range assets {
		got.Add(&assets[i])
		n += max(1, len(assets[i].Parts))
		if c := &assets[i]; (c.Kind|c.Also)&diff.Cosmetic != 0 && (c.Kind|c.Also)&diff.Modified != 0 {
			t.Fatalf("%s is both modified and cosmetic", c.Name())
		}
	}
	if n != len(files) {
		t.Fatalf("%d files in assets, %d changed: %s\n%s", n, len(files), lines(assets), lines(files))
	}
	for _, s := range []*diff.Sizes{&want.All, &got.All} {
		s.Count, s.Cosmetic, s.CosmeticDownload = 0, 0, 0 // an asset with one modified file is modified
	}
	if want.All != got.All {
		t.Fatalf("assets %+v, files %+v", got.All, want.All)
	}
}
