// Package compare has the commands that compare builds, diff and log, and those about
// mountable patches, patch build, check and merge.
package compare

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns diff, log, blame and patch.
func Commands(a *cli.App) []*cobra.Command {
	ask := cli.In(cli.GroupCatalog, newDiffCommand(a), newLogCommand(a), newBlameCommand(a))
	return append(ask, cli.In(cli.GroupChange, newPatchCommand(a))...)
}

func newPatchCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "patch",
		Short: "Make and check archives that a game mounts over a build",
		Long: `Make archives that the game itself loads: mounted over the old build they give
the new one. Base and patch are mounted together and compared with the new
build, file by file, before a patch gets its name.`,
		Example: `  pakdb patch build 1.48 1.52 -o Paks/
  pakdb patch check Game/Content/Paks patch/ --against new/Content/Paks`,
	}, newPatchBuildCommand(a), newPatchCheckCommand(a), newPatchMergeCommand(a))
}
