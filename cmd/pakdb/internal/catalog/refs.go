package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/query"
	"pakdb/query/show"
)

type refsOptions struct {
	needs  bool // the other direction
	build  string
	depth  string
	kinds  []string
	format string
}

func newRefsCommand(a *cli.App) *cobra.Command {
	opts := refsOptions{depth: "1"}
	cmd := &cobra.Command{
		Use:   "refs [flags] PATH|NAME|ID",
		Short: "Show which entries refer to an entry, or which it needs",
		Long: `Show the entries that refer to an entry of a build, as a tree; with --needs
those that it refers to. --depth follows references further. The entry is named
by its path, the end of it, its package name, or an id or GUID (decimal, 0x,
hex).

A target that the build lacks is "missing"; one in the program is "native".
References from code name the function. A function or object of the program, as
/Script/Engine.Actor:Tick, lists the functions that use it. --format dot draws
a graph for Graphviz.`,
		Example: `  pakdb refs BossHealth.curve --depth all
  pakdb refs --needs /Game/Maps/Arena --kind import,soft_package
  pakdb refs --needs Power.blueprint -d 3 --format dot | dot -Tsvg > power.svg`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompletePaths),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRefs(cmd.Context(), a, opts, args[0])
		},
	}
	cmd.Flags().BoolVar(&opts.needs, "needs", false, "show what the entry refers to")
	cli.Flag(cmd, "build", &opts.build)
	cli.Flag(cmd, "depth", &opts.depth)
	cli.AddKinds(cmd, &opts.kinds)
	cli.AddFormat(cmd, &opts.format, slices.Concat([]string{"tree", "dot"}, query.Formats())...)
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	return cmd
}

func runRefs(ctx context.Context, a *cli.App, opts refsOptions, name string) error {
	depth, err := cli.ParseDepth(opts.depth)
	if err != nil {
		return err
	}
	if depth == 0 {
		depth = -1 // package graph has no bound then
	}
	reverse := !opts.needs
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	g, err := show.OpenGraph(ctx, db, opts.build)
	if err != nil {
		return err
	}
	start, err := g.One(ctx, name)
	if errors.Is(err, show.ErrNoNode) && reverse {
		if uses, usesErr := show.Uses(ctx, g, name); len(uses) > 0 || usesErr != nil {
			return cmp.Or(usesErr, printUses(a, name, uses, opts.format))
		}
	}
	if err == nil {
		start, err = g.Whole(ctx, start)
	}
	if err != nil {
		return err
	}
	o := show.GraphOptions{Reverse: reverse, Depth: depth, Kinds: opts.kinds}
	switch opts.format {
	case "", "tree":
		err = printTree(ctx, a, g, start, o)
	case "dot":
		err = printDot(ctx, a, g, start, o)
	default:
		err = printEdges(ctx, a, g, start, o, opts.format)
	}
	return errors.Join(err, remarkKinds(ctx, a, g, start, o))
}

// remarkKinds says on stderr that there are references where none is of the kinds
// asked for. Kinds hold for every step, so the first one decides.
func remarkKinds(ctx context.Context, a *cli.App, g *show.Graph, start show.Node, o show.GraphOptions) error {
	if len(o.Kinds) == 0 || a.Quiet {
		return nil
	}
	wanted := o.Kinds
	o.Depth, o.Kinds = 1, nil
	var kinds []string
	n := int64(0)
	err := g.Walk(ctx, start, o, func(e show.Edge) error {
		n++
		kinds = append(kinds, e.Kind)
		return nil
	})
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	if err == nil && n > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(wanted, k) }) {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s, none of these kinds; there are %s\n", cli.Plural(n, "reference", "references"), strings.Join(kinds, ", "))
	}
	return err
}

// printUses shows the functions that name something outside of the build.
func printUses(a *cli.App, name string, uses []show.Use, format string) error {
	if format == "" || format == "tree" || format == "dot" {
		t := newTree(a)
		for i := range uses {
			t.addUse(name, &uses[i])
		}
		return t.print(name)
	}
	rows, err := a.Rows(format, "path", "function", "event", "kind", "count")
	if err != nil {
		return err
	}
	for _, u := range uses {
		if err := rows.Write(cli.TextOrNull(u.Path), u.Function, cli.TextOrNull(u.Event), u.Kind, u.Count); err != nil {
			return cmp.Or(err, rows.Close())
		}
	}
	return rows.Close()
}

func printEdges(ctx context.Context, a *cli.App, g *show.Graph, start show.Node, o show.GraphOptions, format string) error {
	rows, err := a.Rows(format, "depth", "path", "kind", "target_kind", "target", "target_path", "status", "weak")
	if err != nil {
		return err
	}
	err = g.Walk(ctx, start, o, func(e show.Edge) error {
		weak := int64(0)
		if e.Weak {
			weak = 1
		}
		return rows.Write(int64(e.Depth), e.From.Path, e.Kind, e.To.Space, e.To.Target(), cli.TextOrNull(e.To.Path), e.Status, weak)
	})
	return cmp.Or(err, rows.Close())
}
