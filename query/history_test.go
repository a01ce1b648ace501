package query_test

import (
	"context"
	"strings"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// TestHistoryIsOfFirstFile: the archive and the content of an asset are those of the file with the
// tables, also where another of its files lies in more archives.
func TestHistoryIsOfFirstFile(t *testing.T) {
	path := schematest.Write(t, func(c *schema.Catalog) {
		schematest.Build(t, c, "1", func(b *schema.Build) {
			for _, a := range []struct{ archive, name string }{{"a.pak", "Game/W.uasset"}, {"b.pak", "Game/W.uexp"}, {"c.pak", "Game/W.uexp"}} {
				schematest.Mount(t, b, a.archive, schema.Entry{Name: a.name, Method: "none", HasContent: true, Content: schema.Digest{a.name[8]}, ContentSize: 1})
			}
		})
	})
	beside := schema.ReadLater(path)
	defer func() { _ = beside.Close() }()
	db, err := query.Open(context.Background(), path, query.Options{Functions: show.GraphFunctions(beside)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	got, err := runNamed(t, db, load(t, "")["history"], []string{"Game/W.uasset"}, nil, "csv")
	if want := "1,added,a.pak,2,0,0,61"; err != nil || !strings.Contains(got, want) {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}
