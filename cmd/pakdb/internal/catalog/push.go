package catalog

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query/export"
)

func newPushCommand(a *cli.App) *cobra.Command {
	var to string
	var drop bool
	cmd := &cobra.Command{
		Use:   "push [flags] BUILD... --to clickhouse://HOST/DATABASE",
		Short: "Copy builds to ClickHouse, for questions over many of them",
		Long: `Copy builds of the catalog to ClickHouse, which answers questions over many builds
that take SQLite minutes: the files of "pakdb export" become tables, and every view
of them a view there (docs/engines.md). "pakdb query --on" asks it.

The address is clickhouse://[user@]host[:port][/database], by HTTP, with ?secure=1
by HTTPS. The database must be there; its tables are made. The password is that of
the variable PAKDB_CLICKHOUSE_PASSWORD, or of the file that
PAKDB_CLICKHOUSE_PASSWORD_FILE names.

All rows of a build are sent and counted before any of them replaces those of an
earlier push. Push an interrupted build again. Several machines may push at once,
each with builds of its own.`,
		Example: `  pakdb push 1.52 --to clickhouse://writer@db.studio/game
  pakdb push 1.48 1.52 --to "clickhouse://writer@db.studio/game?secure=1"
  pakdb push --drop 1.48 --to clickhouse://writer@db.studio/game
  pakdb query --on clickhouse://reader@db.studio/game "SELECT * FROM builds"`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPush(cmd.Context(), a, to, drop, args)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "copy to this `ADDRESS`")
	cmd.Flags().BoolVar(&drop, "drop", false, "delete the builds there")
	return cmd
}

func runPush(ctx context.Context, a *cli.App, to string, drop bool, labels []string) error {
	if to == "" {
		return cli.WithHint(fmt.Errorf("%w: no server to copy to", cli.ErrUsage), "pakdb push 1.52 --to clickhouse://user@host/database")
	}
	server, err := cli.Server(a, to)
	if err != nil {
		return err
	}
	defer server.Close()
	if drop {
		return dropBuilds(ctx, a, server, labels)
	}

	db, err := a.OpenToSort(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if labels, err = knownBuilds(ctx, db, labels); err != nil {
		return err
	}
	if err := server.Prepare(ctx); err != nil {
		return err
	}
	for _, label := range labels {
		stop := cli.Working(a, "copying build "+terminal.Printable(label))
		rows, err := server.Push(ctx, db, label)
		stop()
		if err != nil {
			return err
		}
		if a.Quiet {
			continue
		}
		if _, err := fmt.Fprintf(a.Stdout, "pushed build %s, %s\n", terminal.Printable(label), cli.Plural(rows, "row", "rows")); err != nil {
			return err
		}
	}
	return nil
}

// dropBuilds deletes builds by their labels: "newest" is none. If one of them is not there,
// all stay.
func dropBuilds(ctx context.Context, a *cli.App, server *export.Server, labels []string) error {
	known, err := server.Builds(ctx)
	if err != nil {
		return err
	}
	if labels, err = among(known, labels, "pakdb query --on "+server.String()+" \"SELECT build FROM builds\""); err != nil {
		return err
	}
	for _, label := range labels {
		if err := server.Drop(ctx, label); err != nil {
			return err
		}
		if !a.Quiet {
			if _, err := fmt.Fprintf(a.Stdout, "dropped build %s\n", terminal.Printable(label)); err != nil {
				return err
			}
		}
	}
	return nil
}
