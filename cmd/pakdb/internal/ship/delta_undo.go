package ship

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/pkdelta/apply"
)

func newDeltaUndoCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "undo FILE.pkundo DIR",
		Short: "Take back an update in place",
		Long: `Take back an update that "pakdb delta apply --keep-undo FILE" made of the files in
DIR, with --in-place. They must be as it left them; else nothing is changed. Files
that the update added are removed.`,
		Example: `  pakdb delta undo Paks/back.pkundo Paks`,
		Args:    cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDeltaUndo(cmd.Context(), a, args[0], args[1])
		},
	}
}

func runDeltaUndo(ctx context.Context, a *cli.App, file, dir string) error {
	err := inFolder(dir, func(root *os.Root) error { return apply.Undo(ctx, file, root) })
	if err != nil || a.Quiet {
		return recoverHint(err, dir)
	}
	_, err = fmt.Fprintln(a.Stdout, "taken back: the files are as they were before the update")
	return err
}
