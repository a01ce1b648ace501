package operand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
	node, err := g.One(ctx, name)
	if err == nil && node.Path == "" {
		err = fmt.Errorf("%w in build %q: %q", graph.ErrNoNode, build, name)
	}
	return node.Path, err
}
