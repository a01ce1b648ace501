// Package catalog has the commands that make the catalog and ask it: index, query, find,
// refs and rm; export and push, which copy its builds to other engines; and serve, which
// shows it in a browser.
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
