// Package ship has the commands that bring builds to players: delta for transport patches;
// publish, store and update for stores.
package ship

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns delta; publish, update and store.
func Commands(a *cli.App) []*cobra.Command {
	change := cli.In(cli.GroupChange, newDeltaCommand(a))
	return append(change, cli.In(cli.GroupShip, newPublishCommand(a), newUpdateCommand(a), newStoreCommand(a))...)
}
