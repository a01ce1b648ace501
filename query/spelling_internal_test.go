package query

import "testing"

func TestByID(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"SELECT count(*) FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = '1'",
			"SELECT count(*) FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = '1'"},
		{`SELECT a.size, b.size FROM entries AS a, "files" AS b WHERE (a."path"=B.Path) AND a.content <> b.content`,
			`SELECT a.size, b.size FROM entries AS a, "files" AS b WHERE (a.path_id=B.path_id) AND a.content_id <> b.content_id`},
		{"SELECT 1 FROM entries JOIN files ON entries.path = files.path", "SELECT 1 FROM entries JOIN files ON entries.path_id = files.path_id"},
	} {
		if got := byID(tt.sql); got != tt.want {
			t.Errorf("%s\n%s, want\n%s", tt.sql, got, tt.want)
		}
	}
	for _, sql := range []string{
		"", "SELECT 1", "a.path = b.path",
		"SELECT 1 FROM entries a JOIN entries b ON b.path = a.path || 'x'",
		"SELECT 1 FROM entries a JOIN entries b ON 'x' || b.path = a.path",
		"SELECT 1 FROM entries a JOIN entries b ON NOT b.path = a.path",
		"SELECT 1 FROM entries a JOIN entries b ON b.path = a.path COLLATE NOCASE",
		"SELECT 1 FROM entries a JOIN entries b ON b.size BETWEEN 1 AND b.path = a.path",
		"SELECT 1 FROM entries a JOIN entries b ON b.path = a.dir",
		"SELECT 1 FROM entries a JOIN entries b ON a.path = a.path",
		"SELECT 1 FROM entries a JOIN problems b ON b.path = a.path",
		"SELECT 1 FROM entries a JOIN (SELECT path FROM entries) b ON b.path = a.path",
		"WITH entries AS (SELECT 'x' AS path) SELECT 1 FROM entries a JOIN entries b ON b.path = a.path",
		"WITH entries(path) AS MATERIALIZED (SELECT 'x') SELECT 1 FROM entries a JOIN entries b ON b.path = a.path",
		"SELECT 1 FROM entries a JOIN entries b ON b.path = a.path WHERE 1 IN (SELECT 1 FROM other b)",
		"SELECT 1 FROM main.entries a JOIN entries b ON b.path = a.path",
	} {
		if got := byID(sql); got != sql {
			t.Errorf("%s\nbecame %s", sql, got)
		}
	}
}
