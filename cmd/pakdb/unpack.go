package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newUnpackCommand(a *app) *cobra.Command {
	f := extractFlags{mounted: true}
	cmd := &cobra.Command{
		Use:   "unpack [flags] ARCHIVE [GLOB...] -o DIR",
		Short: "Write entries into a folder, where the game would see them",
		Long: `Write the decoded content of entries into a folder that stands for the root of
the game: as "pakdb extract" does, but behind the mount point of the archive. Of
the entry Maps/A.umap of a pak that is mounted at ../../../Game/Content/ the
content goes to DIR/Game/Content/Maps/A.umap; ../../../ and drive letters fall
away, and nothing is written outside DIR.

Patterns are for the paths as the archive stores them, without the mount point.
` + globHelp,
		Example: `  pakdb unpack Game-WindowsNoEditor.pak -o game
  pakdb unpack Game_0_P.pak -o game --overwrite`,
		Args:              usage(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return usageError(cmd, errors.New("unpack where to? pass -o DIR"))
			}
			if f.format != "" && !f.dryRun {
				return usageError(cmd, errors.New("--format is for --dry-run"))
			}
			return a.extract(cmd.Context(), f, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "the folder `DIR`, made if need be")
	flags.BoolVarP(&f.fold, "ignore-case", "i", false, "patterns ignore case")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace files that are there")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "show what goes where, and write nothing")
	a.addFormat(cmd, &f.format)
	_ = cmd.MarkFlagDirname("output")
	return cmd
}
