package query_test

import (
	"strings"
	"testing"

	"pakdb/query"
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
