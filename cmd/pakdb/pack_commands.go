package main

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// packCommands returns the commands of this package.
func packCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newPackCommand(a)}
}
