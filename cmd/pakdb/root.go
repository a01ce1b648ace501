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
		Long: `pakdb is git and SQL for game archives. It scans the builds of a game into one
SQLite catalog, and also works on archives directly.`,
		Example: `  pakdb index --build 1.52 "/games/mh-1.52/Data/Game/*.sip"
  pakdb diff 1.48 1.52
  pakdb query @largest`,
		Version:       versionText(a),
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := cmd.ValidateRequiredFlags(); err != nil { // cobra itself has no class for it
				return cli.UsageError(cmd, err)
			}
			ship.WarnInterrupted(a, cmd, args)
			return a.Begin(cmd)
		},
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(cli.FlagError)
	a.AddFlags(root)
	cli.Group(root, slices.Concat(
		archive.Commands(a), catalog.Commands(a), compare.Commands(a), ship.Commands(a), cli.In(cli.GroupArchives, newFormatsCommand(a)),
		[]*cobra.Command{newVersionCommand(a), newManCommand(), catalog.Topic()},
	)...)
	if mod, _, err := root.Find([]string{"mod"}); err == nil {
		mod.AddCommand(compare.ModCommands(a)...)
	}
	cli.AddHelp(root)
	return root
}

// execute runs the command that args name and returns its exit code.
func execute(ctx context.Context, a *cli.App, args []string) int {
	cmd := command(a)
	explainBash(cmd)
	if completion, _, err := cmd.Find([]string{"completion"}); err == nil {
		completion.Hidden = true
	}
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
