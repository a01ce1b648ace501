package main

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// patchCommands returns the commands of this package.
func patchCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newPatchCommand(a), newMountPlanCommand(a)}
}
