package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/query"
	"pakdb/query/graph"
)

type depsOptions struct {
	build  string
	depth  string
	kinds  []string
	format string
}

func newDepsCommand(a *cli.App) *cobra.Command {
	return newGraphCommand(a, false, &cobra.Command{
		Use:   "deps [flags] PATH|NAME|ID",
		Short: "Show what an entry refers to",
		Long: `Show what an entry of a build refers to, with --depth what that refers to in
turn. The entry is named by its path, by the end of its path, by the name of the
package that it is, or by an id or GUID in any form: decimal, 0x and hex, or 16
hex digits.

A target that nothing in the build stands for is "missing"; one that lies
outside the archives is "native".`,
		Example: `  pakdb deps Calligraphy/Powers/Blueprints/Power.blueprint
  pakdb deps Power.blueprint --depth all --kind parent,blueprint_parent
  pakdb deps 0x5c941affe5410d85 --format json
  pakdb deps /Game/Maps/Arena --kind import,soft_package --depth all
  pakdb deps Power.blueprint --depth 3 --format dot | dot -Tsvg > power.svg`,
	})
}

func newRefsCommand(a *cli.App) *cobra.Command {
	return newGraphCommand(a, true, &cobra.Command{
		Use:   "refs [flags] PATH|NAME|ID",
		Short: "Show what refers to an entry",
		Long: `Show what refers to an entry of a build, with --depth what refers to that in
turn: what is touched when the entry changes. The entry is named as for "deps".
An id or a name that nothing in the build stands for can be asked for as well.

Functions of Unreal packages that name the entry in their code are listed below the
package that they are in. A function or an object of the program is named by its path:
then the functions are listed that call or name it.`,
		Example: `  pakdb refs Calligraphy/Entity/Types/BossHealth.curve
  pakdb refs /Script/Engine.GameplayStatics:SaveGameToSlot
  pakdb refs BossHealth.curve --depth all
  pakdb refs 6670986634407775621 --build 1.48 --format csv`,
	})
}

func newGraphCommand(a *cli.App, reverse bool, cmd *cobra.Command) *cobra.Command {
	var opts depsOptions
	cmd.Args = cli.Args(cobra.ExactArgs(1))
	cmd.ValidArgsFunction = cli.Completing(a, operand.CompletePaths)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runDeps(cmd.Context(), a, opts, reverse, args[0])
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.build, "build", "b", "", "`LABEL` of the build (default: the newest)")
	flags.StringVarP(&opts.depth, "depth", "d", "1", "follow `N` steps, or all")
	flags.StringSliceVar(&opts.kinds, "kind", nil, "only references of these `KINDS`, comma-separated")
	formats := slices.Concat([]string{"tree", "dot"}, query.Formats())
	flags.StringVar(&opts.format, "format", "tree", "output as `FORMAT`: tree, dot, or a format of \"pakdb query\"")
	cli.CompleteFlag(cmd, "format", formats...)
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	return cmd
}

func runDeps(ctx context.Context, a *cli.App, opts depsOptions, reverse bool, name string) error {
	depth, err := parseDepth(opts.depth)
	if err != nil {
		return err
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	g, err := graph.Open(ctx, db, opts.build)
	if err != nil {
		return err
	}
	start, err := g.One(ctx, name)
	if errors.Is(err, graph.ErrNoNode) && reverse {
		if uses, usesErr := graph.Uses(ctx, g, name); len(uses) > 0 || usesErr != nil {
			return cmp.Or(usesErr, printUses(a, name, uses, opts.format))
		}
	}
	if err == nil {
		start, err = g.Whole(ctx, start)
	}
	if err != nil {
		return err
	}
	o := graph.Options{Reverse: reverse, Depth: depth, Kinds: opts.kinds}
	switch opts.format {
	case "tree":
		err = printTree(ctx, a, g, start, o)
	case "dot":
		err = printDot(ctx, a, g, start, o)
	default:
		err = printEdges(ctx, a, g, start, o, opts.format)
	}
	return errors.Join(err, remarkKinds(ctx, a, g, start, o))
}

// remarkKinds says on stderr that there are references where none is of the kinds
// asked for. Kinds hold for every step, so the first one tells.
func remarkKinds(ctx context.Context, a *cli.App, g *graph.Graph, start graph.Node, o graph.Options) error {
	if len(o.Kinds) == 0 || a.Quiet {
		return nil
	}
	wanted := o.Kinds
	o.Depth, o.Kinds = 1, nil
	var kinds []string
	n := int64(0)
	err := g.Walk(ctx, start, o, func(e graph.Edge) error {
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

func parseDepth(s string) (int, error) {
	if s == "all" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%w: --depth %q: want a number from 1, or all", cli.ErrUsage, s)
	}
	return n, nil
}

// printUses shows the functions that name what no entry stands for.
func printUses(a *cli.App, name string, uses []graph.Use, format string) error {
	if format == "tree" || format == "dot" {
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

func printEdges(ctx context.Context, a *cli.App, g *graph.Graph, start graph.Node, o graph.Options, format string) error {
	rows, err := a.Rows(format, "depth", "path", "kind", "target_kind", "target", "target_path", "status", "weak")
	if err != nil {
		return err
	}
	err = g.Walk(ctx, start, o, func(e graph.Edge) error {
		weak := int64(0)
		if e.Weak {
			weak = 1
		}
		return rows.Write(int64(e.Depth), e.From.Path, e.Kind, e.Space, e.Target, cli.TextOrNull(e.To.Path), e.Status, weak)
	})
	return cmp.Or(err, rows.Close())
}
