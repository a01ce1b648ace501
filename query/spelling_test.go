package query_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/query"
	"pakdb/testdata/gen/fixture"
)

// TestSpelling: statements run in the way that suits them, and EXPLAIN shows it.
func TestSpelling(t *testing.T) {
	db := openSmall(t)
	for text, want := range map[string]string{
		"SELECT size FROM entries WHERE path = 'a'":                              "by_path VIRTUAL TABLE INDEX 1:",
		"WITH x AS (SELECT 'a' AS p) SELECT size FROM entries, x WHERE path = p": "by_path VIRTUAL TABLE INDEX 1:",
		"SELECT size FROM entries WHERE path GLOB 'a/*'":                         "by_path VIRTUAL TABLE INDEX 1:",
		"SELECT size FROM entries WHERE build = '1.0' AND dir = 'a'":             "by_path VIRTUAL TABLE INDEX 1:",
		"SELECT size FROM entries WHERE build = '1.0' AND path GLOB 'a/*'":       "by_path VIRTUAL TABLE INDEX 1:",
		"SELECT size FROM entries WHERE content = 'aa'":                          "by_content VIRTUAL TABLE INDEX 1:",
		"SELECT path FROM calligraphy_records WHERE guid = '0000000000000001'":   "by_guid VIRTUAL TABLE INDEX 1:",
	} {
		got, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: want %q\n%s%v", text, want, got, err)
		}
	}
	for _, text := range []string{
		"SELECT sum(size) FROM entries WHERE build = '1.0'", "SELECT size FROM entries WHERE path = 'a' COLLATE NOCASE", "SELECT path, size FROM entries",
	} {
		got, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(got, "VIRTUAL TABLE") {
			t.Errorf("%s\n%s%v", text, got, err)
		}
		if strings.Contains(text, "sum") && strings.Contains(got, "LEFT-JOIN") || strings.Contains(text, "path, size") && strings.Contains(got, "SUBQUERY") {
			t.Errorf("%s\n%s", text, got)
		}
	}
}

// TestSpellingKeepsColumns: a statement gets what it asks for, however it does.
func TestSpellingKeepsColumns(t *testing.T) {
	db := openSmall(t)
	want := value(t, db, "SELECT count(*) || ' ' || sum(length(e.ext)) FROM entries e")
	for _, text := range []string{
		"SELECT count(*) || ' ' || sum(length(EXT)) FROM Entries",
		`SELECT count(*) || ' ' || sum(length("ext")) FROM "entries"`,
		"SELECT count(*) || ' ' || sum(length(e.'ext')) FROM entries e",
		"SELECT count(*) || ' ' || sum(length(ext)) FROM (SELECT * FROM entries)",
		"SELECT count(*) || ' ' || sum(length(ext)) FROM (SELECT 1*2, entries.* FROM entries)",
		"SELECT count(*) || ' ' || sum(length(x)) FROM (SELECT e.ext AS x FROM entries e WHERE size * 1 >= 0)",
		"WITH x(a, b, c, d) AS (SELECT build, archive, ordinal, ext FROM entries) SELECT count(*) || ' ' || sum(length(d)) FROM x",
		"SELECT count(*) || ' ' || sum(length(a.ext)) FROM entries a JOIN entries b USING ('archive_id', row_id, build_id)",
		"SELECT count(*) || ' ' || sum(length(a.ext)) FROM (SELECT ext, row_id, archive_id, build_id FROM entries) a NATURAL JOIN entries b",
	} {
		if got := value(t, db, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestPathsComparedByID: comparing texts of views yields what comparing the texts
// themselves does, NULL included.
func TestPathsComparedByID(t *testing.T) {
	for name, db := range map[string]*query.DB{"small": openSmall(t), "packages": openPackages(t, packagesCatalog(t))} {
		for _, column := range []string{"path", "content"} {
			for _, views := range [][2]string{{"entries", "entries"}, {"entries", "files"}, {"files", "files"}} {
				from := "SELECT count(*) || ' ' || total(a.size + 3 * b.ordinal) FROM " + views[0] + " a LEFT JOIN " + views[1] + " b ON "
				got := value(t, db, from+"b."+column+" = a."+column)
				if want := value(t, db, from+"b."+column+" || '' = a."+column); got != want || got == "" {
					t.Errorf("%s, %s of %s: %s, want %s", name, column, views, got, want)
				}
			}
		}
	}
}

// TestAssetsCompared: entries are joined by asset_id, which two columns find.
func TestAssetsCompared(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "MP1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fixture.Retro(f, "MP1"), f.Close()); err != nil {
		t.Fatal(err)
	}
	db := openRetro(t, f.Name())
	for _, join := range []string{
		"FROM entries a JOIN entries b ON b.asset_id = a.asset_id",
		"FROM entries a LEFT JOIN entries b ON b.asset_id = a.asset_id AND b.archive <> a.archive WHERE a.build IN (SELECT build FROM builds)",
		"FROM entries a, entries b WHERE a.asset_id = b.asset_id AND b.content = a.content",
	} {
		text := "SELECT count(*) || ' ' || total(a.size + 3 * b.ordinal) " + join
		want := value(t, db, strings.ReplaceAll(text, "a.asset_id", "a.asset_id || ''"))
		if got := value(t, db, text); got != want || strings.HasPrefix(got, "0 ") {
			t.Errorf("%s: %s, want %s", join, got, want)
		}
	}
}

// TestViewsAreIdentified: one text, one id.
func TestViewsAreIdentified(t *testing.T) {
	db := openPackages(t, packagesCatalog(t))
	for view, columns := range map[string][]string{"entries": {"path", "content"}, "files": {"path", "content"}, "chunks": {"path", "content"},
		"packages": {"path"}, "exports": {"path"}, "imports": {"path"}, "sums": {"path"}} {
		for _, c := range columns {
			got := value(t, db, "SELECT count(DISTINCT x) = count(DISTINCT id) AND count(DISTINCT x) = count(DISTINCT x || ' ' || id) AND count(x) = count(id) FROM (SELECT "+
				c+" AS x, "+c+"_id AS id FROM "+view+")")
			if got != "1" {
				t.Errorf("%s: %s and %[2]s_id are not one for one", view, c)
			}
		}
	}
}
