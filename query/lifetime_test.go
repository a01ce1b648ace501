package query_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pakdb/query"
	"pakdb/schema"
)

// editionsCatalog makes a catalog of builds whose archives continue those of the build
// before, as they come: paths in several archives and twice in one, delete records,
// files that hide others, entries without a path or without a content, a build that was
// removed, one that is not complete, and one that mounts an archive twice.
func editionsCatalog(t testing.TB, seed uint64, entries, changes int) string {
	t.Helper()
	return catalogOfEditions(t, seed, entries, changes, false)
}

// catalogOfEditions is editionsCatalog; whole: all entries have a path and a content.
func catalogOfEditions(t testing.TB, seed uint64, entries, changes int, whole bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	archives := make([][]schema.Entry, 3)
	entry := func() schema.Entry {
		n := r.IntN(25)
		e := schema.Entry{Name: fmt.Sprintf("Game/%d/f%d.%c", n%3, n, 'a'+n%2), Method: "none", Stored: int64(r.IntN(100)), ContentSize: 5, HasContent: true}
		e.Content = sha256.Sum256([]byte{byte(r.IntN(12))})
		e.Size = e.Stored + 3
		what := r.IntN(12)
		if whole {
			what = -1
		}
		switch what {
		case 0:
			e.Flags, e.HasContent = 2, false
		case 1:
			e.HasContent = false
		case 2:
			e.Name = ""
		}
		if e.Name != "" && r.IntN(2) == 0 {
			e.File = e.Name[:len(e.Name)-2]
		}
		return e
	}
	for build := range 9 {
		for i := range archives {
			for range map[bool]int{true: entries, false: changes}[build == 0] {
				switch at := r.IntN(len(archives[i]) + 1); {
				case at == len(archives[i]) || build == 0:
					archives[i] = append(archives[i], entry())
				case r.IntN(3) == 0:
					archives[i] = append(archives[i][:at], archives[i][at+1:]...)
				default:
					archives[i][at] = entry()
				}
			}
		}
		b, err := c.Begin(t.Context(), fmt.Sprint("b", build))
		if err != nil {
			t.Fatal(err)
		}
		for i, entries := range archives {
			if r.IntN(6) == 0 && changes > 1 {
				continue
			}
			name := fmt.Sprint(i, ".tst")
			id := b.StartArchive(schema.Archive{Format: "test", Scan: "test", Name: name})
			for n := range entries {
				entries[n].Ordinal, entries[n].Offset = int64(n), int64(n*100)
				if err := b.Add(id, &entries[n]); err != nil {
					t.Fatal(err)
				}
			}
			b.EndArchive(id, nil)
			mount := schema.Mount{Archive: id, Name: name, Location: "/" + name, Order: int64(i), Place: int64(r.IntN(4))}
			b.Mount(mount)
			if build == 3 {
				mount.Name, mount.Location, mount.Place = "again.tst", "/again.tst", int64(r.IntN(4))
				b.Mount(mount)
			}
		}
		if build == 7 {
			err = b.Abandon()
		} else {
			_, err = b.Finish(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Remove(t.Context(), "b4"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openEditions(t testing.TB, seed uint64, entries, changes int) *query.DB {
	t.Helper()
	db, err := query.Open(t.Context(), editionsCatalog(t, seed, entries, changes), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestLifetimes: the functions yield what plain SQL does.
func TestLifetimes(t *testing.T) {
	changes, err := os.ReadFile("testdata/path_changes.sql")
	if err != nil {
		t.Fatal(err)
	}
	found := [3]int{}
	for seed := range uint64(8) {
		db := openEditions(t, seed, 6, 6)
		for i, pair := range [][2]string{
			{"SELECT path_id, first_build_id, last_build_id, builds FROM path_builds(1)",
				"SELECT path_id, min(build_id), max(build_id), count(DISTINCT build_id) FROM (SELECT * FROM entries) GROUP BY path_id"},
			{"SELECT path_id, first_build, last_build, builds FROM path_builds(0) WHERE path_id IS NOT NULL",
				"SELECT path_id, min(build), max(build), count(DISTINCT build_id) FROM (SELECT * FROM entries) e WHERE deleted = 0 AND path_id IS NOT NULL GROUP BY path_id"},
			{"SELECT path_id, changes, builds, stored_changed FROM path_changes ORDER BY path_id", string(changes)},
		} {
			got, err := run(t, db, pair[0], query.Args{}, query.Output{Format: "csv", NoHeader: true})
			if err != nil {
				t.Fatal(err)
			}
			want, err := run(t, db, pair[1], query.Args{}, query.Output{Format: "csv", NoHeader: true})
			if err != nil || got != want {
				t.Errorf("seed %d, %s: %v\n%swant\n%s", seed, pair[0], err, got, want)
			}
			found[i] += len(got)
		}
	}
	if slices.Min(found[:]) < 500 {
		t.Errorf("only %d bytes compared", found)
	}
}

// TestLifetimesAreRead: statements about the builds of each path yield the same, rows and
// names of columns, whether they read entries or path_builds.
func TestLifetimesAreRead(t *testing.T) {
	db := openEditions(t, 3, 6, 6)
	for _, text := range []string{
		"SELECT path_id, min(build_id), max(build_id) FROM entries GROUP BY path_id",
		"SELECT path, min(build_id) AS first, max(build_id) last FROM entries GROUP BY path",
		"SELECT e.path, count(DISTINCT e.build) AS n FROM entries AS e WHERE e.deleted = 0 GROUP BY e.path_id ORDER BY n DESC, e.path LIMIT 7",
		"SELECT Path, count(DISTINCT build_id) FROM entries GROUP BY path HAVING count(DISTINCT build_id) = 1 AND path LIKE '%A';",
		"SELECT max(build_id) - 0 + path_id FROM entries GROUP BY path_id",
		"SELECT path_id, max(build_id) FROM entries GROUP BY path_id LIMIT 3",
		"SELECT path AS p, max(build_id) AS path FROM entries GROUP BY path_id ORDER BY path, p",
		"SELECT path, min(build_id) FROM entries GROUP BY path HAVING min(build_id) > 2 OR max(build_id) < 4 ORDER BY min(build_id) DESC, path LIMIT 5 OFFSET 1",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if reads := strings.Contains(plan, "VIRTUAL TABLE"); err != nil || reads == strings.Contains(text, " - 0") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
		sameAsPlain(t, db, text)
	}
	for _, text := range []string{
		"SELECT path, min(build) FROM entries GROUP BY path",
		"SELECT path, size, min(build_id) FROM entries GROUP BY path",
		"SELECT path, min(build_id) FROM entries WHERE build = 'b1' GROUP BY path",
		"SELECT path, count(*), min(build_id) FROM entries GROUP BY path",
		"SELECT path, min(build_id) FROM entries GROUP BY path, ext",
		"SELECT path, min(build_id) FROM entries e JOIN builds b USING (build_id) GROUP BY path",
		"SELECT path, min(build_id) FILTER (WHERE size > 3) AS x FROM entries GROUP BY path",
		"SELECT path, min(build_id) FROM entries GROUP BY path HAVING max(size) > 3",
		"SELECT path FROM entries GROUP BY path",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "VIRTUAL TABLE") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
	}
}

// TestContentsAreCounted: statements about all contents yield the same whether copies are
// counted one content after the other or all at once.
func TestContentsAreCounted(t *testing.T) {
	for seed := range uint64(4) {
		db := openEditions(t, seed, 9, 6)
		for _, text := range []string{
			"SELECT * FROM contents ORDER BY content_id",
			"SELECT content_id, entry_count, build_count FROM contents c WHERE entry_count > 3 ORDER BY 1 DESC",
			"SELECT build_count = (SELECT count(*) FROM builds) AS everywhere, count(*) AS contents, sum(size) AS size FROM contents GROUP BY everywhere;",
			"SELECT * FROM duplicates ORDER BY build_id, content_id",
			"SELECT d.build, d.content, copies FROM duplicates AS d WHERE d.build = 'b6' ORDER BY d.content_id",
			"SELECT content, wasted FROM duplicates WHERE build_id = 3 AND build = 'b2' ORDER BY content",
			"SELECT build, count(*) AS contents, sum(copies - 1) AS more, sum(wasted) FROM duplicates GROUP BY build_id ORDER BY build_id",
			`WITH worst AS (SELECT * FROM duplicates WHERE build = 'b5' ORDER BY wasted DESC, content LIMIT 3)
			 SELECT w.wasted, e.archive, e.path FROM worst w JOIN entries e ON e.content_id = w.content_id AND e.build_id = w.build_id ORDER BY 1, 2, 3, e.ordinal`,
			"SELECT sum(copies) FROM (SELECT * FROM Duplicates) x",
		} {
			plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
			if err != nil || !strings.Contains(plan, "SCAN pakdb_n VIRTUAL TABLE") {
				t.Errorf("%s: %v\n%s", text, err, plan)
			}
			got, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"})
			if err != nil {
				t.Error(err)
			}
			plain := regexp.MustCompile("(?i)FROM (contents|duplicates)").ReplaceAllString(text, "FROM main.$1")
			want, err := run(t, db, plain, query.Args{}, query.Output{Format: "csv"})
			if err != nil || got != want || strings.Count(got, "\n") < 2 {
				t.Errorf("%s: %v\n%swant\n%s", text, err, got, want)
			}
		}
		for _, text := range []string{
			"SELECT size FROM contents LIMIT 2",
			"SELECT size, entry_count FROM contents WHERE content_id = 5",
			"SELECT entry_count FROM contents WHERE content = (SELECT content FROM entries WHERE content IS NOT NULL LIMIT 1)",
			"WITH contents AS (SELECT 1 AS x) SELECT x FROM contents ORDER BY x",
			"SELECT sum(copies) FROM (SELECT * FROM duplicates) x JOIN (SELECT content_id AS id FROM contents) ON id = content_id",
			"SELECT e.path, (SELECT copies FROM duplicates d WHERE d.content_id = e.content_id AND d.build_id = e.build_id) AS n FROM entries e ORDER BY 1, 2",
			"SELECT size AS a, contents.kind FROM entries JOIN contents USING (size) ORDER BY 1",
		} {
			plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
			if err != nil || strings.Contains(plan, "pakdb_n") {
				t.Errorf("%s: %v\n%s", text, err, plan)
			}
		}
	}
}

// TestPairs: the function yields what comparing all entries does.
func TestPairs(t *testing.T) {
	pairs := 0
	for seed := range uint64(4) {
		db := openEditions(t, seed, 6+int(seed)*8, 6-int(seed))
		got, err := run(t, db, `SELECT x.build, y.build, p.*
			FROM builds x
			CROSS JOIN builds y
			CROSS JOIN pakdb_pairs(x.build, y.build) p
			ORDER BY 1, 2, 3, 4, 5, 6`, query.Args{}, query.Output{Format: "csv", NoHeader: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := run(t, db, `SELECT DISTINCT x.build, y.build, a.archive_id, a.row, b.archive_id, b.row
			FROM builds x
			JOIN x_build_archive xa ON xa.build_id = x.build_id
			JOIN x_entry a ON a.archive_id = xa.archive_id
			JOIN x_entry b ON b.path_id = a.path_id AND (b.lineage_id <> a.lineage_id OR b.row <> a.row)
			JOIN x_build_archive ya ON ya.archive_id = b.archive_id
			JOIN builds y ON y.build_id = ya.build_id
			ORDER BY 1, 2, 3, 4, 5, 6`, query.Args{}, query.Output{Format: "csv", NoHeader: true})
		if err != nil || got != want {
			t.Fatalf("seed %d: %v\n%swant\n%s", seed, err, got, want)
		}
		pairs += strings.Count(got, "\n")
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
}

// TestDifferencesAreRead: comparisons of two builds yield the same whether they compare
// all entries or only those that differ.
func TestDifferencesAreRead(t *testing.T) {
	db := openEditions(t, 5, 60, 1)
	for _, text := range []string{
		"SELECT count(*) FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build = 'b6' AND a.content_id <> b.content_id",
		"SELECT count(*) FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = 'b6' AND b.build = 'b5' AND a.content <> b.content",
		"SELECT a.path, a.size AS old, b.size new FROM entries AS a, entries AS b WHERE a.path = b.path AND a.build = 'b5' AND b.build = 'b6' AND (a.size <> b.size OR a.stored > b.stored) AND new > 1 ORDER BY old, new, a.path",
		"SELECT a.path, x.archive FROM entries a INNER JOIN entries b ON a.build = 'b5' AND b.build = 'b6' AND a.path_id = b.path_id AND a.content IS NOT b.content LEFT JOIN archives x ON x.archive_id = b.archive_id AND x.build = 'b6' WHERE b.deleted = 0 OR a.deleted = 0 ORDER BY a.path, x.archive",
		"SELECT b.ext, sum(b.size - a.size) FROM entries a JOIN entries b USING (path_id) WHERE a.build = 'b5' AND b.build = 'b6' AND b.size > a.size GROUP BY b.ext ORDER BY 1",
		"SELECT * FROM (SELECT a.path FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build = 'b6' AND a.content_id != b.content_id) ORDER BY 1",
		"WITH c AS (SELECT a.path AS p, b.size FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = 'b5' AND b.build = 'b6' AND a.content <> b.content) SELECT p, size FROM c ORDER BY p, size",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(plan, "pakdb_pair VIRTUAL TABLE INDEX 1:") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
		sameAsPlain(t, db, text)
	}
	const where = " WHERE a.build = 'b5' AND b.build = 'b6' AND a.content_id <> b.content_id"
	for _, text := range []string{
		"SELECT count(*) FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b0' AND b.build = 'none' AND a.content_id <> b.content_id", // share nothing
		"SELECT * FROM entries a JOIN entries b ON b.path_id = a.path_id" + where,
		"SELECT 1 FROM entries a JOIN entries b ON b.dir = a.dir" + where,
		"SELECT 1 FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id" + where,
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id" + where + " OR a.size = 3",
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build = 'b6' AND NOT a.content_id <> b.content_id",
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build = 'b6' AND (a.size <> b.size OR a.size = 3)",
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build = 'b6' AND a.offset <> b.offset",
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.build < 'b6' AND a.size <> b.size",
		"SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id AND a.build = 'b5' RIGHT JOIN builds c ON c.build_id = b.build_id" + where,
		"WITH entries AS (SELECT 1 AS path_id, 'b5' AS build, 2 AS content_id) SELECT 1 FROM entries a JOIN entries b ON b.path_id = a.path_id" + where,
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "pakdb_pair") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
	}
}

// TestAbsent: what one build has and another has not is the same whether all entries are
// looked at, or only rows that one build has alone.
func TestAbsent(t *testing.T) {
	const other = "(SELECT 1 FROM entries b WHERE b.build = 'b6' AND b.path = a.path)"
	reading := []string{
		"SELECT path, archive, ordinal FROM entries WHERE build = 'b5' AND path NOT IN (SELECT path FROM entries WHERE build = 'b6') ORDER BY 1, 2, 3",
		"SELECT * FROM entries WHERE build = 'b6' AND content NOT IN (SELECT DISTINCT x.content FROM entries x WHERE x.build = 'b5') ORDER BY archive, ordinal",
		"SELECT count(*), sum(a.size) FROM entries a WHERE a.content_id NOT IN (SELECT content_id FROM entries WHERE build = 'b6') AND size > 40 AND a.build = 'b5'",
		"SELECT a.path, count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS " + other + " GROUP BY a.path ORDER BY 1",
		"SELECT a.path, a.archive, a.ordinal FROM entries AS a WHERE NOT EXISTS (SELECT * FROM entries b WHERE a.path_id = b.path_id AND b.content = a.content AND b.build = 'b6') AND build = 'b5' ORDER BY 1, 2, 3",
		"SELECT a.path, a.ordinal FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.path_id IS NULL ORDER BY 1, 2",
		"SELECT a.path, a.ordinal FROM entries a LEFT OUTER JOIN entries b ON b.build = 'b5' AND b.content = a.content AND a.path = b.path WHERE b.content IS NULL AND a.build = 'b6' AND a.size > 10 ORDER BY 1, 2 LIMIT 20",
		"SELECT count(*) FROM (SELECT a.path FROM entries a WHERE a.build = 'b5' AND NOT EXISTS " + other + ")",
	}
	kept := []string{ // they mean something else
		"SELECT count(*) FROM entries WHERE build = 'b5' AND path NOT IN (SELECT content FROM entries WHERE build = 'b6')",
		"SELECT count(*) FROM entries WHERE build = 'b5' AND path IN (SELECT path FROM entries WHERE build = 'b6')",
		"SELECT count(*) FROM entries WHERE build = 'b5' AND path NOT IN (SELECT path FROM entries WHERE build = 'b6' AND size > 50)",
		"SELECT count(*) FROM entries WHERE build = 'b5' AND path NOT IN (SELECT path FROM entries WHERE build = 'b6' LIMIT 3)",
		"SELECT count(*) FROM entries WHERE build = 'b5' OR path NOT IN (SELECT path FROM entries WHERE build = 'b6')",
		"SELECT count(*) FROM entries WHERE build = 'b5' AND path NOT IN (SELECT path FROM entries WHERE build > 'b5')",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND EXISTS " + other,
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS (SELECT count(*) FROM entries b WHERE b.build = 'b6' AND b.path = a.path)",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS (SELECT 1 FROM entries b WHERE b.build = 'b6' AND b.path = a.path AND b.size > a.size)",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS (SELECT 1 FROM entries b WHERE b.build = 'b6' AND b.path = a.path AND b.size > 50)",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS (SELECT 1 FROM entries b WHERE b.build = 'b6')",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND NOT EXISTS (SELECT 1 FROM entries b WHERE b.path = a.path)",
		"SELECT count(*) FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5'",
		"SELECT count(*) FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.type IS NULL",
		"SELECT count(*) FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id WHERE a.build = 'b5' AND b.path_id IS NULL",
		"SELECT count(b.path_id) FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.path_id IS NULL",
		"SELECT * FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.path_id IS NULL",
		"SELECT count(*) FROM entries a JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.path_id IS NULL",
		"SELECT count(*) FROM entries a WHERE a.build = 'b5' AND a.path NOT IN (SELECT path FROM entries WHERE build = 'none')",
	}
	found := 0
	for _, c := range []struct {
		seed  uint64
		whole bool
		texts []string
	}{{0, true, slices.Concat(reading, kept)}, {1, true, reading}, {1, false, reading}} {
		db, err := query.Open(t.Context(), catalogOfEditions(t, c.seed, 60, 1, c.whole), query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.texts {
			plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
			switch read := strings.Contains(plan, "pakdb_alone VIRTUAL TABLE INDEX"); {
			case err != nil:
				t.Errorf("%s: %v", text, err)
			case read && slices.Contains(kept, text), read && !c.whole:
				t.Errorf("%s reads pakdb_alone", text)
			case read:
				found++
			}
			sameAsPlain(t, db, text)
		}
		_ = db.Close()
	}
	if found < len(reading) { // archives are left out of some builds
		t.Errorf("only %d statements read pakdb_alone", found)
	}
	db := openEditions(t, 5, 60, 1)
	for _, text := range []string{ // wrong statements stay wrong
		"SELECT path FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = 'b6' WHERE a.build = 'b5' AND b.path_id IS NULL",
		"SELECT a.none FROM entries a WHERE a.build = 'b5' AND NOT EXISTS " + other,
	} {
		if got, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"}); err == nil {
			t.Errorf("%s: %s", text, got)
		}
	}
}
