package catalog

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns index, query, find, refs and rm; serve, export and push.
func Commands(a *cli.App) []*cobra.Command {
	ask := cli.In(cli.GroupCatalog, newIndexCommand(a), newQueryCommand(a), newFindCommand(a), newRefsCommand(a), newRmCommand(a))
	return append(ask, cli.In(cli.GroupOther, newServeCommand(a), newExportCommand(a), newPushCommand(a))...)
}
