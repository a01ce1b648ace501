package schema_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// called is an archive of a build, by the name that it has there.
type called struct {
	name  string
	files []file
}

// sampleOf returns what tells of entries before they are read.
func sampleOf(files []file) func() (*schema.Sample, error) {
	return func() (*schema.Sample, error) {
		var s schema.Sample
		for _, f := range files {
			s.Add(schema.Outline{Name: f.name, Stored: 10, Size: int64(10 + f.content%7)})
		}
		return &s, nil
	}
}

// writeNamed writes a build of archives of any names.
func writeNamed(t testing.TB, path, label string, archives ...[]called) {
	t.Helper()
	err := withCatalog(path, func(ctx context.Context, c *schema.Catalog) error {
		for i, a := range archives {
			if err := addNamed(ctx, c, fmt.Sprint(label, strings.Repeat("+", i)), a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addNamed writes one.
func addNamed(ctx context.Context, c *schema.Catalog, label string, archives []called) error {
	b, err := c.Begin(ctx, label, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	var names []string
	for _, a := range archives {
		names = append(names, a.name)
	}
	b.SetNames(names)
	for i, a := range archives {
		id, err := schematest.TryStart(ctx, b, schema.Archive{Size: int64(len(a.files)), Quick: digest(i), Scan: "s", Format: "test", Name: a.name, Sample: sampleOf(a.files)})
		if err != nil {
			return err
		}
		for n, f := range a.files {
			e := &schema.Entry{Ordinal: int64(n), Name: f.name, Method: "none", Offset: f.offset, Stored: 10, Size: int64(10 + f.content%7),
				HasContent: true, Content: digest(f.content), ContentSize: int64(10 + f.content%7)}
			if f.content%5 == 0 {
				e.Facts = &schema.Facts{Inspector: "i/1", Kind: "k", Symbols: []schema.Symbol{{Space: "s", Key: int64(f.content), Path: f.name}},
					Refs: []schema.Ref{{Kind: "k", Space: "s", Key: int64(f.content + 5)}}}
			}
			if err := b.Add(id, e); err != nil {
				return err
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: a.name, Location: "/" + a.name, Place: int64(i), Order: int64(i % 2)})
	}
	_, err = b.Finish(ctx)
	return err
}

// buildRows returns what all views that tell builds apart say of one.
func buildRows(t *testing.T, db *sql.DB, label string) map[string][]string {
	t.Helper()
	names, err := schema.FirstTexts(t.Context(), db, `SELECT s.name FROM sqlite_schema s
		WHERE s.type = 'view' AND s.name NOT GLOB 'x_*' AND EXISTS (SELECT 1 FROM pragma_table_info(s.name) WHERE name = 'build') ORDER BY s.name`)
	if err != nil || len(names) < 30 {
		t.Fatal(len(names), err)
	}
	all := map[string][]string{}
	for _, name := range names {
		columns, err := schema.FirstTexts(t.Context(), db, "SELECT name FROM pragma_table_info(?)", name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range query(t, db, "SELECT * FROM "+name+" WHERE build = ?", label) {
			for i := range r {
				r[i] = withoutID(columns[i], r[i])
			}
			all[name] = append(all[name], fmt.Sprint(r))
		}
		slices.Sort(all[name])
	}
	return all
}

// anyName gives an archive a name in a next build: that of before, another version, or
// anything.
func anyName(r *rand.Rand, build, archive int) string {
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("chunk%d.pak", archive)
	case 1:
		return fmt.Sprintf("chunk%d-1.%d.pak", archive, build)
	case 2:
		return fmt.Sprintf("chunk%d-%06x.pak", archive, r.IntN(1<<24))
	default:
		return fmt.Sprintf("%c%d-%d.pak", 'a'+r.IntN(3), archive, build)
	}
}

// TestRenamedArchives: a catalog of archives that have other names in each build shows of
// each what a catalog of that build alone does, whatever was removed meanwhile.
func TestRenamedArchives(t *testing.T) {
	for seed := range uint64(testkit.Of(1, 2)) {
		if testing.Short() && seed > 0 {
			break
		}
		r := rand.New(rand.NewPCG(seed, 7))
		path := filepath.Join(t.TempDir(), "pakdb.db")
		archives := make([][]file, 3)
		for i := range archives {
			for n := range 20 + r.IntN(60) {
				archives[i] = append(archives[i], file{name: fmt.Sprintf("dir%d/%d", (i+n/9)%4, n), content: 100*i + n, offset: int64(n) * 100})
			}
		}
		alone := map[string]map[string][]string{}
		for build := range testkit.Of(3, 6) {
			var mounted []called
			for i := range archives {
				if r.IntN(7) > 0 {
					mounted = append(mounted, called{anyName(r, build, i), archives[i]})
				}
			}
			if r.IntN(4) == 0 && len(mounted) > 0 { // a copy that the next build may continue as well
				mounted = append(mounted, called{fmt.Sprintf("copy-%d.pak", build), mounted[0].files})
			}
			slices.SortFunc(mounted, func(a, b called) int { return strings.Compare(a.name, b.name) })
			label := fmt.Sprint("b", build)
			writeNamed(t, path, label, mounted)
			own := filepath.Join(t.TempDir(), "alone.db")
			writeNamed(t, own, label, mounted)
			alone[label] = buildRows(t, readDB(t, own), label)
			for i := range archives {
				archives[i] = mutate(r, archives[i])
			}
			if r.IntN(3) == 0 {
				gone := fmt.Sprint("b", r.IntN(build+1))
				if alone[gone] != nil {
					if err := removeBuilds(gone).do(path); err != nil {
						t.Fatal(err)
					}
					delete(alone, gone)
				}
			}
		}
		db := readDB(t, path)
		for label, want := range alone {
			sameViews(t, fmt.Sprintf("seed %d, %s", seed, label), buildRows(t, db, label), want)
		}
		if scan[int](t, db, `SELECT count(*) FROM (SELECT 1 FROM x_build_archive ba JOIN x_archive a USING (archive_id)
			GROUP BY a.lineage_id HAVING count(DISTINCT ba.name) > 1)`) == 0 {
			t.Errorf("seed %d: no archive continues one of another name", seed)
		}
		merged := filepath.Join(t.TempDir(), "merged.db")
		mergeInto(t, merged, false, path)
		db = readDB(t, merged)
		for label, want := range alone {
			sameViews(t, fmt.Sprintf("seed %d, %s merged", seed, label), buildRows(t, db, label), want)
		}
		for _, path := range []string{path, merged} {
			if _, err := schema.Check(t.Context(), path, func(f schema.Finding) { t.Errorf("seed %d: %s: %s", seed, f.Check, f.Detail) }, func(string) {}); err != nil {
				t.Error(err)
			}
		}
	}
}

// numbered returns n files; those below changed have other contents in each build.
func numbered(dir string, n, changed, build int) (files []file) {
	for i := range n {
		f := file{name: fmt.Sprintf("%s/%d", dir, i), content: i, offset: int64(i) * 10}
		if i < changed {
			f.content += 7001 * build
		}
		files = append(files, f)
	}
	return files
}

// lineages returns the lineage of each archive of a build, by name.
func lineages(t *testing.T, db *sql.DB, label string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, r := range query(t, db, `SELECT ba.name, a.lineage_id FROM x_build_archive ba
		JOIN x_build b USING (build_id) JOIN x_archive a USING (archive_id) WHERE b.label = ?`, label) {
		all[r[0].(string)] = r[1].(int64)
	}
	return all
}

// TestWhatContinues: which archive of the build before one of another name continues. Each
// case has the archives of two builds, and what those of the second one continue, "" for
// none.
func TestWhatContinues(t *testing.T) {
	n := 0
	for what, test := range testkit.SomeOf(map[string]struct {
		old, new []called
		want     map[string]string
	}{
		"another version": {
			[]called{{"Game-1.0.pak", numbered("a", 100, 0, 1)}},
			[]called{{"Game-1.1.pak", numbered("a", 110, 5, 2)}},
			map[string]string{"Game-1.1.pak": "Game-1.0.pak"}},
		"each its own, whatever they are called": {
			[]called{{"x1.pak", numbered("a", 100, 0, 1)}, {"x2.pak", numbered("b", 100, 0, 1)}, {"x3.pak", numbered("c", 50, 0, 1)}},
			[]called{{"x4.pak", numbered("c", 50, 1, 2)}, {"x5.pak", numbered("a", 100, 1, 2)}, {"x6.pak", numbered("b", 100, 1, 2)}},
			map[string]string{"x4.pak": "x3.pak", "x5.pak": "x1.pak", "x6.pak": "x2.pak"}},
		"the same name comes first": {
			[]called{{"a1.pak", numbered("a", 100, 0, 1)}},
			[]called{{"a0.pak", numbered("a", 100, 0, 1)}, {"a1.pak", numbered("a", 100, 60, 2)}},
			map[string]string{"a0.pak": "", "a1.pak": "a1.pak"}},
		"of equal ones that of a like name": {
			[]called{{"audio-de-1.pak", numbered("a", 100, 0, 1)}, {"audio-en-1.pak", numbered("a", 100, 2, 1)}, {"audio-fr-1.pak", numbered("a", 100, 0, 1)}},
			[]called{{"audio-en-2.pak", numbered("a", 100, 0, 1)}, {"audio-fr-2.pak", numbered("a", 100, 0, 1)}},
			map[string]string{"audio-en-2.pak": "audio-en-1.pak", "audio-fr-2.pak": "audio-fr-1.pak"}},
		"names with hashes": {
			[]called{{"a-0f3c9a11.pak", numbered("a", 100, 0, 1)}, {"b-77d0e3aa.pak", numbered("a", 100, 1, 1)}},
			[]called{{"b-1b2c3d4e.pak", numbered("a", 100, 0, 1)}},
			map[string]string{"b-1b2c3d4e.pak": "b-77d0e3aa.pak"}},
		"one has it": {
			[]called{{"a1.pak", numbered("a", 100, 0, 1)}},
			[]called{{"a2.pak", numbered("a", 100, 0, 1)}, {"a3.pak", numbered("a", 100, 0, 1)}},
			map[string]string{"a2.pak": "a1.pak", "a3.pak": ""}},
		"three times as large": {
			[]called{{"a1.pak", numbered("a", 1000, 0, 1)}},
			[]called{{"a2.pak", numbered("a", 2990, 0, 1)}},
			map[string]string{"a2.pak": "a1.pak"}},
		"other entries":        {[]called{{"a1.pak", numbered("a", 100, 0, 1)}}, []called{{"a2.pak", numbered("b", 100, 0, 1)}}, map[string]string{"a2.pak": ""}},
		"other sizes":          {[]called{{"a1.pak", numbered("a", 100, 100, 1)}}, []called{{"a2.pak", numbered("a", 100, 100, 2)}}, map[string]string{"a2.pak": ""}},
		"a small part of much": {[]called{{"a1.pak", numbered("a", 1000, 0, 1)}}, []called{{"a2.pak", numbered("a", 100, 0, 1)}}, map[string]string{"a2.pak": ""}},
		"nothing":              {[]called{{"a1.pak", nil}}, []called{{"a2.pak", nil}}, map[string]string{"a2.pak": ""}},
	}, 4) {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pakdb.db")
			writeNamed(t, path, "1", test.old, test.new)
			db := readDB(t, path)
			before := map[int64]string{}
			for name, id := range lineages(t, db, "1") {
				before[id] = name
			}
			for name, id := range lineages(t, db, "1+") {
				if got := before[id]; got != test.want[name] {
					t.Errorf("%s continues %q, want %q", name, got, test.want[name])
				}
			}
			if n++; n%testkit.Of(3, 1) != 0 {
				return
			}
			merged := filepath.Join(t.TempDir(), "merged.db")
			mergeInto(t, merged, false, path)
			const rows = "SELECT (SELECT count(*) FROM x_entry_row) || ' ' || (SELECT count(DISTINCT lineage_id) FROM x_archive)"
			if got, want := scan[string](t, readDB(t, merged), rows), scan[string](t, readDB(t, path), rows); got != want {
				t.Errorf("merged: %s rows and lineages, want %s", got, want)
			}
		})
	}
}
