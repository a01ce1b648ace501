package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pakdb/diff"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
)

func newDeltaEstimateCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "estimate [flags] OLD... [--] NEW...",
		Short: "Tell what an update costs, by several ways of transport",
		Long: `Tell what players download from OLD to NEW, which are given as for "delta make":
as whole files that changed; from a store of 1 MiB chunks, as Steam and Epic have,
modelled after what is documented of them; as a patch archive of whole entries; and
as a transport patch, which is made to know its size, and not kept.

"pakdb diff --stat" tells the same of builds in the catalog, at once and about, or
with --exact as this command does.`,
		Example: `  pakdb delta estimate old/Game.pak new/Game.pak
  pakdb delta estimate builds/1.48 builds/1.52
  pakdb delta estimate builds/1.48 builds/1.52 --format json`,
		Args: usage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			old, new, err := oldAndNew(args, cmd.ArgsLenAtDash())
			if err != nil {
				return usageError(cmd, err)
			}
			return runDeltaEstimate(cmd.Context(), a, old, new, format)
		},
	}
	addFormat(cmd, &format)
	return cmd
}

func runDeltaEstimate(ctx context.Context, a *app, old, new []string, format string) (err error) {
	sides, err := openDeltaSides(ctx, a, old, new)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sides.close()) }()
	e, err := estimateDelta(ctx, a, sides.old.Inputs, sides.new.Inputs)
	if err != nil {
		return err
	}
	if format != "" {
		return downloadRows(a, downloadsOf(e), format)
	}
	return printDownloads(a.stdout, downloadsOf(e))
}

// estimateDelta makes the patch to know its size.
func estimateDelta(ctx context.Context, a *app, old, new []pkdelta.Input) (*maker.Estimate, error) {
	debug.SetMemoryLimit(makeMemory)
	watched, stop := a.watchPatch(ctx)
	defer stop()
	return maker.NewEstimate(watched, old, new, os.TempDir(), &maker.MakeOptions{Registry: a.registry(), Open: a.openOptions()})
}

func downloadsOf(e *maker.Estimate) []diff.Download {
	return []diff.Download{
		{Way: diff.WayBuild, Bytes: e.New, Parts: int64(e.Files), Of: int64(e.Files), Exact: true},
		{Way: diff.WayFiles, Bytes: e.Whole, Parts: int64(e.WholeFiles), Of: int64(e.Files), Exact: true},
		{Way: diff.WayChunks, Bytes: e.Chunks, Parts: int64(e.Missing), Of: int64(e.Total), Exact: true},
		{Way: diff.WayEntries, Bytes: e.Entries, Parts: int64(e.Changed), Of: int64(e.Stored), Exact: true},
		{Way: diff.WayDelta, Bytes: e.Delta, Exact: true},
	}
}
