package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/diff/patch"
)

func newDeltaRecoverCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "recover DIR",
		Short: "Finish an update of files that was interrupted",
		Long: `Finish an update by "pakdb delta apply --in-place" or "--append" of the files in DIR
that was interrupted, or take it back where it cannot be finished. "delta apply"
and "delta undo" do so by themselves.`,
		Example: `  pakdb delta recover Paks`,
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var did bool
			err := inFolder(args[0], func(root *os.Root) (err error) {
				did, err = patch.Recover(cmd.Context(), root)
				return err
			})
			if err != nil || a.quiet {
				return err
			}
			text := "no update was interrupted"
			if did {
				text = "the files are whole again"
			}
			_, err = fmt.Fprintln(a.stdout, text)
			return err
		},
	}
}

// inFolder runs do while nobody else updates the files of a folder.
func inFolder(dir string, do func(root *os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	release, err := patch.Lock(dir)
	if err == nil {
		err = errors.Join(do(root), release())
	}
	return errors.Join(err, root.Close())
}

// warnInterrupted tells if files that a command names are those of an update that
// was interrupted. Commands that finish it do not need to.
func (a *app) warnInterrupted(cmd *cobra.Command, args []string) {
	if slices.Contains([]string{"apply", "undo", "recover", "compact"}, cmd.Name()) {
		return
	}
	seen := map[string]bool{}
	for _, arg := range args {
		dir, err := filepath.Abs(arg)
		if err != nil {
			continue
		}
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if patch.IsInterrupted(dir) {
				_, _ = fmt.Fprintf(a.stderr, "pakdb: warning: an update of the files in %s was interrupted; \"pakdb delta recover\" finishes it\n", printableLines(dir))
			}
		}
	}
}
