package compare

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/query/show"
)

func newLogCommand(a *cli.App) *cobra.Command {
	var opts logOptions
	cmd := &cobra.Command{
		Use:   "log [flags] [FIRST..LAST] PATH|ID",
		Short: "Show every build in which an entry changed",
		Long: `Show every build in which an entry appeared, changed, was renamed or was
removed, the newest first. The entry is named by its path, the end of it, or an
id or GUID. Renames are followed; the files of one Unreal asset are one entry.
FIRST..LAST limits the builds; either may be left out.

--semantic shows changes inside, as "pakdb diff --semantic" does. --field shows
the history of one value, named as there, or by the end of that name.`,
		Example: `  pakdb log XPCurve.curve
  pakdb log DT_Weapons.uasset --semantic
  pakdb log 1.0..1.9 DT_Weapons --field Rifle.Cost`,
		Args:              cli.Args(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: cli.Completing(a, operand.CompletePaths),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLog(cmd.Context(), a, args, opts)
		},
	}
	cli.Flag(cmd, "semantic", &opts.semantic)
	cmd.Flags().StringVar(&opts.field, "field", "", "show the history of the value `NAME`")
	cli.AddFormat(cmd, &opts.format)
	return cmd
}

func runLog(ctx context.Context, a *cli.App, args []string, opts logOptions) error {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	between, err := newBuildRange(ctx, db, args[:len(args)-1])
	if err != nil {
		return err
	}
	name := args[len(args)-1]
	events, err := diff.History(ctx, db, name)
	if errors.Is(err, diff.ErrNoFile) {
		path, pathErr := show.EntryPath(ctx, db, "", name)
		if pathErr != nil {
			return pathErr
		}
		name = path
		events, err = diff.History(ctx, db, path)
	}
	if err != nil {
		return err
	}
	if opts.semantic || opts.field != "" {
		return logInside(ctx, a, db, name, events, between, opts)
	}
	events = slices.DeleteFunc(events, func(e diff.Event) bool { return !between.has(e.Build) })
	slices.Reverse(events)
	if opts.format != "" {
		return logRows(a, events, opts.format)
	}
	return logList(a, events)
}

func logList(a *cli.App, events []diff.Event) error {
	w := bufio.NewWriter(a.Stdout)
	p := cli.NewPalette(a)
	widest := widestBuild(events)
	for i := range events {
		logLine(w, p, &events[i], widest)
	}
	return w.Flush()
}

func logRows(a *cli.App, events []diff.Event, format string) error {
	columns := []string{"kind", "path", "old_path", "archive", "old_size", "new_size", "old_stored", "new_stored",
		"renamed_by", "also", "old_content", "new_content"}
	rows, err := a.Rows(format, append([]string{"build"}, columns...)...)
	if err != nil {
		return err
	}
	for i := range events {
		row := append([]driver.Value{events[i].Build}, events[i].RowOf(columns...)...)
		err = errors.Join(err, rows.Write(row...))
	}
	return cmp.Or(err, rows.Close())
}
