package operand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/query/graph"
)

// FindEntry returns the entry of a build that a game sees under a path, or under the
// only path that ends so.
func FindEntry(ctx context.Context, db *sql.DB, build, entry string) (*diff.File, error) {
	f, err := diff.Find(ctx, db, build, entry)
	if !errors.Is(err, diff.ErrNoFile) {
		return f, err
	}
	path, err := EntryPath(ctx, db, build, entry)
	if err != nil {
		return nil, err
	}
	return diff.Find(ctx, db, build, path)
}

// EntryPath finds the path of the entry of a build that a name stands for.
func EntryPath(ctx context.Context, db *sql.DB, build, name string) (string, error) {
	g, err := graph.Open(ctx, db, build)
	if err != nil {
		return "", err
	}
	node, err := ResolveOne(ctx, g, name)
	if err == nil && node.Path == "" {
		err = fmt.Errorf("%w in build %q: %q", graph.ErrNoNode, build, name)
	}
	return node.Path, err
}

// ResolveOne returns the only node of a name. Of several it returns an error of usage
// that lists them.
func ResolveOne(ctx context.Context, g *graph.Graph, name string) (graph.Node, error) {
	nodes, err := g.Resolve(ctx, name)
	if err != nil {
		return graph.Node{}, err
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	err = fmt.Errorf("%w: %q is not unique in build %q; it may be", cli.ErrUsage, name, g.Build())
	for _, n := range nodes {
		err = fmt.Errorf("%w\n  %s", err, n.Name())
	}
	return graph.Node{}, err
}
