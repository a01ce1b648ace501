package ship

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta/apply"
)

func newDeltaApplyCommand(a *cli.App) *cobra.Command {
	var opts applyOptions
	cmd := &cobra.Command{
		Use:   "apply [flags] FILE.pkdelta OLD... -o DIR",
		Short: "Make the new files of a patch from the old ones",
		Long: `Make the new files in DIR. OLD are files, or folders that hold them; they are
recognised by content, whatever their names, and only read. The files found, the
bytes to write and the free space are printed first.

A new file gets its name when its hash is right and it is on the disk. An error, or
a wrong old file, leaves no partial output; after an interruption the same command
continues where it stopped. DIR may be the folder of the old files: they are
replaced when all new ones are complete. A file of the old version that the new one
does not have is removed from DIR, or kept with --keep. One that was changed stays,
and is named. Files that neither version has are never touched. On Linux and macOS
new files are executable as they were where the patch was made. A patch that was made with keys of
encrypted archives takes the same ones, by --aes-key, --keys or PAKDB_AES_KEY.

--in-place writes no second copy: what differs goes to a journal in DIR, and from
there into the files. An interrupted update has not happened, or is finished by the
next command on DIR; between the two the files are not to be used.`,
		Example: `  pakdb delta apply game.pkdelta old/Game.pak -o patched/
  pakdb delta apply 1.48-1.52.pkdelta builds/1.48 -o builds/1.52
  pakdb delta apply game.pkdelta Game.pak -o . --dry-run
  pakdb delta apply game.pkdelta Paks -o Paks --in-place`,
		Args: cli.Args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("write where to? pass -o DIR"))
			}
			if err := opts.keys.Load(&a.Keys); err != nil {
				return err
			}
			return runDeltaApply(cmd.Context(), a, args[0], args[1:], opts)
		},
	}
	cmd.Flags().StringVarP(&opts.out, "output", "o", "", "the folder `DIR`, made if need be")
	cmd.Flags().BoolVarP(&opts.dryRun, "dry-run", "n", false, "tell what was found and would be written, and write nothing")
	cmd.Flags().BoolVar(&opts.inPlace, "in-place", false, "change the files in DIR where they are")
	cmd.Flags().BoolVar(&opts.keep, "keep", false, "keep files of the old version that the new one does not have")
	cmd.Flags().StringVar(&opts.key, "key", "", "refuse patches that the public `KEY` (a file, or its text) does not verify")
	opts.keys.Add(cmd)
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

type applyOptions struct {
	keys                  cli.TargetKeys
	out, key              string
	dryRun, inPlace, keep bool
}

func newApplyOptions(a *cli.App, opts applyOptions) *apply.ApplyOptions {
	o := &apply.ApplyOptions{DryRun: opts.dryRun, Keep: opts.keep, Keys: opts.keys.All(&a.Keys)}
	if opts.inPlace {
		o.Mode = apply.InPlace
	}
	return o
}

func runDeltaApply(ctx context.Context, a *cli.App, file string, old []string, opts applyOptions) (err error) {
	debug.SetMemoryLimit(applyMemory)
	if err := checkFileKey(file, opts.key); err != nil { // before old files are read for it
		return err
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
