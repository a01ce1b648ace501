package query_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pakdb/query"
)

func TestAdvice(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"SELECT 1", ""},
		{"", ""},
		{"SELECT size FROM entries WHERE path = 'a'", ""},
		{"SELECT size FROM entries WHERE path GLOB 'a/*'", ""},
		{"SELECT * FROM entries a JOIN entries b ON b.path = a.path", ""}, // as if path_id were compared
		{"SELECT * FROM entries a JOIN entries b ON b.path IS a.path", "compares path, a text that is computed for each row: compare path_id"},
		{`SELECT * FROM entries a JOIN entries b ON b."Content" IS a.content`, "compares content, a text that is computed for each row: compare content_id"},
		{"SELECT * FROM entries a JOIN entries b ON b.path_id = a.path_id", ""},
		{"SELECT * FROM entries a JOIN entries b ON b.build = a.build", ""},
		{"SELECT * FROM files WHERE path = 'a'", "files has no index of path, and is read whole: name the build, or ask entries by path"},
		{"SELECT * FROM files f WHERE f.game_path GLOB 'a/*'", "files has no index of game_path, and is read whole: name the build, or ask entries by path"},
		{"SELECT * FROM files a JOIN files b ON b.file_key = a.file_key",
			"files has no index of file_key: name the build of both with build = '...'"},
		{"SELECT path FROM files WHERE size = 1", ""},
		{"SELECT '' FROM entries WHERE 'b.path = a.path' = ''", ""},
		{"SELECT * FROM entries WHERE lower(path) = 'a'", "lower of path is computed for each row: path = or GLOB finds texts as they are"},
		{"SELECT * FROM entries e WHERE substr(e.path, 1, 3) = 'a'", "substr of path is computed for each row: path = or GLOB finds texts as they are"},
		{"SELECT lower(path) FROM entries", ""},
		{"SELECT * FROM entries WHERE path = 'a' COLLATE NOCASE", "the collation of path is computed for each row: path = or GLOB finds texts as they are"},
		{"SELECT * FROM builds ORDER BY build COLLATE NOCASE", ""},
		{"SELECT * FROM entries WHERE path LIKE '%x%'", "LIKE looks at every path of all builds: say which with build = '...'"},
		{"SELECT * FROM entries WHERE build = 'b' AND path LIKE '%x%'", "LIKE looks at every path of the build: GLOB 'Folder/*' looks into one folder"},
		{"SELECT * FROM entries WHERE path LIKE 'A/%'", "LIKE looks at every path, whatever its case: GLOB 'Folder/*' looks into one folder"},
		{"SELECT * FROM entries WHERE path REGEXP ?", "REGEXP looks at every path of all builds: say which with build = '...'"},
		{"SELECT * FROM entries WHERE path LIKE", ""},
		{"COLLATE NOCASE", ""},
		{"lower(path", ""},
		{"lower(path)", ""},
		{"= a . path", ""},
	} {
		if got := query.Advice(tt.sql); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.sql, got, tt.want)
		}
	}
}

// TestAdviceColumns: the columns that advice speaks of are columns of one view.
func TestAdviceColumns(t *testing.T) {
	ctx := context.Background()
	db := openSmall(t)
	views, _, err := db.Tables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"path", "target_path", "import_path", "content", "guid", "asset_id", "path_hash", "package",
		"package_id", "import_id", "target"} {
		advice := query.Advice("SELECT 1 FROM v a JOIN v b ON a." + column + " = b." + column)
		key := advice[strings.LastIndexByte(advice, ' ')+1:]
		if !slices.ContainsFunc(views, func(view string) bool {
			columns, err := db.Columns(ctx, view)
			return err == nil && slices.Contains(columns, column) && slices.Contains(columns, key)
		}) {
			t.Errorf("no view has %s and %s: %q", column, key, advice)
		}
	}
}

func FuzzAdvice(f *testing.F) {
	for _, sql := range []string{"SELECT lower(a.path) = 'x' COLLATE NOCASE", "path LIKE '%'", "a.path=b.path", "'"} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if advice := query.Advice(sql); strings.Contains(advice, "\n") {
			t.Errorf("%q: %q", sql, advice)
		}
	})
}
