package compare

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns diff, log, patch and mount-plan.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newDiffCommand(a), newLogCommand(a), newPatchCommand(a), newMountPlanCommand(a)}
}
