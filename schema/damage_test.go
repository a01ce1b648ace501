package schema_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/schema"
)

// ways in which a page is damaged. whole: no byte of it is what it was.
func ways() map[string]struct {
	whole  bool
	damage func(r *rand.Rand, file []byte, page []byte)
} {
	type way = struct {
		whole  bool
		damage func(r *rand.Rand, file []byte, page []byte)
	}
	random := func(r *rand.Rand, b []byte) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	return map[string]way{
		"random": {true, func(r *rand.Rand, _, page []byte) { random(r, page) }},
		"zero":   {true, func(_ *rand.Rand, _, page []byte) { clear(page) }},
		"another page": {false, func(r *rand.Rand, file, page []byte) {
			copy(page, file[r.IntN(len(file)/len(page))*len(page):])
		}},
		"a part": {false, func(r *rand.Rand, _, page []byte) {
			at := r.IntN(len(page) - 64)
			random(r, page[at:at+1+r.IntN(63)])
		}},
	}
}

func findings(t *testing.T, path string) (all []schema.Finding, checked schema.Checked) {
	t.Helper()
	checked, err := schema.Check(context.Background(), path, func(f schema.Finding) { all = append(all, f) }, func(string) {})
	if err != nil && !errors.Is(err, schema.ErrNotCatalog) && !errors.Is(err, schema.ErrTooOld) && !errors.Is(err, schema.ErrTooNew) {
		t.Errorf("check: %v", err)
	}
	if err != nil {
		all = append(all, schema.Finding{Detail: err.Error()})
	}
	return all, checked
}

// A catalog of which a page was overwritten is refused by who would write to it, or
// what is written is sound. Of values that were replaced within a page nobody can
// know, and of a whole page in the place of another only a whole check does.
func TestDamagedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred catalogs, one after the other")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "pakdb.db")
	for i, label := range []string{"one", "two", "three"} {
		if err := addBuild(label, 37*i).do(path); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if all, checked := findings(t, path); len(all) > 0 || len(checked.Readable) != 3 {
		t.Fatalf("before any damage: %v, %v", all, checked)
	}
	steps := []step{addBuild("next", 500), removeBuilds("two")}
	want := undisturbed(t, func(path string) error { return os.WriteFile(path, file, 0o600) }, steps)
	seed := testkit.Seed(t)
	t.Logf("%d pages", len(file)/4096)
	r := rand.New(rand.NewPCG(seed, 1))
	n := testkit.Of(1, 30)
	if text := os.Getenv("PAKDB_DAMAGES"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	all := ways()
	for _, name := range slices.Sorted(maps.Keys(all)) { // one order, so that a seed tells what was drawn
		way := all[name]
		refused, found, passed := 0, 0, 0
		for i := range n {
			damaged := append([]byte(nil), file...)
			page := r.IntN(len(file) / 4096)
			way.damage(r, file, damaged[page*4096:][:4096])
			at := fmt.Sprintf("%s, page %d", name, page+1)
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.db", strings.ReplaceAll(name, " ", "-"), i))
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			all, _ := findings(t, path)
			for k, s := range steps {
				err := s.do(path)
				if err != nil && !errors.Is(err, schema.ErrDamaged) && !errors.Is(err, schema.ErrNotCatalog) &&
					!errors.Is(err, schema.ErrTooOld) && !errors.Is(err, schema.ErrTooNew) && !errors.Is(err, schema.ErrNoBuild) && !errors.Is(err, schema.ErrForeign) {
					t.Errorf("%s: %s: %v, want that it is damaged", at, s.name, err)
				}
				if err != nil {
					refused++
					continue
				}
				after, _ := findings(t, path)
				switch {
				case len(after) == 0 && name != "a part": // of which some are values
					if got, err := shown(path); got != want[k+1].shown {
						t.Errorf("%s: %s says that it is done; then %q, want %q: %v", at, s.name, got, want[k+1].shown, err)
					}
					passed++
				case len(after) == 0:
					passed++
				case way.whole || after[0].Check == "integrity":
					t.Errorf("%s: %s says that it is done; then: %v", at, s.name, after)
				case len(all) == 0:
					t.Errorf("%s: %s: before it nothing is found, after it %v", at, s.name, after)
				default:
					found++
				}
			}
		}
		t.Logf("%s: %d refused, %d done and sound, %d done, and then found by a whole check", name, refused, passed, found)
	}
}

// imageOf returns the bytes of a catalog that make makes.
func imageOf(t *testing.T, make func(path string) error) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	if err := make(path); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// What a check finds where pages are whole.
func TestCheckFinds(t *testing.T) {
	image := imageOf(t, addBuild("one", 0).do)
	for statement, want := range map[string]string{
		"UPDATE x_entry_row SET size = size + 1 WHERE size = (SELECT max(size) FROM x_entry_row)":         "counts",
		"DELETE FROM x_path_key WHERE path_id = 2":                                                        "paths",
		"UPDATE x_path SET name = 'x' WHERE path_id = 2":                                                  "paths",
		"UPDATE x_content SET hash = zeroblob(32) WHERE content_id = 2":                                   "contents",
		"DELETE FROM x_content WHERE content_id = 2":                                                      "references",
		"DELETE FROM x_name WHERE name_id = 1":                                                            "references",
		"UPDATE x_name SET name = 'x' WHERE name_id = 1":                                                  "names",
		"UPDATE x_archive SET complete = 0":                                                               "mounts",
		"UPDATE x_dir SET dir = 'x'":                                                                      "dirs",
		"PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'x_entry_row'": "integrity",
	} {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		if err := errors.Join(os.WriteFile(path, image, 0o600), rawly(path, statement)); err != nil {
			t.Fatal(err)
		}
		all, _ := findings(t, path)
		ok := false
		for _, f := range all {
			ok = ok || f.Check == want || want == "integrity" && f.Check == "file"
		}
		if !ok {
			t.Errorf("%s: %v, want a finding of %s", statement, all, want)
		}
	}
}

// A number in the header of the file that no SQLite knows is damage, although SQLite
// calls it an error of the statement.
func TestDamagedFormatNumber(t *testing.T) {
	c, path := newCatalog(t)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[47] = 9 // the schema format number
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Open(t.Context(), path); !errors.Is(err, schema.ErrDamaged) {
		t.Errorf("%v", err)
	}
}

// A key beside the one that a text has would stay when its row goes: it is found before.
func TestSurplusKeys(t *testing.T) {
	image := imageOf(t, addBuild("one", 0).do)
	for _, table := range []string{"x_path_key", "x_content_key", "x_name_key"} {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		if err := os.WriteFile(path, image, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(strings.TrimPrefix(table, "x_"), "_key") + "_id"
		_, err = db.Exec("INSERT INTO " + table + " (key, " + id + ") SELECT key + 1, " + id + " FROM " + table + " LIMIT 1")
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if all, _ := findings(t, path); len(all) != 1 || all[0].Check != "one key" {
			t.Errorf("%s: %v", table, all)
		}
	}
}
