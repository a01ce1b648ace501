package compare

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns diff and log.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newDiffCommand(a), newLogCommand(a)}
}
