package archive

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/mods"
	"pakdb/internal/terminal"
)

type exportOptions struct {
	mergeOptions
	partial bool
}

func newModExportCommand(a *cli.App) *cobra.Command {
	var opts exportOptions
	cmd := &cobra.Command{
		Use:   "export [flags] MOD --base BUILD -o FILE",
		Short: "Write what a mod changes as a list of edits",
		Long: `Write the values that MOD changes of BUILD as a table (CSV) of edits: path,
export, field, op, value. "pakdb mod edit BUILD --csv FILE" makes the mod from
it again, for this build or another: a mod as a few lines that fit into git.

The edits were made and compared with the mod. New objects, code, bulk data and
other files are no edits: they are listed, nothing is written, and the exit
code is 1. --partial writes the edits without them.`,
		Example: `  pakdb mod export Rifles_1_P.pak --base 1.52 -o rifles.csv
  pakdb mod edit 1.53 --csv rifles.csv -o Rifles_1_P.pak`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o FILE"))
			}
			return runModExport(cmd.Context(), a, opts, args[0])
		},
	}
	cli.Flag(cmd, "base", &opts.base)
	cli.RequireBuilds(a, cmd, "base")
	cmd.Flags().BoolVar(&opts.partial, "partial", false, "write what carries over, without the rest")
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	cli.ReadsValues(cmd)
	return cmd
}

func runModExport(ctx context.Context, a *cli.App, opts exportOptions, name string) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil {
		return err
	}
	m, err := openMods(ctx, a, opts.mergeOptions, []string{name})
	if err != nil {
		return err
	}
	defer m.close()
	var out bytes.Buffer
	table := csv.NewWriter(&out)
	err = table.Write([]string{"path", "export", "field", "op", "value"})
	edits, rest := int64(0), int64(0)
	units := m.Sides[0].Units
	for _, key := range slices.Sorted(maps.Keys(units)) {
		u := units[key]
		list, left, diffErr := mods.DiffUnit(ctx, m.Base.Units[key], u)
		if err = errors.Join(err, diffErr); err != nil {
			return err
		}
		for _, e := range list {
			err = errors.Join(err, table.Write([]string{m.Base.Units[key].Header().Entry.Name, e.Object, e.Field, string(e.Op), e.Value}))
		}
		edits, rest = edits+int64(len(list)), rest+int64(len(left))
		for i := range left {
			line := strings.TrimLeft(u.Path, "./")
			if of := itemName(&left[i]); of != "" {
				line += ": " + of
			}
			_, printErr := fmt.Fprintln(a.Stdout, "no edit: "+terminal.Printable(line))
			err = errors.Join(err, printErr)
		}
	}
	if table.Flush(); errors.Join(err, table.Error()) != nil {
		return errors.Join(err, table.Error())
	}
	if rest > 0 && !opts.partial {
		return cli.WithHint(cli.Refusal(fmt.Errorf("%s that no edit makes: nothing is written", cli.Plural(rest, "change", "changes"))), "--partial writes the others")
	}
	if err := writeText(ctx, opts.out, out.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s written: %s\n", terminal.Printable(opts.out), cli.Plural(edits, "edit", "edits"))
	return err
}
