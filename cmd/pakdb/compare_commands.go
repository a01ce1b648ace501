package main

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// compareCommands returns the commands of this package.
func compareCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newDiffCommand(a), newLogCommand(a)}
}
