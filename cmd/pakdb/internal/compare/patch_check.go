package compare

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/overlay"
	"pakdb/indexer"
	"pakdb/internal/terminal"
	"pakdb/query"
)

func newPatchCheckCommand(a *cli.App) *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check [flags] BASE... [PATCH...]",
		Short: "Compare mounted archives with a build",
		Long: `Mount archives as the game does and compare the result with NEW, file by file:
none missing, none more, all contents equal. Each argument is an archive, a
folder or a build; later ones are mounted over earlier ones where the format
has no order.

Without --against, show the builds that a folder of patches leads to, by the
manifests of its patches: archives to keep, to remove, and missing ones. An
asterisk marks the build that the game sees now. The exit code is 1 when
something differs.`,
		Example: `  pakdb patch check Paks/ patch/ --against 1.52
  pakdb patch check 1.48 patch/ --against new/Content/Paks --format json
  pakdb patch check Game/Content/Paks`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opts.against != "":
			case len(args) > 1:
				return cli.UsageError(cmd, errors.New("no build to compare with: pass --against NEW"))
			default:
				return runPatchLog(cmd.Context(), a, args[0], opts.format)
			}
			return runPatchCheck(cmd.Context(), a, opts, args)
		},
	}
	cmd.Flags().StringVar(&opts.against, "against", "", "the wanted build `NEW`: a label, archive or folder")
	cli.AddFormat(cmd, &opts.format)
	return cmd
}

type checkOptions struct{ against, format string }

func runPatchCheck(ctx context.Context, a *cli.App, opts checkOptions, paths []string) error {
	if err := (query.Output{W: a.Stdout, Format: opts.format}).Check(); err != nil {
		return err
	}
	have, err := operand.MountAll(ctx, a, paths, false)
	if err != nil {
		return err
	}
	want, err := operand.MountAll(ctx, a, []string{opts.against}, true)
	if err != nil {
		return err
	}
	if err := overlay.RefuseDamaged(a.Registry(), have, want); err != nil {
		return err
	}
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
