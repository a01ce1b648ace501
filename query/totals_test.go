package query_test

import (
	"strings"
	"testing"

	"pakdb/query"
)

// TestTotals: sums of entries are the same whether they are read from totals or made.
func TestTotals(t *testing.T) {
	db := openSmall(t)
	for _, text := range []string{
		"SELECT count(*) FROM entries",
		"SELECT count(*), sum(size), sum(stored) FROM entries WHERE build = '1.0'",
		"SELECT count(*) n, sum(e.size) AS size FROM entries e WHERE e.build = 'none'",
		"SELECT ext, count(*), sum(size) FROM entries WHERE build = '1.0' GROUP BY ext",
		"SELECT build, type, method, count(*) AS entries, sum(stored) AS stored FROM entries GROUP BY build_id, type, method ORDER BY stored DESC, type, method",
		"SELECT archive, round(sum(stored) * 100.0 / sum(size)) AS percent FROM entries WHERE deleted = 0 AND ext IN ('', 'sip', 'a') GROUP BY 1 HAVING count(*) > 0",
		"WITH s AS (SELECT build_id, ext, sum(stored) AS x FROM entries WHERE ext IS NOT NULL GROUP BY build_id, ext) SELECT ext, max(x) FROM s GROUP BY ext",
		"SELECT encrypted, nested, count(*) FROM entries GROUP BY encrypted, nested ORDER BY count(*) DESC LIMIT 3",
		"SELECT b.build, (SELECT count(*) FROM entries e WHERE e.ext <> 'x' ) AS n FROM builds b",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(plan, "SEARCH s USING PRIMARY KEY") {
			t.Errorf("%s does not read totals: %v\n%s", text, err, plan)
		}
		sameAsPlain(t, db, text)
	}
	for _, text := range []string{
		"SELECT count(*) FROM entries WHERE size > 10",
		"SELECT count(path) FROM entries",
		"SELECT max(size), count(*) FROM entries",
		"SELECT ext, count(*) FROM entries",
		"SELECT ext AS path, count(*) FROM entries GROUP BY path",
		"SELECT ext, sum(stored) AS size FROM entries GROUP BY ext ORDER BY abs(size)",
		"SELECT count(*) + 1 FROM entries",
		"SELECT count(*) FILTER (WHERE encrypted) AS n FROM entries",
		"SELECT sum(size) OVER () AS n FROM entries",
		"SELECT build FROM entries GROUP BY build",
		"SELECT DISTINCT count(*) FROM entries GROUP BY ext",
		"SELECT count(*) FROM entries a JOIN entries b USING (row_id)",
		"SELECT count(*) FROM entries, builds",
		"SELECT count(*) FROM entries WHERE build = (SELECT max(build) FROM builds)",
		"WITH entries AS (SELECT 1 AS size) SELECT count(*) FROM entries",
		"SELECT 1 AS size, ext, count(*) AS n FROM entries GROUP BY ext HAVING size > 2",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "SEARCH s USING PRIMARY KEY") {
			t.Errorf("%s reads totals: %v\n%s", text, err, plan)
		}
	}
}

// sameAsPlain compares what a statement yields with what it does of a view that no
// statement is rewritten for, names of columns included.
func sameAsPlain(t *testing.T, db *query.DB, text string) {
	t.Helper()
	got, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"})
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	alias := "FROM (SELECT * FROM entries) "
	plain := strings.ReplaceAll(text, "FROM entries ", alias)
	if plain == text {
		plain = strings.ReplaceAll(text, "FROM entries", alias)
	}
	want, err := run(t, db, plain, query.Args{}, query.Output{Format: "csv"})
	if err != nil || got != want {
		t.Errorf("%s: %v\n%swant\n%s", text, err, got, want)
	}
}

// TestPatterns: which paths a pattern chooses is the same whether each path is looked at
// once or with each entry.
func TestPatterns(t *testing.T) {
	db := openSmall(t)
	for _, text := range []string{
		"SELECT path, size FROM entries WHERE path LIKE '%A%' ORDER BY size, path",
		"SELECT e.size FROM entries e WHERE e.path LIKE 'a%' OR size > 3 AND e.path REGEXP '[b-z]' ORDER BY size",
		"SELECT count(path) AS n FROM entries WHERE NOT (path LIKE '%b%')",
		"SELECT ext, count(*) FROM entries WHERE path LIKE '%a%' GROUP BY ext",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(plan, "LIST SUBQUERY") {
			t.Errorf("%s looks at paths of entries: %v\n%s", text, err, plan)
		}
		sameAsPlain(t, db, text)
	}
	for _, text := range []string{
		"SELECT 1 FROM entries WHERE build = '1.0' AND path LIKE '%a%'",
		"SELECT 1 FROM entries WHERE path NOT LIKE '%a%'",
		"SELECT 1 FROM entries WHERE path LIKE '%a%' ESCAPE 'x'",
		"SELECT 1 FROM entries WHERE path LIKE name",
		"SELECT 1 FROM entries WHERE path LIKE 'a' || '%'",
		"SELECT 1 FROM entries WHERE 'x' || path LIKE '%a%'",
		"SELECT 1 FROM problems WHERE path LIKE '%a%'",
		"SELECT 1 FROM entries, problems p WHERE p.path LIKE '%a%'",
		"SELECT path LIKE '%a%' FROM entries",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "LIST SUBQUERY") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
	}
}

// FuzzReworded: any text ends, and where it is a statement that runs, it still does.
func FuzzReworded(f *testing.F) {
	f.Add("SELECT ext, count(*) FROM entries WHERE path LIKE '%a%' GROUP BY ext")
	f.Add("select count(*),sum(e.size)x from entries e order by x")
	f.Add("SELECT . FROM entries. WHERE .path LIKE")
	f.Add("SELECT count(*) FROM entries WHERE (")
	db := openSmall(f)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
	})
}

// TestPathsOfPattern: which paths a pattern chooses is the same whether entries of a build
// are looked at, or their paths before.
func TestPathsOfPattern(t *testing.T) {
	db := openSmall(t)
	for _, text := range []string{
		"SELECT path, size FROM entries WHERE build = '1.52' AND path LIKE '%A%' ORDER BY size, path",
		"SELECT count(*) FROM entries e WHERE e.path LIKE '%umap' AND e.build = '1.48' AND (e.size > 1)",
		"SELECT count(*) FROM entries WHERE build = '1.48' AND path LIKE '%no such path%'",
		"SELECT count(*) FROM entries WHERE (path LIKE '%t') AND build = 'none'",
	} {
		sameAsPlain(t, db, text)
		if strings.Contains(text, "none") {
			continue
		}
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(plan, "by_path VIRTUAL TABLE INDEX 1:") {
			t.Errorf("%s looks at paths of entries: %v\n%s", text, err, plan)
		}
	}
	for _, text := range []string{
		"SELECT count(*) FROM entries WHERE build = '1.48' OR path LIKE '%a%'",
		"SELECT count(*) FROM entries WHERE build = '1.48' AND NOT path LIKE '%a%'",
		"SELECT count(*) FROM entries WHERE 'x' || build = '1.48' AND path LIKE '%a%'",
		"SELECT count(*) FROM entries WHERE build = '1.48' AND path LIKE '%a%' AND archive = 'x'",
	} {
		sameAsPlain(t, db, text)
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "VIRTUAL TABLE") {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
	}
}
