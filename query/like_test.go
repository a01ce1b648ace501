package query_test

import (
	"fmt"
	"strings"
	"testing"

	"pakdb/query"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// TestLikeByIndex: a pattern of few paths is looked up by the search index, and chooses
// the paths that it chooses without.
func TestLikeByIndex(t *testing.T) {
	file := schematest.Write(t, func(c *schema.Catalog) {
		for _, label := range []string{"1", "2"} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				b.Search = schema.SearchMade
				var entries []schema.Entry
				for i := range 5000 {
					entries = append(entries, schema.Entry{Name: fmt.Sprintf("Game/Maps%d/Level_%d.umap", i/100, i), Size: int64(i)})
				}
				schematest.Mount(t, b, "a"+label, append(entries, schema.Entry{Name: "Game/Ultron/A%_'.uasset"}, schema.Entry{Name: "ULTRON"}, schema.Entry{})...)
			})
		}
	})
	db, err := query.Open(t.Context(), file, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for text, byIndex := range map[string]bool{
		"SELECT path FROM entries WHERE path LIKE '%ultron%' ORDER BY path, build":                   true,
		"SELECT path, size FROM entries WHERE path LIKE '%l_4999%' AND build = '2' ORDER BY path":    true,
		"SELECT path FROM entries e WHERE e.path LIKE 'game/%tron/%' ORDER BY path, build":           true,
		"SELECT count(*) FROM entries WHERE path LIKE '%maps7/level\\_7%' AND build = '1'":           true,
		"SELECT count(*) FROM entries WHERE path LIKE '%s49/Level%' AND size > 4000":                 false,
		"SELECT count(*) FROM entries WHERE path LIKE '%ron/a\\%%' ESCAPE '\\'":                      false,
		"SELECT count(*) FROM entries WHERE path LIKE '%l%' AND build = '1'":                         false,
		"SELECT count(*) FROM entries WHERE path LIKE '%level%' AND build = '1'":                     false,
		"SELECT count(*) FROM entries WHERE path LIKE '%ultron%' OR path LIKE '%level%'":             false,
		"SELECT count(*) FROM entries WHERE path NOT LIKE '%ultron%'":                                false,
		"SELECT count(*) FROM entries WHERE (path LIKE '%''.uasset') IS NULL":                        false,
		"SELECT count(*) FROM files WHERE build = '1' AND path LIKE '%Maps49%' AND path LIKE '%99%'": false,
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, "INDEX 1:like") != byIndex {
			t.Errorf("%s: by index must be %v: %v\n%s", text, byIndex, err, plan)
		}
		got, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"})
		want, plainErr := run(t, db, strings.NewReplacer("path LIKE", "path || '' LIKE", "path NOT", "path || '' NOT").Replace(text), query.Args{}, query.Output{Format: "csv"})
		if err != nil || plainErr != nil || got != want {
			t.Errorf("%s: %v, %v\n%swant\n%s", text, err, plainErr, got, want)
		}
	}
}
