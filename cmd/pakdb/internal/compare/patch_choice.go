package compare

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/overlay"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// newChoice reads --only and --exclude; SQL runs on the catalog of both sides.
func newChoice(ctx context.Context, a *cli.App, opts *patchOptions, s *operand.Sides) (*overlay.Choice, error) {
	var patterns, statements []string
	for _, only := range opts.only {
		if isStatement(only) {
			statements = append(statements, only)
		} else {
			patterns = append(patterns, only)
		}
	}
	c, err := overlay.NewChoice(patterns, opts.exclude)
	if err != nil {
		return nil, err
	}
	for _, sql := range statements {
		paths, err := choosePaths(ctx, a, sql, s)
		if err != nil {
			return nil, err
		}
		c.AddPaths(paths)
	}
	return c, nil
}

// isStatement reports whether a text is a statement that yields rows rather than a
// pattern of paths: SELECT or WITH, and what follows.
func isStatement(text string) bool {
	word, _, more := strings.Cut(strings.TrimSpace(text), " ")
	return more && (strings.EqualFold(word, "select") || strings.EqualFold(word, "with"))
}

// noLimit is for [schema.LimitMemory].
const noLimit = 0

// choosePaths runs SQL in which :old and :new are the labels of the builds.
func choosePaths(ctx context.Context, a *cli.App, sql string, s *operand.Sides) ([]string, error) {
	if err := cli.LimitMemory(); err != nil {
		return nil, err
	}
	defer func() { _ = schema.LimitMemory(noLimit) }()
	db, closeDB, err := cli.OpenQueriesOf(ctx, a, s.Catalog)
	if err != nil {
		return nil, err
	}
	defer closeDB()
	args := query.Args{Named: map[string]driver.Value{"old": s.Old.Label, "new": s.New.Label, "build": s.New.Label}}
	maps.DeleteFunc(args.Named, func(name string, _ driver.Value) bool { return !slices.Contains(query.Parameters(sql), name) })
	var all []string
	err = db.Each(ctx, sql, args, func([]string) error { return nil }, func(row []driver.Value) error {
		if s, ok := row[0].(string); ok {
			all = append(all, s)
		}
		return nil
	})
	return all, err
}

// newNeeds is overlay.Options.Needs.
func newNeeds(ctx context.Context, s *operand.Sides) (func(name string, old bool) ([]string, error), error) {
	before, err := show.OpenGraph(ctx, s.DB, s.Old.Label)
	if err != nil {
		return nil, err
	}
	after, err := show.OpenGraph(ctx, s.DB, s.New.Label)
	if err != nil {
		return nil, err
	}
	return func(name string, old bool) ([]string, error) {
		if old {
			return before.Needs(ctx, name)
		}
		return after.Needs(ctx, name)
	}, nil
}
