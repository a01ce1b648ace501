package archive

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
)

func newUnpackCommand(a *cli.App) *cobra.Command {
	opts := extractOptions{mounted: true}
	cmd := &cobra.Command{
		Use:   "unpack [flags] ARCHIVE... [GLOB...] -o DIR",
		Short: "Write entries into a folder, where the game would see them",
		Long: `Write the decoded content of entries into a folder that stands for the root of
the game: as "pakdb extract" does, but behind the mount point of the archive. Of
the entry Maps/A.umap of a pak that is mounted at ../../../Game/Content/ the
content goes to DIR/Game/Content/Maps/A.umap; ../../../ and drive letters fall
away, and nothing is written outside DIR.

` + operand.Help + `
Of a build that is named as a whole the game's files are written, and not what others
are mounted over.

Patterns are for the paths as the archive stores them, without the mount point.
` + operand.GlobHelp,
		Example: `  pakdb unpack Game-WindowsNoEditor.pak -o game
  pakdb unpack Game_0_P.pak -o game --overwrite
  pakdb unpack 1.52 -o game`,
	}
	addExtract(a, cmd, &opts)
	return cmd
}
