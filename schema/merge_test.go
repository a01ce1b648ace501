package schema_test

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

// withoutID returns a value without what means something in one catalog only: numbers that
// lead to rows. Ids that games have are texts.
func withoutID(column string, v any) any {
	if _, ok := v.(int64); ok && (strings.HasSuffix(column, "_id") || column == "row" || column == "by_row") {
		return "id"
	}
	return v
}

// viewRows returns the rows of all views of a catalog, sorted and without local ids.
func viewRows(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	names, err := schema.FirstTexts(t.Context(), db, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name")
	if err != nil || len(names) < 50 {
		t.Fatal(len(names), err)
	}
	all := map[string][]string{}
	for _, name := range names {
		columns, err := schema.FirstTexts(t.Context(), db, "SELECT name FROM pragma_table_info(?)", name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range query(t, db, "SELECT * FROM "+name) {
			for i := range r {
				r[i] = withoutID(columns[i], r[i])
			}
			all[name] = append(all[name], fmt.Sprintf("%v", r))
		}
		slices.Sort(all[name])
	}
	return all
}

// fixtureRows has the rows of all views of the fixture.
var fixtureRows map[string][]string

func rowsOfFixture(t *testing.T) map[string][]string {
	t.Helper()
	if fixtureRows == nil {
		fixtureRows = viewRows(t, fixtureCatalog(t))
	}
	return fixtureRows
}

// sameViews compares catalogs by all views.
func sameViews(t testing.TB, what string, got, want map[string][]string) {
	t.Helper()
	for name := range want {
		if slices.Equal(got[name], want[name]) {
			continue
		}
		t.Errorf("%s: %s has %d rows, want %d", what, name, len(got[name]), len(want[name]))
		in := func(rows []string, row string) bool { _, found := slices.BinarySearch(rows, row); return found }
		shown := 0
		for _, r := range got[name] {
			if !in(want[name], r) && shown < 2 {
				shown++
				t.Logf("  unexpected %.400s", r)
			}
		}
		shown = 0
		for _, r := range want[name] {
			if !in(got[name], r) && shown < 2 {
				shown++
				t.Logf("  missing    %.400s", r)
			}
		}
	}
}

// mergeInto merges catalogs into one.
func mergeInto(t testing.TB, into string, replace bool, from ...string) (steps []schema.MergeStep) {
	t.Helper()
	c, err := schema.Open(t.Context(), into)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	var others []*schema.Other
	for _, path := range from {
		o, err := schema.OpenOther(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = o.Close() }()
		others = append(others, o)
	}
	if steps, err = schema.PlanMerge(t.Context(), c, others, replace); err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		if steps[i].Same {
			continue
		}
		if _, err := schema.Merge(t.Context(), c, &steps[i], schema.MergeOptions{Continues: indexer.Continues, Alike: indexer.Alike}); err != nil {
			t.Fatal(err)
		}
	}
	return steps
}

// TestMergeIntoNothing: what a catalog with facts of all kinds is merged into has all of it.
func TestMergeIntoNothing(t *testing.T) {
	from := fixtureFile(t)
	into := filepath.Join(t.TempDir(), "into.db")
	mergeInto(t, into, false, from)
	sameViews(t, "merged", viewRows(t, readDB(t, into)), rowsOfFixture(t))
	if steps := mergeInto(t, into, false, from); slices.ContainsFunc(steps, func(s schema.MergeStep) bool { return !s.Same }) {
		t.Errorf("merged again: %+v", steps)
	}
}

// gameFolders writes builds of a game as folders: archives that stay, change, come and go,
// are damaged, and hold all that testdata has. With samples there are those as well.
func gameFolders(t *testing.T) (folders []string) {
	t.Helper()
	data := filepath.Join("..", "testdata")
	samples := os.Getenv("PAKDB_SAMPLES")
	sample := func(path string) string {
		if samples == "" {
			return ""
		}
		return filepath.Join(samples, path)
	}
	retro := retroPak(t)
	dir := t.TempDir()
	for i, files := range []map[string]string{
		{"Harbor.pak": "Harbor.pak", "Calligraphy.sip": "Calligraphy.sip", "mu_cdata.sip": "mu_cdata_1.5.sip",
			"mp3.pak": sample("retro-pak/mp3_small.pak")},
		{"Harbor.pak": "Harbor_next.pak", "Calligraphy.sip": "Calligraphy.sip", "Metroid1.pak": retro,
			"mp3.pak": sample("retro-pak/mp3_small_v2.pak"), "u/TestUC1.u": sample("unreal-package/TestUC1.u")},
		{"Harbor.pak": "Harbor_next.pak", "Calligraphy.sip": "Calligraphy_next.sip", "mu_cdata.sip": "mu_cdata_1.6.sip", "damaged.sip": "damaged.sip",
			"DropStuff.umod": sample("unreal-package/DropStuff.umod")},
		{"Harbor.pak": "Harbor.pak", "Harbor_0_P.pak": "Harbor_next.pak", "mu_cdata.sip": "mu_cdata_1.5.sip", "copy.sip": "Calligraphy_next.sip",
			"broken.sip": sample("gpak/BROKEN_truncated_table.sip"), "u/TestUC2.u": sample("unreal-package/TestUC2.u")},
		{"Harbor.pak": "Harbor.pak", "Harbor_0_P.pak": "Harbor_next.pak", "Harbor_1_P.pak": "Harbor.pak"},
		{"Harbor.pak": "Harbor.pak", "Metroid1.pak": retro, "Calligraphy.sip": "Calligraphy_next.sip", "mu_cdata.sip": "mu_cdata_1.6.sip"},
	} {
		folder := filepath.Join(dir, fmt.Sprintf("1.%d", i))
		folders = append(folders, folder)
		for name, from := range files {
			if from == "" {
				continue
			}
			if !filepath.IsAbs(from) {
				from = filepath.Join(data, from)
			}
			content, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, content, 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // quick scans know a file by it
			if err := os.Chtimes(to, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folders
}

// scanFolders scans builds into a catalog, in their order. Build n was made on day n, and
// the last but one is scanned quickly.
func scanFolders(t *testing.T, path string, folders []string, builds ...int) {
	t.Helper()
	scanWith(t, path, schema.Mapping{}, folders, builds...)
}

func scanWith(t *testing.T, path string, mappings schema.Mapping, folders []string, builds ...int) {
	t.Helper()
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range builds {
		o := indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{folders[n]}, Sketch: true, Quick: n == 4,
			Created: time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC)}
		if mappings.Data != nil {
			o.Mappings = []schema.Mapping{mappings}
		}
		if _, err := indexer.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMergeParts: whoever scans which builds, and in whatever order catalogs are named, the
// rows are those of one machine, stored as it stores them where each has scanned one.
func TestMergeParts(t *testing.T) {
	folders := gameFolders(t)
	dir := t.TempDir()
	one := filepath.Join(dir, "one.db")
	scanned := testkit.Some([]int{0, 1, 2, 3, 4, 5}, 4)
	scanFolders(t, one, folders, scanned...)
	want := viewRows(t, readDB(t, one))
	r := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for _, workers := range testkit.Some([]int{len(scanned), 2, 3}, 1) {
		builds := make([][]int, workers)
		for n, at := range r.Perm(len(scanned)) {
			builds[n%workers] = append(builds[n%workers], scanned[at])
		}
		var parts []string
		for n := range builds {
			parts = append(parts, filepath.Join(dir, fmt.Sprintf("%d-%d.db", workers, n)))
			scanFolders(t, parts[n], folders, builds[n]...)
		}
		into := filepath.Join(dir, fmt.Sprintf("%d.db", workers))
		mergeInto(t, into, false, parts...)
		db := readDB(t, into)
		sameViews(t, fmt.Sprint(builds), viewRows(t, db), want)
		if workers == len(scanned) {
			const rows = "SELECT (SELECT count(*) FROM x_entry_row) || ' ' || (SELECT count(DISTINCT lineage_id) FROM x_archive) || ' ' || (SELECT count(*) FROM x_archive)"
			if got, want := scan[string](t, db, rows), scan[string](t, readDB(t, one), rows); got != want {
				t.Errorf("rows of entries, lineages and archives: %s, one machine has %s", got, want)
			}
		}
		err := func() error {
			_, err := schema.Check(t.Context(), into, func(f schema.Finding) { t.Errorf("%s: %+v", into, f) }, func(string) {})
			return err
		}()
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMergeSamples does so with archives of real games, and mappings that the first build
// brings.
func TestMergeSamples(t *testing.T) {
	samples := os.Getenv("PAKDB_SAMPLES")
	if samples == "" {
		t.Skip("PAKDB_SAMPLES names no folder")
	}
	var folders []string
	var numbers []int
	for i, name := range testkit.Some([]string{"unreal-properties/cue4parse-UE5_8", "unreal-pak", "iostore/patch-pair", "retro-pak", "unreal-media", "unreal-script"}, 2) {
		folders = append(folders, filepath.Join(samples, name))
		numbers = append(numbers, i)
	}
	const usmap = "CUE4ParseFixtures-Zstandard.usmap"
	data, err := os.ReadFile(filepath.Join(folders[0], usmap))
	if err != nil {
		t.Fatal(err)
	}
	mappings := schema.Mapping{Name: usmap, Data: data}
	dir := t.TempDir()
	one := filepath.Join(dir, "one.db")
	scanWith(t, one, mappings, folders, numbers...)
	var parts []string
	for _, n := range rand.New(rand.NewPCG(testkit.Seed(t), 0)).Perm(len(folders)) {
		parts = append(parts, filepath.Join(dir, fmt.Sprintf("%d.db", n)))
		scanWith(t, parts[len(parts)-1], mappings, folders, n)
	}
	into := filepath.Join(dir, "into.db")
	mergeInto(t, into, false, parts...)
	db := readDB(t, into)
	sameViews(t, "merged", viewRows(t, db), viewRows(t, readDB(t, one)))
	if n := scan[int](t, db, "SELECT count(*) FROM x_build_value"); n == 0 {
		t.Error("mappings helped to read no values")
	}
}

// TestMergeCopies: of a content with several names the facts of the least general
// inspector are kept, in whatever order builds are merged.
func TestMergeCopies(t *testing.T) {
	dir := t.TempDir()
	var folders, parts []string
	for n, name := range []string{"a/Game.txt", "b/Game.ini", "c/Game.wav"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("[Core]\nQuality=3\nLevel=high\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		folders, parts = append(folders, filepath.Dir(path)), append(parts, filepath.Join(dir, fmt.Sprint(n, ".db")))
		scanFolders(t, parts[n], folders, n)
	}
	for _, order := range testkit.Some([][]int{{0, 1, 2}, {1, 2, 0}, {2, 1, 0}}, 1) {
		into := filepath.Join(dir, fmt.Sprint(order, ".db"))
		for _, n := range order {
			mergeInto(t, into, false, parts[n])
		}
		if got := scan[int](t, readDB(t, into), "SELECT count(*) FROM config"); got != 6 {
			t.Errorf("%v: %d settings in three builds, want 6", order, got)
		}
	}
}
