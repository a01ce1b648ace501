package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/glob"
	"pakdb/internal/terminal"
	"pakdb/query/export"
	"pakdb/schema"
)

type exportOptions struct {
	format, output string
	views          []string
}

func newExportCommand(a *cli.App) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [flags] BUILD... -o DIR",
		Short: "Write builds as Parquet, CSV or JSON for other engines",
		Long: `Write builds as files for DuckDB, Spark, ClickHouse and others: every view with
rows of a build, as DIR/VIEW/build=LABEL/part-N.parquet, at most 1,000,000
sorted rows a file. The same build gives the same bytes. DIR/duckdb.sql makes
the views in DuckDB.

A build is complete when DIR/_builds/build=LABEL/_SUCCESS.json exists; it lists
rows, sizes and BLAKE3 of the files. An export of the same build replaces the
earlier one. docs/engines.md has statements for each engine.`,
		Example: `  pakdb export 1.48 1.52 -o parquet
  pakdb export 1.52 -o lines --format jsonl --views entries,files
  cd parquet && duckdb -init duckdb.sql`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("views") && len(o.views) == 0 {
				return cli.UsageError(cmd, errors.New("--views is empty"))
			}
			return runExport(cmd.Context(), a, o, args)
		},
	}
	o.format = export.Formats()[0]
	cli.Flag(cmd, "output", &o.output)
	cli.AddFormat(cmd, &o.format, export.Formats()...)
	cmd.Flags().StringSliceVar(&o.views, "views", nil, "only these `VIEWS`, comma-separated")
	cli.CompleteFlag(cmd, "views", export.Names()...)
	return cmd
}

func runExport(ctx context.Context, a *cli.App, o exportOptions, labels []string) error {
	if o.output == "" {
		return cli.WithHint(fmt.Errorf("%w: no folder to write to", cli.ErrUsage), "pakdb export 1.52 -o parquet")
	}
	for _, name := range o.views {
		if all := export.Names(); !slices.Contains(all, name) {
			return cli.WithHint(fmt.Errorf("%w: no view %q has rows of builds", cli.ErrUsage, name), glob.NearestHint(glob.Nearest(name, all)))
		}
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if labels, err = knownBuilds(ctx, db, labels); err != nil {
		return err
	}
	for _, label := range labels {
		stop := cli.Working(a, "exporting build "+terminal.Printable(label))
		m, err := export.Build(ctx, db, o.output, label, export.Options{Format: o.format, Views: o.views})
		stop()
		if err != nil {
			return err
		}
		if err := tellExport(a, m); err != nil {
			return err
		}
	}
	return export.Beside(ctx, o.output)
}

func tellExport(a *cli.App, m *export.Manifest) error {
	if a.Quiet {
		return nil
	}
	var rows, size, files int64
	for _, list := range m.Views {
		for _, f := range list {
			rows, size, files = rows+f.Rows, size+f.Size, files+1
		}
	}
	_, err := fmt.Fprintf(a.Stdout, "exported build %s: %s, %s, %s\n", terminal.Printable(m.Build), cli.Plural(rows, "row", "rows"),
		cli.Plural(files, "file", "files"), cli.HumanSize(size))
	return err
}

// knownBuilds returns each of the labels once, and fails if the catalog
// lacks one.
func knownBuilds(ctx context.Context, db *sql.DB, labels []string) ([]string, error) {
	known, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return nil, err
	}
	return among(known, labels, "pakdb query @builds")
}

// among returns each of the labels once, and fails if one is not known; list is the command
// that lists those that are.
func among(known, labels []string, list string) (all []string, err error) {
	for _, label := range labels {
		if !slices.Contains(known, label) {
			hint := cmp.Or(glob.NearestHint(glob.Nearest(label, known)), list+" lists them")
			return nil, cli.WithHint(fmt.Errorf("%w: %q", schema.ErrNoBuild, label), hint)
		}
		if !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all, nil
}
