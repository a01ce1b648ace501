package main

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// shipCommands returns the commands of this package.
func shipCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newDeltaCommand(a), newKeygenCommand(a), newPakCommand(a), newPublishCommand(a), newUpdateCommand(a), newStoreCommand(a)}
}
