package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/archive"
	"pakdb/cmd/pakdb/internal/catalog"
	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/compare"
	"pakdb/cmd/pakdb/internal/ship"
)

// command builds the tree of commands.
func command(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "pakdb",
		Short: "git and SQL for game archives",
		Long: `pakdb scans the archives of a game, build by build, into one SQLite catalog.
On the catalog people run SQL; archives can also be listed, read, extracted and
verified without one.

Exit codes: 0 done; 1 problems or differences were found, or a file is damaged,
does not fit or is in the way; 2 usage; 3 catalog; 4 failed: I/O, network, no
room, time limit, or a fault of pakdb; 130 interrupted.`,
		Example: `  pakdb index --build 1.52 "/games/mh-1.52/Data/Game/*.sip"
  pakdb diff 1.48 1.52
  pakdb query "SELECT ext, count(*) FROM entries GROUP BY ext"
  pakdb query @largest
  pakdb ls -l Calligraphy.sip "*.curve"`,
		Version:       versionText(a),
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			ship.WarnInterrupted(a, cmd, args)
			return a.Begin(cmd)
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.UsageError(cmd, err) })
	a.AddFlags(root)
	return cli.Group(root, slices.Concat(
		catalog.Commands(a), archive.Commands(a), compare.Commands(a), ship.Commands(a),
		[]*cobra.Command{newFormatsCommand(a), newVersionCommand(a), newManCommand()},
	)...)
}

// execute runs the command that args name and returns its exit code.
func execute(ctx context.Context, a *cli.App, args []string) int {
	cmd := command(a)
	explainBash(cmd)
	cmd.SetArgs(commented(args))
	return a.Run(ctx, cmd.ExecuteContext)
}

// commented returns arguments in which SQL that begins with a comment does not begin with
// hyphens, and so is no flag.
func commented(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.HasPrefix(arg, "-- ") && strings.Contains(arg, "\n") {
			args[i] = "\n" + arg
		}
	}
	return args
}
