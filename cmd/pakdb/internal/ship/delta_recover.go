package ship

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/internal/regular"
	"pakdb/internal/terminal"
)

func newDeltaRecoverCommand(a *cli.App) *cobra.Command {
	var forget bool
	cmd := &cobra.Command{
		Use:   "recover [flags] DIR",
		Short: "Finish an update of files that was interrupted",
		Long: `Finish an update by "pakdb delta apply --in-place" of the files in DIR that was
interrupted. "delta apply" does so by itself.

A file that was moved away, or replaced, in the middle of its update cannot be
finished; what is kept for it stays until it is back where it was. With --forget
it is given up instead: all others are finished, and the update is over.`,
		Example: `  pakdb delta recover Paks
  pakdb delta recover --forget Paks`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var did bool
			var lost []error
			err := inFolder(args[0], func(root *os.Root) (err error) {
				if forget {
					did, lost, err = apply.Forget(cmd.Context(), root)
				} else {
					did, err = apply.Recover(cmd.Context(), root)
				}
				return err
			})
			if err != nil {
				return recoverHint(err, args[0])
			}
			return printRecovered(a, did, lost)
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "give up files that are gone or replaced since the update was interrupted")
	return cmd
}

func printRecovered(a *cli.App, did bool, lost []error) error {
	for _, err := range lost {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: given up: "+terminal.PrintableLines(err.Error()))
	}
	if a.Quiet {
		return nil
	}
	text := "no update was interrupted"
	switch {
	case len(lost) > 0:
		text = "the update is over; all other files are whole"
	case did:
		text = "the files are whole again"
	}
	_, err := fmt.Fprintln(a.Stdout, text)
	return err
}

// recoverHint is for errors about files of a folder whose update was interrupted.
func recoverHint(err error, dir string) error {
	if errors.Is(err, apply.ErrGone) || errors.Is(err, delta.ErrResult) && apply.IsInterrupted(dir) {
		return cli.WithHint(err, fmt.Sprintf("put the file back where it was and run this again, or give it up: pakdb delta recover --forget %s", dir))
	}
	return err
}

// inFolder runs do while nobody else updates the files of a folder.
func inFolder(dir string, do func(root *os.Root) error) error {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	release, err := apply.Lock(dir)
	if err == nil {
		err = errors.Join(do(root), release())
	}
	return errors.Join(err, root.Close())
}

// WarnInterrupted tells if files that a command names are those of an update that
// was interrupted. Commands that finish it do not need to.
func WarnInterrupted(a *cli.App, cmd *cobra.Command, args []string) {
	if slices.Contains([]string{"apply", "recover", "update"}, cmd.Name()) {
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
			if apply.IsInterrupted(dir) {
				_, _ = fmt.Fprintf(a.Stderr, "pakdb: warning: an update of the files in %s was interrupted; \"pakdb delta recover\" finishes it\n", terminal.PrintableLines(dir))
			}
		}
	}
}
