package main

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// catalogCommands returns the commands of this package.
func catalogCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newIndexCommand(a), newQueryCommand(a), newShellCommand(a), newDepsCommand(a), newRefsCommand(a), newRmCommand(a), newCatalogCommand(a)}
}
