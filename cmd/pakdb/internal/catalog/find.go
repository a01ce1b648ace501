package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query"
	"pakdb/query/find"
)

type findOptions struct {
	build  string
	kinds  []string
	limit  int64
	format string
}

func newFindCommand(a *cli.App) *cobra.Command {
	var opts findOptions
	cmd := &cobra.Command{
		Use:   "find [flags] TEXT...",
		Short: "Find texts, names, values, settings and paths in all builds",
		Long: `Find words in the texts that players read, in settings, values, code and names inside
of packages, tags of assets, and in the paths of files and folders, in all builds of the
catalog. Each row is a text in a content, with the builds that have it.

A text matches if it has all words. A word that ends in * stands for all that begin so;
"words in a row", in quotes, have to occur as they are. Case and accents do not matter.
UltronBoss is found as ultronboss, and as the words ultron and boss. A path matches if
it has the words anywhere, also within others. What is exactly the text comes first,
then what begins with it, then what has it; short texts before long ones. Numbers are
not indexed: "pakdb query" compares those.

In SQL the function search('TEXT') has the same rows. "pakdb index" makes the index,
a twentieth of the catalog or less; with --no-search it does not.`,
		Example: `  pakdb find beenden
  pakdb find 'ultr*' --kind text,value
  pakdb find '"press any key"' --build 1.52
  pakdb find ultron boss --limit 0 --format jsonl
  pakdb query "SELECT path, count(*) FROM search('ultron') GROUP BY path"`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFind(cmd.Context(), a, opts, strings.Join(args, " "))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.build, "build", "", "only what build `LABEL` has")
	flags.StringSliceVar(&opts.kinds, "kind", nil, "only these `KINDS`, comma-separated: text, setting, value, script, name, path and others")
	flags.Int64Var(&opts.limit, "limit", 50, "at most `N` rows; 0 for all")
	flags.StringVar(&opts.format, "format", "table", strings.Join(query.Formats(), ", "))
	cli.CompleteFlag(cmd, "format", query.Formats()...)
	cli.CompleteFlag(cmd, "kind", find.Kinds()...)
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	return cmd
}

func runFind(ctx context.Context, a *cli.App, opts findOptions, text string) error {
	rows, err := a.Rows(opts.format, "kind", "text", "place", "path", "builds")
	if err != nil {
		return err
	}
	if len(find.Words(text)) == 0 {
		return fmt.Errorf("%w: %q has no word to look for", cli.ErrUsage, text)
	}
	for _, kind := range opts.kinds {
		if !slices.Contains(find.Kinds(), kind) {
			return cli.WithHint(fmt.Errorf("%w: no such kind: %q", cli.ErrUsage, kind), "there are "+strings.Join(find.Kinds(), ", "))
		}
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if opts.build != "" {
		if _, err := lookUpBuilds(ctx, a, []string{opts.build}); err != nil {
			return err
		}
	}
	f, err := find.Open(ctx, db)
	if err != nil {
		return err
	}
	n := int64(0)
	more := false
	for h, err := range f.Hits(ctx, text) {
		if err != nil {
			return err
		}
		if !opts.wants(&h) {
			continue
		}
		if more = opts.limit > 0 && n == opts.limit; more {
			break
		}
		n++
		if err := rows.Write(h.Kind, h.Text, cli.TextOrNull(h.Place), cli.TextOrNull(h.Path), strings.Join(h.Builds, ",")); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil || a.Quiet {
		return err
	}
	switch {
	case more:
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: the first %d rows; --limit 0 has all\n", n)
	case n == 0:
		_, _ = fmt.Fprintln(a.Stderr, "(nothing found; a word that ends in * stands for all that begin so)")
	}
	return nil
}

// wants reports whether a hit is to be shown.
func (opts *findOptions) wants(h *find.Hit) bool {
	return (opts.build == "" || slices.Contains(h.Builds, opts.build)) && (len(opts.kinds) == 0 || slices.Contains(opts.kinds, h.Kind))
}
