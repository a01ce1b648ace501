package catalog

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns index, query, find, refs and rm; serve, export and push.
func Commands(a *cli.App) []*cobra.Command {
	return cli.In(cli.GroupCatalog, newIndexCommand(a), newQueryCommand(a), newFindCommand(a), newRefsCommand(a), newRmCommand(a),
		newServeCommand(a), newExportCommand(a), newPushCommand(a))
}
