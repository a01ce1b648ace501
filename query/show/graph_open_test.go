package show_test

import (
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/query/show"
	"pakdb/schema"
)

// open makes a catalog of one build, which fill fills, and opens its graph.
func open(t *testing.T, fill func(*schema.Build)) *show.Graph {
	t.Helper()
	db := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) { schematest.Build(t, c, "one", fill) }))
	g, err := show.OpenGraph(t.Context(), db, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}
