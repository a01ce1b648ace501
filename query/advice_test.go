package query_test

import (
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
		{"SELECT * FROM entries a JOIN entries b ON b.path = a.path", ""},
		{"SELECT * FROM files WHERE path = 'a'", ""},
		{"SELECT '' FROM entries WHERE 'lower(a.path) = a' = ''", ""},
		{"SELECT * FROM entries WHERE lower(path) = 'a'", "lower(path) finds no rows by an index: path = '...' COLLATE NOCASE does"},
		{"SELECT * FROM entries a JOIN entries b ON lower(a.path) = lower(b.path)", "lower(path) finds no rows by an index: path = '...' COLLATE NOCASE does"},
		{"SELECT * FROM entries e WHERE substr(e.path, 1, 3) = 'a'", "substr(path) finds no rows by an index: path = and GLOB 'Folder/*' do"},
		{"SELECT lower(path) FROM entries", ""},
		{"SELECT * FROM entries WHERE path = 'a' COLLATE NOCASE", ""},
		{"SELECT * FROM entries WHERE path LIKE '%x%'", "LIKE looks at every path of all builds: say which with build = '...'"},
		{"SELECT * FROM entries WHERE build = 'b' AND path LIKE '%x%'", ""},
		{"SELECT * FROM entries WHERE path REGEXP ?", "REGEXP looks at every path of all builds: say which with build = '...'"},
		{"SELECT * FROM entries WHERE path GLOB '*x'", "GLOB looks at every path of all builds: say which with build = '...'"},
		{"SELECT * FROM entries WHERE instr(path, ')') = 1", "instr(path) finds no rows by an index: path = and GLOB 'Folder/*' do"},
		{"WITH a AS (SELECT 1 AS x) SELECT * FROM a FULL OUTER JOIN (SELECT 2 AS x) USING (x)", "FULL JOIN compares all rows of subqueries and WITH: join views themselves, or LEFT JOIN and add what only the other side has"},
		{"SELECT * FROM (SELECT path FROM entries) a RIGHT JOIN entries b USING (path)", "RIGHT JOIN compares all rows of subqueries and WITH: join views themselves, or LEFT JOIN and add what only the other side has"},
		{"SELECT * FROM entries a FULL JOIN entries b ON b.path = a.path", ""},
		{"SELECT ' full join (' FROM (SELECT path FROM entries)", ""},
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
