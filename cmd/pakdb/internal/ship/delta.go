package ship

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/internal/regular"
)

func newDeltaCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "delta",
		Short: "Make and apply the smallest download between builds",
		Long: `Make and apply transport patches: files by which one or many archives become
others, bit for bit, with the smallest download. Compressed blocks are decoded,
compared, and compressed again exactly as before. The game never sees such a
patch; archives that a game mounts over a build are made by "pakdb patch
build".`,
		Example: `  pakdb delta make old/Game.pak new/Game.pak -o game.pkdelta
  pakdb delta apply game.pkdelta old/Game.pak -o patched/`,
	}, newDeltaMakeCommand(a), newDeltaApplyCommand(a), newDeltaVerifyCommand(a))
}

func newDeltaMakeCommand(a *cli.App) *cobra.Command {
	var opts makeOptions
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "make [flags] OLD... [--] NEW... -o FILE",
		Short: "Make the patch from old files to new ones",
		Long: `Make the patch that turns OLD into NEW: archives, folders with all below them,
or builds of the catalog. With more than two arguments, those before "--" are
old. Other files are patched as bytes. Symbolic links out of a folder are
refused. The patch is verified while it is made, then renamed into place; that
needs room for it twice.

With AES keys encrypted entries are compared decrypted: the patch then has the
new contents in the clear, and applying it takes the keys. --dry-run prints the
download by each transport. "pakdb help transports" compares these.`,
		Example: `  pakdb delta make 1.48 1.52 -o 1.48-1.52.pkdelta --sign release.key
  pakdb delta make builds/1.48 builds/1.52 --dry-run --format json
  pakdb delta make --effort best -o all.pkdelta old/*.pak -- new/*.pak`,
		Args:              cli.Args(cobra.MinimumNArgs(2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteArchives),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.effort != "normal" && opts.effort != "best" {
				return cli.UsageError(cmd, fmt.Errorf("--effort %q: want normal or best", opts.effort))
			}
			old, new, err := oldAndNew(args, cmd.ArgsLenAtDash())
			if err != nil {
				return cli.UsageError(cmd, err)
			}
			if opts.format != "" && opts.format != "json" && !opts.dryRun {
				return cli.UsageError(cmd, errors.New("but for json, --format is for --dry-run"))
			}
			if opts.dryRun {
				return planDelta(cmd.Context(), a, old, new, opts)
			}
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o FILE, or --dry-run"))
			}
			if err := cli.RefuseExisting(opts.out, overwrite); err != nil {
				return err
			}
			return runDeltaMake(cmd.Context(), a, old, new, opts)
		},
	}
	opts.effort = "normal"
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "dry-run", &opts.dryRun)
	cli.AddFormat(cmd, &opts.format)
	cli.Flag(cmd, "overwrite", &overwrite)
	cli.Flag(cmd, "effort", &opts.effort)
	cli.CompleteFlag(cmd, "effort", "normal", "best")
	cli.AddAllowDamaged(cmd, &opts.allowDamaged)
	cli.AddFollowOutside(cmd, &opts.outside)
	cli.Flag(cmd, "sign", &opts.key.file)
	cmd = cli.Reporting(a, cmd, cli.Delta{})
	cli.Exclusive(cmd, "dry-run", "output")
	return cmd
}

// planDelta prints what players download by each way of transport.
func planDelta(ctx context.Context, a *cli.App, old, new []string, opts makeOptions) (err error) {
	sides, err := openDeltaSides(ctx, a, regular.Shipping(opts.outside), old, new)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sides.close()) }()
	e, err := cli.Estimate(ctx, a, sides.old.Inputs, sides.new.Inputs, maker.MakeOptions{Best: opts.effort == "best"})
	if err != nil {
		return err
	}
	if opts.format != "" {
		return cli.WriteRows(a, cli.Ways(e), opts.format)
	}
	return cli.Print(a.Stdout, cli.Ways(e))
}

func runDeltaMake(ctx context.Context, a *cli.App, old, new []string, opts makeOptions) (err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(cli.MakeMemory))
	secret, err := opts.key.read(ctx, a)
	if err != nil {
		return err
	}
	sides, err := openDeltaSides(ctx, a, regular.Shipping(opts.outside), old, new)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sides.close()) }()
	if name, ok := sides.has(opts.out); ok {
		return cli.WithHint(fmt.Errorf("%w: the patch would be written over %s, which it is made from", cli.ErrUsage, name), "write it elsewhere, or move that away")
	}
	found, err := delta.FindDamage(ctx, a.Registry(), delta.Side{Name: "old", Inputs: sides.old.Inputs, Open: a.OpenOptions()},
		delta.Side{Name: "new", Inputs: sides.new.Inputs, Open: a.OpenOptions()})
	if err != nil {
		return err
	}
	if err := cli.RefuseDamaged(a, found, opts.allowDamaged); err != nil {
		return err
	}
	started := time.Now()
	watched, stop := a.WatchPatch(ctx)
	defer stop()
	h, s, err := maker.MakeFile(watched, opts.out, sides.old.Inputs, sides.new.Inputs, &maker.MakeOptions{
		Registry: a.Registry(), Open: a.OpenOptions(), Best: opts.effort == "best",
	})
	if err == nil && secret != nil {
		err = delta.SignFile(ctx, opts.out, secret)
	}
	stop()
	if err != nil {
		return err
	}
	a.Result.Done(cli.MadeDelta(opts.out, h, s, secret))
	if a.Quiet {
		return nil
	}
	return printMade(a, opts.out, h, s, time.Since(started))
}

// makeOptions are the flags of "delta make".
type makeOptions struct {
	out          string
	effort       string
	allowDamaged bool
	dryRun       bool
	format       string
	outside      bool // follow links out of the folders
	key          secretKey
}

func printMade(a *cli.App, out string, h *delta.Header, s *maker.Stats, took time.Duration) error {
	var size int64
	for _, f := range h.New {
		size += f.Size
	}
	if _, err := fmt.Fprintf(a.Stdout, "%s: %s for %s of new files (%s), in %v\n", out, cli.HumanSize(h.Length()), cli.HumanSize(size),
		cli.Percent(h.Length(), size), took.Round(time.Millisecond)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.Stdout, "copied %s, coded %s, derived %s", cli.HumanSize(s.Copied), cli.HumanSize(s.Raw), cli.HumanSize(s.Derived)); err != nil {
		return err
	}
	for _, r := range sortedRecipes(s.Made) {
		if _, err := fmt.Fprintf(a.Stdout, ", made by %v %s", r, cli.HumanSize(s.Made[r])); err != nil {
			return err
		}
	}
	if s.Sealed > 0 {
		if _, err := fmt.Fprintf(a.Stdout, ", %s of all that by AES", cli.HumanSize(s.Sealed)); err != nil {
			return err
		}
	}
	if len(h.Keys) > 0 {
		if _, err := fmt.Fprintf(a.Stdout, "\ncontents that are encrypted in the files are in the clear in the patch; applying takes %s",
			cli.Plural(int64(len(h.Keys)), "key", "keys")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.Stdout, "\nproved: applied to the old files, it gives the new ones\n")
	return err
}

func sortedRecipes(made map[delta.Recipe]int64) (list []delta.Recipe) {
	for r := range made {
		list = append(list, r)
	}
	slices.SortFunc(list, func(x, y delta.Recipe) int {
		if made[x] != made[y] {
			return int(min(1, max(-1, made[y]-made[x])))
		}
		return slices.Compare(x.Params[:], y.Params[:])
	})
	return list
}
