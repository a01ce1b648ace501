package compare

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/patch"
	"pakdb/diff/ship/overlay"
	"pakdb/indexer"
	"pakdb/internal/terminal"
	"pakdb/query"
)

func newPatchCheckCommand(a *cli.App) *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check [flags] BASE... PATCH... --against NEW",
		Short: "Prove that base and patches give a build",
		Long: `Mount archives as the game does and compare what it then sees with NEW, file by
file: nothing missing, nothing more, every content equal. Each argument is an
archive, a folder of archives, or the label of a build. What comes later is
mounted over what comes before, where the format has no mount order of its own,
and takes the place of an archive of the same name.

Contents are decoded and compared by their BLAKE3. Of builds in the catalog they
are known, and not read again; ./NAME is a path though there is a build NAME.

An archive that is damaged as a whole is refused, unless --allow-damaged is given.

The exit code is 0 when all is equal, 1 when something differs.`,
		Example: `  pakdb patch check old/Game.pak patch/Game_0_P.pak --against new/Game.pak
  pakdb patch check Paks/ patch/ --against 1.52
  pakdb patch check 1.48 patch/ --against 1.52 --format json`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.against == "" {
				return cli.UsageError(cmd, errors.New("compare with what? pass --against NEW"))
			}
			return runPatchCheck(cmd.Context(), a, opts, args)
		},
	}
	cli.AddAllowDamaged(cmd, &opts.allowDamaged)
	cmd.Flags().StringVar(&opts.against, "against", "", "the build that is wanted: `NEW`, a label, an archive or a folder")
	cli.AddFormat(cmd, &opts.format)
	return cmd
}

// checkOptions are the flags of patch check.
type checkOptions struct {
	against, format string
	allowDamaged    bool
}

func runPatchCheck(ctx context.Context, a *cli.App, opts checkOptions, paths []string) error {
	if err := (query.Output{W: a.Stdout, Format: opts.format}).Check(); err != nil {
		return err
	}
	have, err := mountAll(ctx, a, paths, false)
	if err != nil {
		return err
	}
	want, err := mountAll(ctx, a, []string{opts.against}, true)
	if err != nil {
		return err
	}
	found, err := overlay.RefuseDamaged(a.Registry(), have, want, opts.allowDamaged)
	if err != nil {
		return err
	}
	cli.WarnDamaged(a, found)
	progress := &indexer.Progress{}
	progress.Files.Store(int64(len(have.Mounts) + len(want.Mounts)))
	progress.Bytes.Store(have.Unread() + want.Unread())
	stop := a.ShowProgress(ctx, progress)
	report, err := newDisk(a).Compare(ctx, have, want, func(n int64) { progress.BytesDone.Add(n) })
	stop()
	if err != nil {
		return err
	}
	return printCheck(a, report, opts.format)
}

// mountAll mounts builds and paths in their order, each over those before.
func mountAll(ctx context.Context, a *cli.App, names []string, loose bool) (*overlay.Stack, error) {
	labels, err := cli.KnownBuilds(ctx, a)
	if err != nil {
		return nil, err
	}
	var all *overlay.Stack
	for _, name := range names {
		s, err := mountOne(ctx, a, name, slices.Contains(labels, name), loose)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
		} else {
			all = all.Over(s)
		}
	}
	return all, nil
}

func mountOne(ctx context.Context, a *cli.App, name string, isBuild, loose bool) (*overlay.Stack, error) {
	if !isBuild {
		paths, err := operand.Expand([]string{name})
		if err != nil {
			return nil, err
		}
		s, err := newDisk(a).Stack(ctx, name, paths, loose)
		if err != nil {
			return nil, err
		}
		if len(s.Mounts) == 0 && len(s.Damage) == 0 {
			return nil, fmt.Errorf("%w: no archives in %s", cli.ErrUsage, name)
		}
		return s, nil
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	stacks, err := patch.LoadBuilds(ctx, db, a.Registry(), name)
	if err != nil {
		return nil, err
	}
	return stacks[0], nil
}

func printCheck(a *cli.App, r *overlay.Report, format string) error {
	if format != "" {
		rows, err := a.Rows(format, "kind", "path", "have_archive", "want_archive", "have_size", "want_size", "cause")
		if err != nil {
			return err
		}
		for i := range r.Differences {
			if err := rows.Write(differenceRow(&r.Differences[i])...); err != nil {
				return err
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	} else if err := listCheck(a, r); err != nil {
		return err
	}
	if len(r.Differences) > 0 {
		return cli.ErrProblems
	}
	return nil
}

func listCheck(a *cli.App, r *overlay.Report) error {
	for i := range r.Differences {
		d := &r.Differences[i]
		text := ""
		if d.Err != nil {
			text = ": " + d.Err.Error()
		}
		if _, err := fmt.Fprintf(a.Stdout, "%-10s  %s%s\n", d.Kind, terminal.Printable(d.Path), terminal.PrintableLines(text)); err != nil {
			return err
		}
	}
	if a.Quiet {
		return nil
	}
	verdict := "equal"
	if n := len(r.Differences); n > 0 {
		verdict = cli.Plural(int64(n), "difference", "differences")
	}
	spelled := ""
	if r.Respelled > 0 {
		spelled = fmt.Sprintf(", %s another case", cli.Plural(int64(r.Respelled), "path has", "paths have"))
	}
	if r.Copies > 0 {
		spelled += fmt.Sprintf(", %s in more or fewer copies", cli.Plural(int64(r.Copies), "asset", "assets"))
	}
	_, err := fmt.Fprintf(a.Stdout, "%s, %s: %s%s; %s decoded for it\n", cli.Plural(int64(r.Files), "file", "files"), cli.HumanSize(r.Size),
		verdict, spelled, cli.HumanSize(r.Read))
	return err
}

func differenceRow(d *overlay.Difference) []driver.Value {
	row := []driver.Value{d.Kind, d.Path, nil, nil, nil, nil, nil}
	if d.Have != nil {
		row[2], row[4] = d.Have.Mount.Name, d.Have.Size
	}
	if d.Want != nil {
		row[3], row[5] = d.Want.Mount.Name, d.Want.Size
	}
	if d.Err != nil {
		row[6] = d.Err.Error()
	}
	return row
}
