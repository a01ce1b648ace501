package catalog

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns index, query, shell, deps, refs, rm and catalog.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newIndexCommand(a), newQueryCommand(a), newShellCommand(a), newDepsCommand(a), newRefsCommand(a),
		newRmCommand(a), newCatalogCommand(a),
	}
}
