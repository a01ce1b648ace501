package schema_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// file is an entry of an archive whose editions are tested.
type file struct {
	name    string
	content int
	offset  int64
}

// mutate returns what a next edition of an archive may be.
func mutate(r *rand.Rand, files []file) []file {
	next := slices.Clone(files)
	for range r.IntN(7) {
		at := 0
		if len(next) > 0 {
			at = r.IntN(len(next))
		}
		switch kind := []string{"change", "insert", "many", "remove", "move", "swap"}[r.IntN(6)]; {
		case kind == "insert" || len(next) == 0:
			next = slices.Insert(next, at, file{name: fmt.Sprint("new/", r.IntN(1<<20))})
		case kind == "many":
			var more []file
			for i := range 1 + r.IntN(700) {
				more = append(more, file{name: fmt.Sprint("many/", r.IntN(1<<20), "/", i)})
			}
			next = slices.Insert(next, at, more...)
		case kind == "change":
			next[at].content += 1000 + r.IntN(4)
		case kind == "remove":
			end := min(at+r.IntN(80), len(next))
			next = slices.Delete(next, at, end)
		case kind == "move":
			moved := next[at]
			next = slices.Delete(next, at, at+1)
			next = slices.Insert(next, r.IntN(len(next)+1), moved)
		case kind == "swap":
			next = append(slices.Clone(next[at:]), next[:at]...)
		}
	}
	off := r.Int64N(50)
	for i := range next {
		next[i].offset = off
		off += int64(100 + next[i].content%7)
	}
	return next
}

// writeFiles writes a build of one archive.
func writeFiles(t testing.TB, c *schema.Catalog, label, name string, files []file) {
	t.Helper()
	b, err := schematest.Begin(context.Background(), c, label)
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: int64(len(files)), Quick: digest(len(label)), Scan: "s", Format: "test", Name: name})
	for i, f := range files {
		e := &schema.Entry{Ordinal: int64(i), Name: f.name, Method: "none", Offset: f.offset, Stored: 10, Size: int64(10 + f.content%7),
			HasContent: true, Content: digest(f.content), ContentSize: int64(10 + f.content%7)}
		if f.content%3 == 0 { // the revision changes now and then, and with it what is found
			revision := len(files) / 50
			e.Facts = &schema.Facts{Inspector: fmt.Sprintf("i/%d", revision), Kind: "k", Problems: make([]schema.Problem, (f.content+revision)%4),
				Symbols: []schema.Symbol{{Space: "s", Key: int64(i), Path: fmt.Sprint("symbol/", f.content+revision)}},
				Refs:    []schema.Ref{{Kind: "k", Space: "s", Name: fmt.Sprint("name ", f.content+revision)}}}
		}
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	for range len(files) % 3 {
		b.AddProblem(id, schema.Problem{Ordinal: -1, Field: "f", Offset: -1, Cause: "c"})
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a.tst", Location: "/a.tst"})
	if _, err := b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestEditions: a catalog of editions says what was written, also after builds are
// removed and others come; and it passes its checks and has no row that no edition
// has.
func TestEditions(t *testing.T) {
	for seed := range uint64(testkit.Of(1, 6)) {
		if testing.Short() && seed > 0 {
			break
		}
		r := rand.New(rand.NewPCG(seed, 1))
		c, path := newCatalog(t)
		builds := map[string][]file{}
		var files []file
		for i := range 1 + r.IntN(60) {
			files = append(files, file{name: fmt.Sprintf("dir%d/%d", i/7, i), content: i, offset: int64(i) * 100})
		}
		for i := range testkit.Of(8, 12) {
			label := fmt.Sprint("b", i)
			if i > 3 && r.IntN(4) == 0 { // in place of another
				label = sortedLabels(builds)[0]
			}
			writeFiles(t, c, label, "a.tst", files)
			countsMatch(t, path)
			builds[label] = slices.Clone(files)
			files = mutate(r, files)
			if len(builds) > 1 && r.IntN(3) == 0 {
				labels := sortedLabels(builds)
				gone := labels[r.IntN(len(labels))]
				if err := c.Remove(context.Background(), gone); err != nil {
					t.Fatal(err)
				}
				delete(builds, gone)
				nothingIsLeft(t, path)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		checkEditions(t, seed, path, builds)
	}
}

// nothingIsLeft checks that nothing is in the catalog that no build has, when one was
// removed.
func nothingIsLeft(t *testing.T, path string) {
	t.Helper()
	db := readDB(t, path)
	for _, text := range []string{
		"SELECT count(*) FROM x_content WHERE content_id NOT IN (SELECT content_id FROM x_entry_row)",
		"SELECT count(*) FROM x_content_key WHERE content_id NOT IN (SELECT content_id FROM x_content)",
		"SELECT count(*) FROM x_path WHERE path_id NOT IN (SELECT path_id FROM x_entry_row UNION SELECT path_id FROM x_symbol WHERE path_id IS NOT NULL UNION SELECT path_id FROM x_build_symbol)",
		"SELECT count(*) FROM x_path_key WHERE path_id NOT IN (SELECT path_id FROM x_path)",
		"SELECT count(*) FROM x_name WHERE name_id NOT IN (SELECT name_id FROM x_ref WHERE name_id IS NOT NULL)",
		"SELECT count(*) FROM x_name_key WHERE name_id NOT IN (SELECT name_id FROM x_name)",
		"SELECT count(*) FROM x_ref WHERE content_id NOT IN (SELECT content_id FROM x_content)",
		"SELECT count(*) FROM x_removed",
	} {
		if n := query(t, db, text)[0][0]; n != int64(0) {
			t.Fatalf("%v rows: %s", n, text)
		}
	}
}

// countsMatch checks that every build counts the problems that it has.
func countsMatch(t *testing.T, path string) {
	t.Helper()
	wrong := query(t, readDB(t, path), `SELECT build, problem_count, n FROM (
		SELECT build, problem_count, (SELECT count(*) FROM problems p WHERE p.build = b.build) AS n FROM builds b) WHERE n <> problem_count`)
	if len(wrong) > 0 {
		t.Fatalf("problems as builds count them, and as they are: %v", wrong)
	}
}

func sortedLabels(builds map[string][]file) (labels []string) {
	for label := range builds {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	return labels
}

func checkEditions(t *testing.T, seed uint64, path string, builds map[string][]file) {
	countsMatch(t, path)
	db := readDB(t, path)
	for label, files := range builds {
		var want []string
		for i, f := range files {
			want = append(want, fmt.Sprint([]any{int64(i), f.name, f.offset, int64(10 + f.content%7), fmt.Sprintf("%x", digest(f.content))}))
		}
		var got []string
		for _, row := range schematest.Ask(t, path, "SELECT ordinal, path, offset, size, content FROM entries WHERE build = ? ORDER BY row_id", label) {
			got = append(got, fmt.Sprint(row))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %s: %d entries, want %d\n%s\n%s", seed, label, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if dead := query(t, db, `SELECT count(*) FROM x_entry_row r
		WHERE NOT EXISTS (SELECT 1 FROM x_archive a WHERE a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition))`); dead[0][0] != int64(0) {
		t.Fatalf("seed %d: %v rows that no edition has", seed, dead[0][0])
	}
	for _, text := range []string{
		// Of each archive the sums by folder are those of its entries.
		`SELECT count(*) FROM (SELECT a.archive_id, f.dir_id, f.files, f.size, f.stored, f.largest, w.word
			FROM x_archive a
			JOIN x_folder_sum f ON f.lineage_id = a.lineage_id AND f.since <= a.edition AND (f.until = 0 OR f.until > a.edition)
			JOIN x_word w ON w.word_id = f.ext_id) f
			FULL JOIN (SELECT e.archive_id, p.dir_id, count(*) AS files, sum(e.size) AS size, sum(e.stored) AS stored, max(e.size) AS largest, '' AS word
				FROM x_entry e JOIN x_path p USING (path_id) GROUP BY e.archive_id, p.dir_id) e USING (archive_id, dir_id, files, size, stored, largest, word)
			WHERE f.dir_id IS NULL OR e.dir_id IS NULL`,
		// None is there that no edition has.
		`SELECT count(*) FROM x_folder_sum f
			WHERE NOT EXISTS (SELECT 1 FROM x_archive a WHERE a.lineage_id = f.lineage_id AND f.since <= a.edition AND (f.until = 0 OR f.until > a.edition))`,
	} {
		if wrong := query(t, db, text); wrong[0][0] != int64(0) {
			t.Fatalf("seed %d: %v rows: %s", seed, wrong[0][0], text)
		}
	}
	_, err := schema.Check(context.Background(), path, func(f schema.Finding) { t.Errorf("seed %d: %s: %s", seed, f.Check, f.Detail) }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
}
