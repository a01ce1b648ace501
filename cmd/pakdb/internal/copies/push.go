package copies

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query/clickhouse"
)

func newPushCommand(a *cli.App) *cobra.Command {
	var to string
	var drop bool
	cmd := &cobra.Command{
		Use:   "push [flags] BUILD... --to clickhouse://HOST/DATABASE",
		Short: "Copy builds to ClickHouse, for questions over many of them",
		Long: `Copy builds of the catalog to ClickHouse, which answers questions over all builds
that take SQLite minutes: the portable views (docs/portable.md). "pakdb query --on"
asks it. What is there can be dropped and pushed again; the catalog stays the
original.

The address is clickhouse://[user@]host[:port][/database], by HTTP, with ?secure=1
by HTTPS. The database must be there; its tables are made. The password is that of
the variable PAKDB_CLICKHOUSE_PASSWORD, or of the file that
PAKDB_CLICKHOUSE_PASSWORD_FILE names.

A build is seen when all of its rows are there and were counted; until then views
show what was there before. An interrupted push is pushed again. Any number of
machines may push at once, also the same build: the last one is seen. A build of
which the server has the same rows is passed over.`,
		Example: `  pakdb push 1.52 --to clickhouse://writer@db.studio/game
  pakdb push 1.48 1.52 --to "clickhouse://writer@db.studio/game?secure=1"
  pakdb push --drop 1.48 --to clickhouse://writer@db.studio/game
  pakdb query --on clickhouse://reader@db.studio/game @churn`,
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
	client, err := cli.ClickHouse(a, to)
	if err != nil {
		return err
	}
	defer client.Close()
	if drop {
		return dropBuilds(ctx, a, client, labels)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if labels, err = knownBuilds(ctx, db, labels); err != nil {
		return err
	}
	if err := client.Reach(ctx); err != nil {
		return err
	}
	if err := client.Prepare(ctx); err != nil {
		return err
	}
	for _, label := range labels {
		stop := cli.Working(a, "copying build "+terminal.Printable(label))
		p, err := client.Push(ctx, db, label)
		stop()
		if err != nil {
			return err
		}
		if a.Quiet {
			continue
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s build %s, %s\n", p.Did(), terminal.Printable(label), cli.Plural(p.Rows, "row", "rows")); err != nil {
			return err
		}
	}
	return nil
}

// dropBuilds deletes builds by their labels: "newest" is none. If one of them is not there,
// all stay.
func dropBuilds(ctx context.Context, a *cli.App, client *clickhouse.Client, labels []string) error {
	if err := client.Reach(ctx); err != nil {
		return err
	}
	known, err := client.Builds(ctx)
	if err != nil {
		return err
	}
	if labels, err = among(known, labels, "pakdb query --on "+client.Address()+" @builds"); err != nil {
		return err
	}
	for _, label := range labels {
		if _, err := client.Drop(ctx, label); err != nil {
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
