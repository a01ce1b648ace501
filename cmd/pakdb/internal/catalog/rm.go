package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/glob"
	"pakdb/internal/objects"
	"pakdb/schema"
)

func newRmCommand(a *cli.App) *cobra.Command {
	var dryRun, vacuum bool
	cmd := &cobra.Command{
		Use:   "rm [flags] BUILD...",
		Short: "Remove builds from the catalog",
		Long: `Remove builds from the catalog, with everything that no other build needs,
contents kept by "pakdb index --store" included. If one of the builds is
unknown, none is removed. The game's own files are never touched.

The file keeps its size; later builds use the free space. --vacuum makes it
smaller, which needs room for a copy.`,
		Example: `  pakdb rm 1.10
  pakdb rm --dry-run 1.10 1.11
  pakdb rm --vacuum 1.10`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRm(cmd.Context(), a, args, dryRun, vacuum)
		},
	}
	cli.Flag(cmd, "dry-run", &dryRun)
	cmd.Flags().BoolVar(&vacuum, "vacuum", false, "make the file smaller")
	return cmd
}

func runRm(ctx context.Context, a *cli.App, labels []string, dryRun, vacuum bool) error {
	builds, err := lookUpBuilds(ctx, a, labels)
	if err != nil {
		return err
	}
	verb := "removed"
	if dryRun {
		verb = "would remove"
	} else if err := removeBuilds(ctx, a, labels, vacuum); err != nil {
		return err
	}
	if a.Quiet {
		return nil
	}
	for _, b := range builds {
		if _, err := fmt.Fprintf(a.Stdout, "%s build %q: %s, %s, %s decoded\n", verb, b.label,
			cli.Plural(b.archives, "archive", "archives"), cli.Plural(b.entries, "entry", "entries"), cli.HumanSize(b.size)); err != nil {
			return err
		}
	}
	return nil
}

func removeBuilds(ctx context.Context, a *cli.App, labels []string, vacuum bool) (err error) {
	catalog, err := schema.Open(ctx, a.Catalog)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, catalog.Close()) }()
	noteUnchecked(a, catalog)
	if err := catalog.Remove(ctx, labels...); err != nil {
		return err
	}
	if err := pruneStore(ctx, a, catalog); err != nil || !vacuum {
		return err
	}
	return catalog.Vacuum(ctx)
}

// pruneStore removes the stored contents that the catalog no longer knows. It
// asks what is committed, so that whatever happens meanwhile no build lacks a
// content; what it does not get to is for the next time.
func pruneStore(ctx context.Context, a *cli.App, catalog *schema.Catalog) error {
	removed, size, err := objects.For(a.Catalog).Prune(ctx, func(d [32]byte) (bool, error) { return catalog.Holds(ctx, d) })
	if err != nil || removed == 0 || a.Quiet {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "removed %s, %s, from the store\n", cli.Plural(removed, "content", "contents"), cli.HumanSize(size))
	return err
}

// buildRow is a build as the catalog's view has it.
type buildRow struct {
	label                   string
	archives, entries, size int64
}

// lookUpBuilds returns the builds of those labels, or an error that suggests
// others.
func lookUpBuilds(ctx context.Context, a *cli.App, labels []string) ([]buildRow, error) {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	var builds []buildRow
	for _, label := range labels {
		b := buildRow{label: label}
		err := db.QueryRowContext(ctx, "SELECT archive_count, entry_count, size FROM builds WHERE build = ?", label).
			Scan(&b.archives, &b.entries, &b.size)
		if errors.Is(err, sql.ErrNoRows) {
			known, _ := cli.BuildLabels(ctx, db)
			return nil, cli.WithHint(fmt.Errorf("%w: %q", schema.ErrNoBuild, label), glob.NearestHint(glob.Nearest(label, known)))
		}
		if err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}
