package ship

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns delta, keygen, publish, update and store.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newDeltaCommand(a), newKeygenCommand(a), newPublishCommand(a), newUpdateCommand(a), newStoreCommand(a),
	}
}
