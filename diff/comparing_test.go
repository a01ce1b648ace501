package diff_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/diff/download"
	"pakdb/indexer"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// both is what comparing two builds tells, all of it.
type both struct {
	Changes   []diff.Change
	Ways      []download.Way
	Unknown   int64
	Reordered []string
}

// comparedBy scans two builds with a registry into a catalog, and compares them in
// several ways. What is left out is that which indexer.LeaveAlike finds.
func comparedBy(t testing.TB, dir string, open func(context.Context, string) (*schema.Catalog, error), registry *codecs.Registry, old, new string, leave bool) (all []both, scanned int64) {
	t.Helper()
	path := filepath.Join(dir, "pakdb.db")
	c, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var scans [2]indexer.Options
	for i, b := range []struct{ label, path string }{{"old", old}, {"new", new}} {
		scans[i] = indexer.Options{Catalog: c, Registry: registry, Paths: []string{b.path}, Label: b.label, Sketch: true}
	}
	if leave {
		if err := indexer.LeaveAlike(t.Context(), &scans[0], &scans[1], nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range scans {
		report, err := indexer.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		scanned += report.Entries
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := schematest.Open(t, path)
	defer func() { _ = db.Close() }()
	for _, o := range []diff.Options{{}, {Files: true, NoRenames: true, Times: true}, {PerArchive: true}} {
		r, changes := comparedIn(t, db, o, "old", "new")
		ways, err := download.Ways(t.Context(), db, r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, both{changes, ways, r.Unknown, r.Reordered})
	}
	return all, scanned
}

// sameForComparing fails where a scan for comparing, into a scratch catalog, tells
// anything else than one of all facts into one that is kept.
func sameForComparing(t testing.TB, dirs [2]string, old, new string) (changes int) {
	t.Helper()
	registry := all.Registry()
	want, _ := comparedBy(t, dirs[0], schema.Open, registry, old, new, false)
	got, _ := comparedBy(t, dirs[1], schema.OpenScratch, registry.ForComparing(), old, new, false)
	// Ids of paths depend on which paths facts name.
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(diff.File{}, "PathID", "ContentID", "ArchiveID")); d != "" {
		t.Errorf("(-all facts +for comparing):\n%s", d)
	}
	return len(want[0].Changes)
}

// TestForComparingOnSamples: what two archives differ in is the same whether all facts
// of their contents are in the catalog, or those alone by which builds compare.
func TestForComparingOnSamples(t *testing.T) {
	for _, pair := range [][2]string{
		{"gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip"},
		{"unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"},
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Oodle"},
		{"unreal-package/uasset-rs/UE410", "unreal-package/uasset-rs/UE414"},
	} {
		t.Run(filepath.Base(pair[1]), func(t *testing.T) {
			sameForComparing(t, [2]string{t.TempDir(), t.TempDir()}, sample(t, pair[0]), sample(t, pair[1]))
		})
	}
}

// contentsOf reads all entries of an archive of testdata.
func contentsOf(t testing.TB, path string) (items []codecstest.Item) {
	t.Helper()
	a, err := all.OpenFile(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Open(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		items = append(items, codecstest.Item{Entry: &codecs.Entry{Name: e.Name, Size: e.Size}, Data: b})
	}
	return items
}

// TestForComparing does so for builds that are made of the entries of two others: left
// out, renamed, edited, damaged, with the content of another.
func TestForComparing(t *testing.T) {
	if testing.Short() {
		t.Skip("four scans for each pair")
	}
	pool := append(contentsOf(t, "../testdata/Calligraphy.sip"), contentsOf(t, "../testdata/Calligraphy_next.sip")...)
	formats := []*codecs.Format{gpak.Format(), unrealpak.Format()}
	changes, n := 0, 0
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		format := rapid.SampledFrom(formats).Draw(rt, "format")
		var paths [2]string
		for side := range paths {
			paths[side] = filepath.Join(dir, fmt.Sprintf("%d-%d.pak", n, side))
			err := codecs.WriteFile(t.Context(), paths[side], format, nil, func(w codecs.Writer) error {
				seen := map[string]bool{}
				for i, it := range pool {
					name, data := it.Entry.Name, it.Data
					switch rapid.IntRange(0, 9).Draw(rt, "what") {
					case 0, 1:
						continue
					case 2:
						name = "Elsewhere/" + name
					case 3:
						data = append(bytes.Clone(data), byte(side))
					case 4:
						if data = bytes.Clone(data); len(data) > 0 {
							data[rapid.IntRange(0, len(data)-1).Draw(rt, "at")] ^= 1
						}
					case 5:
						// Of its own kind: a content is read once, as what its first name says it is,
						// and .curve and .directory of one content would be read by different ones.
						if other := pool[(i+1)%len(pool)]; path.Ext(other.Entry.Name) == path.Ext(name) {
							data = other.Data
						}
					}
					if seen[name] {
						continue
					}
					seen[name] = true
					if err := w.Add(t.Context(), &codecs.Entry{Name: name, Size: int64(len(data))}, bytes.NewReader(data)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		changes += sameForComparing(t, [2]string{t.TempDir(), t.TempDir()}, paths[0], paths[1])
		if t.Failed() {
			rt.FailNow()
		}
	})
	if changes == 0 {
		t.Error("nothing changed in any pair")
	}
}
