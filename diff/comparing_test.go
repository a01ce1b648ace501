package diff_test

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// both is what comparing two builds tells, all of it.
type both struct {
	Changes   []diff.Change
	Unknown   int64
	Reordered []string
	Damage    []string
}

// comparedWays are ways to compare two builds.
var comparedWays = []diff.Options{{}, {Files: true, NoRenames: true, Times: true}, {PerArchive: true}}

// comparedBy indexes two builds, and compares them in each of comparedWays.
func comparedBy(t testing.TB, dir, old, new string) (found []both) {
	t.Helper()
	path := filepath.Join(dir, "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct{ label, path string }{{"old", old}, {"new", new}} {
		o := indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{b.path}, Label: b.label, Sketch: true}
		if _, err := indexer.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db := schematest.Open(t, path)
	defer func() { _ = db.Close() }()
	damage, err := diff.FindDamage(t.Context(), db, all.Registry(), "old", "new")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range comparedWays {
		r, changes := comparedIn(t, db, o, "old", "new")
		found = append(found, both{changes, r.Unknown, r.Reordered, codecs.DamageTexts(damage)})
	}
	return found
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

// TestReadingRecords: files are compared as the same in a catalog is, for builds that are
// made of the entries of two others: left out, renamed, edited, damaged, with the content
// of another.
func TestReadingRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("a catalog for each pair")
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
		differs, n := sameWithoutCatalog(t, t.TempDir(), paths[0], paths[1])
		if changes += n; differs != "" {
			rt.Fatalf("(-catalog +files):\n%s", differs)
		}
	})
	if changes == 0 {
		t.Error("nothing changed in any pair")
	}
}
