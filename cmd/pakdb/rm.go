package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/internal/nearest"
	"pakdb/internal/objects"
	"pakdb/schema"
)

func newRmCommand(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rm [flags] BUILD...",
		Short: "Remove builds from the catalog",
		Long: `Remove builds from the catalog, with all that no other build needs: archives,
entries, contents and their facts, paths, and contents that "pakdb index --store"
kept. What an interrupted scan left goes as well, and its next run starts anew.
The catalog's file becomes smaller; it needs room for a copy of itself while that
is done. The game's own files are never touched.

When one of the builds is not there, none is removed.`,
		Example: `  pakdb rm 1.10
  pakdb rm --dry-run 1.10 1.11`,
		Args:              usage(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completing(a, completeBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRm(cmd.Context(), a, args, dryRun)
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "say what would go, and remove nothing")
	return cmd
}

func runRm(ctx context.Context, a *app, labels []string, dryRun bool) error {
	builds, err := lookUpBuilds(ctx, a, labels)
	if err != nil {
		return err
	}
	verb := "removed"
	if dryRun {
		verb = "would remove"
	} else if err := removeBuilds(ctx, a, labels); err != nil {
		return err
	}
	if a.quiet {
		return nil
	}
	for _, b := range builds {
		if _, err := fmt.Fprintf(a.stdout, "%s build %q: %s, %s, %s decoded\n", verb, b.label,
			plural(b.archives, "archive", "archives"), plural(b.entries, "entry", "entries"), humanSize(b.size)); err != nil {
			return err
		}
	}
	return nil
}

func removeBuilds(ctx context.Context, a *app, labels []string) (err error) {
	catalog, err := schema.Open(ctx, a.catalog)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, catalog.Close()) }()
	noteUnchecked(a, catalog)
	if err := catalog.Remove(ctx, labels...); err != nil {
		return err
	}
	if err := pruneStore(ctx, a, catalog); err != nil {
		return err
	}
	return catalog.Vacuum(ctx)
}

// pruneStore removes the stored contents that the catalog no longer knows. It
// asks what is committed, so that whatever happens meanwhile no build lacks a
// content; what it does not get to is for the next time.
func pruneStore(ctx context.Context, a *app, catalog *schema.Catalog) error {
	removed, size, err := objects.For(a.catalog).Prune(ctx, func(d [32]byte) (bool, error) { return catalog.Holds(ctx, d) })
	if err != nil || removed == 0 || a.quiet {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "removed %s, %s, from the store\n", plural(removed, "content", "contents"), humanSize(size))
	return err
}

// buildRow is a build as the catalog's view has it.
type buildRow struct {
	label                   string
	archives, entries, size int64
}

// lookUpBuilds returns the builds of those labels, or an error that suggests
// others.
func lookUpBuilds(ctx context.Context, a *app, labels []string) ([]buildRow, error) {
	db, err := a.openCatalog(ctx)
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
			known, _ := buildLabels(ctx, db)
			return nil, hinted(fmt.Errorf("%w: %q", schema.ErrNoBuild, label), nearest.Hint(nearest.Names(label, known)))
		}
		if err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}

// buildLabels returns the labels of all builds, oldest first.
func buildLabels(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var labels []string
	for rows.Next() {
		var label string
		if err := rows.Scan(&label); err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	return labels, rows.Err()
}
