package query_test

import (
	"strings"
	"testing"

	"pakdb/query"
)

// TestJoinsByUnindexedColumns: a view that is joined with itself by a column without an
// index is read once, not for each row of the other build, and yields the same rows.
func TestJoinsByUnindexedColumns(t *testing.T) {
	db := openEditions(t, 3, 40, 6)
	plan := func(text string) string {
		got, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return got
	}
	const counts = "SELECT count(*) || ' ' || count(n.build) || ' ' || total(o.size + 3 * n.ordinal) FROM "
	for _, from := range []string{
		"files o JOIN files n ON n.path = o.path WHERE o.build = 'b0' AND n.build = 'b8'",
		"files o JOIN files n ON n.path = o.path AND n.build = 'b8' AND n.content_id <> o.content_id WHERE o.build = 'b0'",
		"files o LEFT JOIN files n ON n.path_id = o.path_id AND n.build = 'b8' WHERE o.build = 'b0'",
		"files o LEFT JOIN files n ON n.path_id = o.path_id WHERE n.build = 'b8' AND o.size > 20",
		"files AS o, files AS n WHERE o.build = 'b1' AND n.build = 'b2' AND o.game_path = n.game_path",
		"files INNER JOIN files n ON n.file_key = files.file_key AND n.build = 'b8'",
		"files o JOIN files n USING (path) WHERE o.build = 'b1' AND n.build = 'b8'",
		"files o JOIN files n USING (archive, path_id) JOIN builds b ON b.build = o.build WHERE o.build = 'b1' AND n.build = 'b8'",
		"entries o LEFT JOIN entries n ON n.path_hash_key = o.path_hash_key AND n.build = 'b8' WHERE o.build = 'b1'",
		"entries o JOIN entries n ON n.name = o.name AND n.size <> o.size WHERE o.build = 'b1' AND n.build = 'b8'",
	} {
		text := strings.ReplaceAll(counts, "o.", map[bool]string{true: "files.", false: "o."}[strings.HasPrefix(from, "files INNER")]) + from
		if got := plan(text); !strings.Contains(got, " AUTOMATIC ") {
			t.Errorf("%s: not read once\n%s", from, got)
		}
		// A condition that holds, and makes the build's label an expression.
		want := value(t, db, strings.ReplaceAll(text, "n.build = 'b", "n.build = '' || 'b"))
		if got := value(t, db, text); got != want || strings.HasPrefix(got, "0 ") {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
	for _, from := range []string{
		"files o JOIN files n ON n.content_id = o.content_id WHERE o.build = 'b0' AND n.build = 'b8'",
		"files o JOIN files n ON n.path = o.path WHERE o.build = 'b0' AND (n.build = 'b8' OR n.build = 'b1')",
		"files o RIGHT JOIN files n ON n.path = o.path AND n.build = 'b8'",
	} {
		if got := plan(counts + from); strings.Contains(got, "MATERIALIZE n") {
			t.Errorf("%s: read once\n%s", from, got)
		}
	}
	for _, where := range []string{
		"NOT EXISTS (SELECT 1 FROM files n WHERE n.build = 'b8' AND n.path = o.path)",
		"EXISTS (SELECT * FROM files AS n WHERE o.game_path = n.game_path AND n.size <> o.size AND n.build = 'b8')",
		"NOT EXISTS (SELECT 1 FROM files WHERE files.build = 'b8' AND files.file_key = o.file_key)",
	} {
		text := "SELECT count(*) || ' ' || total(o.size) FROM files o WHERE o.build = 'b0' AND " + where
		if got := plan(text); !strings.Contains(got, " AUTOMATIC ") {
			t.Errorf("%s: not read once\n%s", where, got)
		}
		want := value(t, db, strings.ReplaceAll(text, "= 'b8'", "= '' || 'b8'"))
		if got := value(t, db, text); got != want || strings.HasPrefix(got, "0 ") {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
	redefined := "WITH files AS (SELECT 'x' AS path, 'b8' AS build) SELECT count(*) FROM files o JOIN files n ON n.path = o.path AND n.build = 'b8'"
	if got := value(t, db, redefined); got != "1" {
		t.Errorf("%s: %s", redefined, got)
	}
}
