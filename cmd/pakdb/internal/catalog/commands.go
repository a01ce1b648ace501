package catalog

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns index, merge, query, find, shell, deps, refs, rm, catalog, export, push
// and serve.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newIndexCommand(a), newMergeCommand(a), newQueryCommand(a), newFindCommand(a), newShellCommand(a), newDepsCommand(a), newRefsCommand(a),
		newRmCommand(a), newCatalogCommand(a), newExportCommand(a), newPushCommand(a), newServeCommand(a),
	}
}
