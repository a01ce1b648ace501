package compare

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/diff/history"
	"pakdb/internal/terminal"
	"pakdb/query/graph"
)

func newLogCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "log [flags] PATH|ID",
		Short: "Show every build in which an entry changed",
		Long: `Show every build in which an entry appeared, changed, got another name or went,
the newest first. Renames are followed. The entry is named by its path, by the
end of its path, or by an id or GUID in any form, as for "deps".`,
		Example: `  pakdb log Calligraphy/Loot/Curves/XPCurve.curve
  pakdb log XPCurve.curve
  pakdb log 0xd8cbd36e92100920 --format json`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompletePaths),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLog(cmd.Context(), a, args[0], format)
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

func runLog(ctx context.Context, a *cli.App, name, format string) error {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	events, err := history.Of(ctx, db, name)
	if errors.Is(err, diff.ErrNoFile) {
		path, pathErr := anyPath(ctx, db, name)
		if pathErr != nil {
			return pathErr
		}
		events, err = history.Of(ctx, db, path)
	}
	if err != nil {
		return err
	}
	slices.Reverse(events)
	if format != "" {
		return logRows(a, events, format)
	}
	return logList(a, events)
}

// anyPath finds the entry that a name stands for, in the newest build that has
// one.
func anyPath(ctx context.Context, db *sql.DB, name string) (string, error) {
	labels, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return "", err
	}
	err = fmt.Errorf("%w in any build: %q", graph.ErrNoNode, name)
	for _, label := range slices.Backward(labels) {
		path, tryErr := operand.EntryPath(ctx, db, label, name)
		if !errors.Is(tryErr, graph.ErrNoNode) {
			return path, tryErr
		}
	}
	return "", err
}

func logList(a *cli.App, events []history.Event) error {
	w := bufio.NewWriter(a.Stdout)
	p := cli.NewPalette(a)
	widest := 0
	for _, e := range events {
		widest = max(widest, len([]rune(terminal.Printable(e.Build))))
	}
	for i := range events {
		e := &events[i]
		size := ""
		if e.New != nil {
			size = cli.HumanSize(e.New.Size)
		}
		_, _ = fmt.Fprintf(w, "%-*s  %s  %10s  %s%s\n", widest, terminal.Printable(e.Build), p.Paint(kindColour(e.Kind), fmt.Sprintf("%-8s", e.Kind)),
			size, changedName(&e.Change), p.Paint(cli.Faint, remarks(&e.Change)))
	}
	return w.Flush()
}

func logRows(a *cli.App, events []history.Event, format string) error {
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
