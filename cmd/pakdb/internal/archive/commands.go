package archive

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns ls, cat, show, extract and verify; pack and mod.
func Commands(a *cli.App) []*cobra.Command {
	look := cli.In(cli.GroupArchives, newLsCommand(a), newCatCommand(a), newShowCommand(a), newExtractCommand(a), newVerifyCommand(a))
	return append(look, cli.In(cli.GroupChange, newPackCommand(a), newModCommand(a))...)
}
