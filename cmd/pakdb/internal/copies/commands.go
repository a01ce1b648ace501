package copies

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns export and push.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newExportCommand(a), newPushCommand(a)}
}
