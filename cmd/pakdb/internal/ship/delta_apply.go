package ship

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/internal/regular"
	"pakdb/internal/terminal"
)

func newDeltaApplyCommand(a *cli.App) *cobra.Command {
	var opts applyOptions
	cmd := &cobra.Command{
		Use:   "apply [flags] FILE.pkdelta OLD... -o DIR",
		Short: "Make the new files of a patch from the old ones",
		Long: `Make the new files of a patch in a folder. OLD are files, or folders that hold
them; they are recognised by content, and only read. Costs are printed first. A
new file is verified before it gets its name; an interrupted run continues when
it is repeated. The output may be the folder of OLD: files that NEW lacks are
then removed (--keep-old keeps them), changed ones are kept and named.

--in-place writes no second copy, by a journal in the folder. After an
interruption run the same command again before the files are used.`,
		Example: `  pakdb delta apply 1.48-1.52.pkdelta builds/1.48 -o builds/1.52
  pakdb delta apply game.pkdelta Game.pak -o . --dry-run
  pakdb delta apply game.pkdelta Paks -o Paks --in-place --trust release.key.pub`,
		Args: cli.Args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o DIR"))
			}
			return runDeltaApply(cmd.Context(), a, args[0], args[1:], opts)
		},
	}
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "dry-run", &opts.dryRun)
	cmd.Flags().BoolVar(&opts.inPlace, "in-place", false, "change the files where they are")
	cmd.Flags().BoolVar(&opts.keep, "keep-old", false, "keep old files that the new version lacks")
	cmd.Flags().BoolVar(&opts.forget, "forget", false, "give up files lost during an interrupted update")
	cli.Flag(cmd, "trust", &opts.key)
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

type applyOptions struct {
	out, key              string
	dryRun, inPlace, keep bool
	forget                bool
}

func newApplyOptions(a *cli.App, opts applyOptions) *apply.ApplyOptions {
	o := &apply.ApplyOptions{DryRun: opts.dryRun, Keep: opts.keep, Keys: a.Keys.Ring.All()}
	if opts.inPlace {
		o.Mode = apply.InPlace
	}
	return o
}

func runDeltaApply(ctx context.Context, a *cli.App, file string, old []string, opts applyOptions) (err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(applyMemory))
	if err := checkFileKey(file, opts.key); err != nil { // before old files are read for it
		return err
	}
	if opts.forget {
		if err := forgetLost(ctx, a, opts.out); err != nil {
			return err
		}
	}
	watched, stop := a.WatchPatch(ctx)
	p, err := apply.NewPlan(watched, file, old, opts.out)
	stop()
	if err != nil {
		return deltaHint(recoverHint(err, opts.out))
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := checkKey(p.Header, file, opts.key); err != nil { // of what is applied
		return err
	}
	watched, stop = a.WatchPatch(ctx)
	err = p.Prepare(watched, newApplyOptions(a, opts))
	stop()
	if err != nil {
		return deltaHint(err)
	}
	if !a.Quiet {
		if err := p.Describe(a.Stdout); err != nil {
			return err
		}
	}
	if opts.dryRun {
		return nil
	}
	watched, stop = a.WatchPatch(ctx)
	err = p.Apply(watched)
	stop()
	if err != nil {
		return deltaHint(err)
	}
	if a.Quiet || p.Applied {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "done: %s in %s, each as its hash says\n", cli.Plural(int64(len(p.Header.New)), "file", "files"), filepath.Clean(opts.out))
	return err
}

// applyMemory is the same while one is applied.
const applyMemory = 32 << 20

// forgetLost finishes an interrupted update of the files in a folder without those that
// are gone or were replaced since.
func forgetLost(ctx context.Context, a *cli.App, dir string) (err error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	release, err := apply.Lock(dir)
	if err != nil {
		return err
	}
	_, lost, err := apply.Forget(ctx, root)
	for _, err := range lost {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: given up: "+terminal.PrintableLines(err.Error()))
	}
	return errors.Join(err, release())
}

// recoverHint is for errors about files of a folder whose update was interrupted.
func recoverHint(err error, dir string) error {
	if errors.Is(err, apply.ErrGone) || errors.Is(err, delta.ErrResult) && apply.IsInterrupted(dir) {
		return cli.WithHint(err, "put the file back where it was and run this again, or give it up: pakdb delta apply --forget")
	}
	return err
}

// WarnInterrupted warns of arguments in a folder whose update was interrupted. The commands
// that finish it need no warning.
func WarnInterrupted(a *cli.App, cmd *cobra.Command, args []string) {
	if slices.Contains([]string{"apply", "update"}, cmd.Name()) {
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
				a.Warn("an update of the files in " + dir + " was interrupted; repeat \"pakdb delta apply\" or \"pakdb update\" to finish it")
			}
		}
	}
}
