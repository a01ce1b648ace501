package catalog

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/shell"
	"pakdb/query"
)

func newShellCommand(app *cli.App) *cobra.Command {
	var format string
	var memory cli.ByteSize
	cmd := &cobra.Command{
		Use:   "shell",
		Short: "Ask the catalog at a prompt",
		Long: `Ask the catalog at a prompt, in SQL that ends at a semicolon, with named queries
(@name) and commands (.help). .views shows what there is, .views NAME the columns of
a view. Tab completes views, columns, functions, queries and builds; the arrow keys
bring back what was asked before, a statement of several lines as one. Tables fit the
terminal, and what is more than a screen goes through PAGER, as for "pakdb query".
Colours need a terminal, and NO_COLOR not to be set. Ctrl-C ends the
statement that runs, Ctrl-D the shell. Nothing that is asked can write to the
catalog. A function that cannot be interrupted, such as instr on texts of many
megabytes, is left behind by Ctrl-C, and runs on until it is done or you leave.

When standard input or output is not a terminal, standard input is read for the
same, and the first error ends it.`,
		Example: `  pakdb shell
  pakdb shell --catalog old.db --format line
  pakdb shell < report.sql`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, closeDB, err := cli.OpenQueries(cmd.Context(), app, memory)
			if err != nil {
				return err
			}
			defer closeDB()
			all, err := query.Load(query.UserQueries())
			if err != nil {
				return err
			}
			return shell.Run(cmd.Context(), shell.Config{DB: db, Library: all, In: app.Stdin, Out: app.Stdout,
				Err: app.Stderr, Format: format, History: historyFile()})
		},
	}
	cli.AddMemory(cmd, &memory)
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(query.Formats(), ", "))
	cli.CompleteFlag(cmd, "format", query.Formats()...)
	return cmd
}

// historyFile is in the user's state folder, where there is such a thing, else
// in the one for configuration; "" when there is none at all.
func historyFile() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pakdb", "history")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pakdb", "history")
}
