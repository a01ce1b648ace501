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
		Long: `Copy builds to ClickHouse, for questions over many builds: the files of "pakdb
export" become tables, with the same views. "pakdb query --on" asks the server.

The address is clickhouse://[user@]host[:port][/database], with ?secure=1 for
HTTPS; the database must exist. The password is PAKDB_CLICKHOUSE_PASSWORD, or
the first line of the file PAKDB_CLICKHOUSE_PASSWORD_FILE. Rows of a build are
sent and counted before they replace those of an earlier push. Run an
interrupted push again.`,
		Example: `  pakdb push 1.48 1.52 --to "clickhouse://writer@db.studio/game?secure=1"
  pakdb push --drop 1.48 --to clickhouse://writer@db.studio/game
  pakdb query --on clickhouse://reader@db.studio/game "SELECT * FROM builds"`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPush(cmd.Context(), a, to, drop, args)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "copy to the server at `ADDRESS`")
	cmd.Flags().BoolVar(&drop, "drop", false, "delete the builds from the server")
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

	db, err := a.OpenCatalog(ctx)
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
