package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pakdb/diff/patch"
)

func newDeltaEstimateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "estimate OLD... [--] NEW...",
		Short: "Tell what an update costs, by several ways of transport",
		Long: `Tell what players download from OLD to NEW, which are given as for "delta make":
as whole files that changed; from a store of 1 MiB chunks, as Steam and Epic have,
modelled after what is documented of them; as a patch archive of whole entries; and
as a transport patch, which is made to know its size, and not kept.`,
		Example: `  pakdb delta estimate old/Game.pak new/Game.pak
  pakdb delta estimate builds/1.48 builds/1.52`,
		Args: usage(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			old, new, err := oldAndNew(args, cmd.ArgsLenAtDash())
			if err != nil {
				return usageError(cmd, err)
			}
			return a.deltaEstimate(cmd.Context(), old, new)
		},
	}
}

func (a *app) deltaEstimate(ctx context.Context, old, new []string) (err error) {
	debug.SetMemoryLimit(makeMemory)
	from, err := patch.OpenFiles(old)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := patch.OpenFiles(new)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	e, err := patch.NewEstimate(ctx, from.Inputs, to.Inputs, os.TempDir(), &patch.MakeOptions{Registry: a.registry(), Open: a.openOptions()})
	if err != nil {
		return err
	}
	return a.printEstimate(e)
}

func (a *app) printEstimate(e *patch.Estimate) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range []struct {
		bytes int64
		what  string
	}{
		{e.New, "the new files"},
		{e.Whole, "files that changed, whole"},
		{e.Chunks, fmt.Sprintf("chunks of 1 MiB, %d of %d, by zstd", e.Missing, e.Total)},
		{e.Entries, fmt.Sprintf("%s that changed, whole", plural(int64(e.Changed), "entry", "entries"))},
		{e.Delta, "transport patch"},
	} {
		if _, err := fmt.Fprintf(w, "%d\t%s\t%s\t  %s\n", row.bytes, humanSize(row.bytes), percent(row.bytes, e.New), row.what); err != nil {
			return err
		}
	}
	return w.Flush()
}
