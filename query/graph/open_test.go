package graph_test

import (
	"context"
	"path/filepath"
	"testing"

	"pakdb/query/graph"
	"pakdb/schema"
)

// open makes a catalog of one build, which fill fills, and opens its graph.
func open(t *testing.T, fill func(*schema.Build)) *graph.Graph {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Begin(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	fill(b)
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := schema.OpenReadOnly(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	g, err := graph.Open(ctx, db, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}
