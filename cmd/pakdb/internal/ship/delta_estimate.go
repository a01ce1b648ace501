package ship

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/transport"
	"pakdb/internal/regular"
)

func newDeltaEstimateCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "estimate [flags] OLD... [--] NEW...",
		Short: "Tell what an update costs, by several ways of transport",
		Long: `Tell what players download from OLD to NEW, which are given as for "delta make":
as whole files that changed; from a store of 1 MiB chunks, as Steam and Epic have,
modelled after what is documented of them; as a patch archive of whole entries; and
as a transport patch, which is made to know its size, and not kept. What applying the
patch compresses again costs most of its CPU: some 20 MB a second on one core, and up
to four cores work at it.

"pakdb diff --stat" tells the same of builds in the catalog, at once and about, or
with --exact as this command does.`,
		Example: `  pakdb delta estimate old/Game.pak new/Game.pak
  pakdb delta estimate builds/1.48 builds/1.52
  pakdb delta estimate builds/1.48 builds/1.52 --format json`,
		Args: cli.Args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			old, new, err := oldAndNew(args, cmd.ArgsLenAtDash())
			if err != nil {
				return cli.UsageError(cmd, err)
			}
			return runDeltaEstimate(cmd.Context(), a, old, new, format)
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

func runDeltaEstimate(ctx context.Context, a *cli.App, old, new []string, format string) (err error) {
	sides, err := openDeltaSides(ctx, a, regular.Read, old, new)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sides.close()) }()
	e, err := transport.Estimate(ctx, a, sides.old.Inputs, sides.new.Inputs)
	if err != nil {
		return err
	}
	if format != "" {
		return transport.WriteRows(a, transport.Ways(e), format)
	}
	return transport.Print(a.Stdout, transport.Ways(e))
}
