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
