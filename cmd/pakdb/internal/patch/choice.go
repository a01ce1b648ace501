package patch

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/overlay"
	"pakdb/internal/glob"
	"pakdb/query"
	"pakdb/query/graph"
	"pakdb/schema"
)

// choice says which changes a patch is made of: patterns and SQL, of which one
// must take a change, and patterns that keep it out.
type choice struct {
	globs, exclude glob.List
	paths          map[string]bool // that SQL yielded, in lower case; nil: no SQL
}

// newChoice reads --only and --exclude; SQL runs on the catalog of both sides.
func newChoice(ctx context.Context, a *cli.App, opts *patchOptions, s *operand.Sides) (c choice, err error) {
	var patterns []string
	for _, only := range opts.only {
		if !isSQL(only) {
			patterns = append(patterns, only)
			continue
		}
		paths, err := choosePaths(ctx, a, only, s, opts.memory)
		if err != nil {
			return c, err
		}
		if c.paths == nil {
			c.paths = map[string]bool{}
		}
		for _, p := range paths {
			c.paths[strings.ToLower(p)] = true
		}
	}
	if c.globs, err = glob.ParseList(patterns, true); err != nil {
		return c, err
	}
	c.exclude, err = glob.ParseList(opts.exclude, true)
	return c, err
}

// refuseMissed returns an error for a pattern that matches no path of either build:
// a mistyped --only would leave out what it should take, a mistyped --exclude the
// other way round.
func (c *choice) refuseMissed(stacks []*overlay.Stack) error {
	paths := func(yield func(string) bool) {
		for _, s := range stacks {
			for i := range s.Files {
				if !yield(s.Files[i].Path()) {
					return
				}
			}
		}
	}
	missed := slices.Concat(c.globs, c.exclude).Missed(paths)
	if len(missed) == 0 {
		return nil
	}
	return cli.MissedError(missed[0], strconv.Quote(stacks[0].Label)+" or "+strconv.Quote(stacks[1].Label), paths)
}

// isSQL tells a statement from a pattern.
func isSQL(text string) bool {
	word, _, more := strings.Cut(strings.TrimSpace(text), " ")
	return more && (strings.EqualFold(word, "select") || strings.EqualFold(word, "with"))
}

// noLimit is for [schema.LimitMemory].
const noLimit = 0

// choosePaths runs SQL in which :old and :new are the labels of the builds.
func choosePaths(ctx context.Context, a *cli.App, sql string, s *operand.Sides, memory cli.ByteSize) ([]string, error) {
	if err := schema.LimitMemory(int64(memory)); err != nil {
		return nil, err
	}
	defer func() { _ = schema.LimitMemory(noLimit) }()
	db, closeDB, err := cli.OpenQueriesOf(ctx, a, s.Catalog)
	if err != nil {
		return nil, err
	}
	defer closeDB()
	return db.Column(ctx, sql, query.Args{Named: map[string]driver.Value{"old": s.Old.Label, "new": s.New.Label, "build": s.New.Label}})
}

// takes is overlay.Options.Only.
func (c *choice) takes(it *overlay.Item) bool {
	if c.exclude.Match(it.Path) {
		return false
	}
	if c.globs == nil && c.paths == nil {
		return true
	}
	return c.globs.Match(it.Path) || c.paths[strings.ToLower(it.Path)] ||
		it.New != nil && c.paths[strings.ToLower(it.New.Name)] || it.Old != nil && c.paths[strings.ToLower(it.Old.Name)]
}

// newNeeds is overlay.Options.Needs.
func newNeeds(ctx context.Context, s *operand.Sides) (func(name string, old bool) ([]string, error), error) {
	before, err := graph.Open(ctx, s.DB, s.Old.Label)
	if err != nil {
		return nil, err
	}
	after, err := graph.Open(ctx, s.DB, s.New.Label)
	if err != nil {
		return nil, err
	}
	return func(name string, old bool) ([]string, error) {
		if old {
			return referred(ctx, before, name)
		}
		return referred(ctx, after, name)
	}, nil
}

// referred are the paths that the entries of a path refer to.
func referred(ctx context.Context, g *graph.Graph, name string) (paths []string, err error) {
	nodes, err := g.Resolve(ctx, name)
	switch {
	case errors.Is(err, graph.ErrNoNode), err == nil && nodes[0].Path != name:
		return nil, nil
	case err != nil:
		return nil, err
	}
	err = g.Walk(ctx, nodes[0], graph.Options{}, func(e graph.Edge) error {
		if e.To.Path != "" && !e.Weak {
			paths = append(paths, e.To.Path)
		}
		return nil
	})
	return paths, err
}
