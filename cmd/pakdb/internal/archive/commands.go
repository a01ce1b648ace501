// Package archive has the commands that read archives and contents and need no catalog:
// ls, cat, show, extract and verify; and those that write archives, pack and mod.
package archive

import (
	"errors"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
)

// Commands returns ls, cat, show, extract and verify; pack and mod.
func Commands(a *cli.App) []*cobra.Command {
	look := cli.In(cli.GroupArchives, readsPublished(a, newLsCommand(a)), newCatCommand(a), readsPublished(a, newShowCommand(a)),
		readsPublished(a, newExtractCommand(a)), newVerifyCommand(a))
	return append(look, cli.In(cli.GroupChange, newPackCommand(a), newModCommand(a))...)
}

// readsPublished has a command read files of published builds, which are fetched before it
// runs.
func readsPublished(a *cli.App, cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		args, _, remove, err := operand.FetchPublished(cmd.Context(), a, args)
		defer func() { err = errors.Join(err, remove()) }()
		if err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}
