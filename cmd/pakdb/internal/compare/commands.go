package compare

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns diff, log, blame and patch.
func Commands(a *cli.App) []*cobra.Command {
	ask := cli.In(cli.GroupCatalog, newDiffCommand(a), newLogCommand(a), newBlameCommand(a))
	return append(ask, cli.In(cli.GroupChange, newPatchCommand(a))...)
}
