package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/search"
	"pakdb/query"
)

type findOptions struct {
	build  string
	kinds  []string
	limit  int
	format string
}

func newFindCommand(a *cli.App) *cobra.Command {
	var opts findOptions
	cmd := &cobra.Command{
		Use:   "find [flags] TEXT...",
		Short: "Find texts, names, values, settings and paths in all builds",
		Long: `Find words in game texts, settings, values, code, names inside of packages,
asset tags, and paths, in all builds. A row is a text in a content, with its
builds: V7..V9 (3) are three that follow each other.

A text matches if it has all words, in any case and without accents; "words in
a row" match as they are, WORD* is a prefix. Exact texts come first, short
texts before long ones. Numbers are not indexed: use "pakdb query". In SQL,
search('TEXT') has the same rows.`,
		Example: `  pakdb find '"press any key"' --build 1.52
  pakdb find 'ultr*' --kind text,value
  pakdb query "SELECT path, count(*) FROM search('ultron') GROUP BY path"`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFind(cmd.Context(), a, opts, strings.Join(args, " "))
		},
	}
	cli.Flag(cmd, "build", &opts.build)
	cli.AddKinds(cmd, &opts.kinds)
	cmd.Flags().IntVar(&opts.limit, "limit", 50, "list at most `N`; 0 lists all")
	cli.AddFormat(cmd, &opts.format)
	cli.CompleteFlag(cmd, "kind", query.SearchKinds()...)
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	return cmd
}

func runFind(ctx context.Context, a *cli.App, opts findOptions, text string) error {
	rows, err := a.Rows(opts.format, "kind", "text", "place", "path", "builds")
	if err != nil {
		return err
	}
	if len(search.Parse(text).Words()) == 0 {
		return fmt.Errorf("%w: %q has no word to look for", cli.ErrUsage, text)
	}
	for _, kind := range opts.kinds {
		if !slices.Contains(query.SearchKinds(), kind) {
			return cli.WithHint(fmt.Errorf("%w: no such kind: %q", cli.ErrUsage, kind), "there are "+strings.Join(query.SearchKinds(), ", "))
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
	f, err := query.OpenSearch(ctx, db)
	if err != nil {
		return err
	}
	known, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return err
	}
	builds := func(h *query.Hit) string { return strings.Join(h.Builds, ",") }
	if query.ForPeople(opts.format) {
		builds = func(h *query.Hit) string { return runs(h.Builds, known) }
	}
	n := 0
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
		if err := rows.Write(h.Kind, h.Text, cli.TextOrNull(h.Place), cli.TextOrNull(h.Path), builds(&h)); err != nil {
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
		_, _ = fmt.Fprintln(a.Stderr, "(nothing found; WORD* finds all words that begin so)")
	}
	return nil
}

// wants reports whether a hit is to be shown.
func (opts *findOptions) wants(h *query.Hit) bool {
	return (opts.build == "" || slices.Contains(h.Builds, opts.build)) && (len(opts.kinds) == 0 || slices.Contains(opts.kinds, h.Kind))
}

// runs writes labels of builds for people, in the order of all: builds of which each follows the
// one before are V7..V9 (3).
func runs(labels, all []string) string {
	var list []string
	for at := 0; at < len(all); at++ {
		from := at
		for at < len(all) && slices.Contains(labels, all[at]) {
			at++
		}
		if n := at - from; n > 2 {
			list = append(list, fmt.Sprintf("%s..%s (%d)", all[from], all[at-1], n))
		} else {
			list = append(list, all[from:at]...)
		}
	}
	return strings.Join(list, ", ")
}
