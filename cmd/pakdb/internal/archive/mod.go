package archive

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/mods"
)

type modOptions struct {
	out                               string
	remove, appended, copied, renamed []string
	sql, csv, json                    string
	timeout                           time.Duration // of statements; 0: none
	dryRun, overwrite, force          bool
}

func newModCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "mod",
		Short: "Change values in game packages",
		Long: `Change values in packages of Unreal Engine, and write the archive that the game
mounts over the build.`,
		Example: `  pakdb mod set 1.52:Game/Content/BP_Rifle.uasset Damage=28.8 -o Game_1_P.pak`,
	}, newModSetCommand(a), newModEditCommand(a), newModMergeCommand(a), newModRebaseCommand(a), newModConflictsCommand(a), newModExportCommand(a))
}

func newModSetCommand(a *cli.App) *cobra.Command {
	var opts modOptions
	cmd := &cobra.Command{
		Use:   "set [flags] {FILE|BUILD:PATH}... FIELD=VALUE... -o OUT",
		Short: "Change values of Unreal packages",
		Long: `Change values of packages of UE1 to UE3 and UE 4.10 to 5.8, of .locres, .ini,
.json, .csv and .xml files, of prototypes and curves in a .sip, and of texts of
Metroid Prime: FIELD=VALUE, or FIELD*=2.5. A FIELD is a path as
"pakdb show --tables values" prints it: Stats.Damage, Slots[3],
Rows[Rifle].Cost; OBJECT:FIELD chooses among several objects. Every file named
gets all changes, and of those that match a pattern each that has the fields;
"pakdb help mods" lists values, order and limits.

Of packages in an archive, the output is an archive of that kind with the
changed packages, whose name must win over theirs, as Game_1_P.pak; of a
package file it is a file. The result is read back: it differs in those values
alone. Unsafe changes are refused.`,
		Example: `  pakdb mod set 1.52:Game/Content/BP_Rifle.uasset Damage=28.8 -o Game_1_P.pak
  pakdb mod set "1.52:**/BP_*.uasset" Damage*=1.2 -o Game_1_P.pak
  pakdb mod set DT_Weapons.uasset --copy "Rows[Rifle]=Carbine" -o new.uasset`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" && !opts.dryRun {
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT, or --dry-run"))
			}
			return runModSet(cmd.Context(), a, opts, args)
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "output", &opts.out)
	flags.StringArrayVar(&opts.remove, "unset", nil, "unset or remove `FIELD`; may repeat")
	flags.StringArrayVar(&opts.appended, "append", nil, "add an element, `FIELD=VALUE`; may repeat")
	flags.StringArrayVar(&opts.copied, "copy", nil, "copy an entry or row, `FIELD=KEY`; may repeat")
	flags.StringArrayVar(&opts.renamed, "rename", nil, "rename an entry or row, `FIELD=KEY`; may repeat")
	opts.addOutput(cmd)
	return cmd
}

// addOutput gives cmd the flags that all commands have which write packages.
func (o *modOptions) addOutput(cmd *cobra.Command) {
	cli.Flag(cmd, "dry-run", &o.dryRun)
	cli.Flag(cmd, "overwrite", &o.overwrite)
	cmd.Flags().BoolVar(&o.force, "dangling", false, "allow references to packages the archive lacks")
	cli.ReadsValues(cmd)
}

// splitAssignment divides FIELD=VALUE at the first "=" outside of brackets.
func splitAssignment(text string) (field, value string, ok bool) {
	depth := 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '=' && depth == 0:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// editOf returns an edit of OBJECT:FIELD.
func editOf(op mods.Op, field, value string) mods.Edit {
	object := ""
	before, _, _ := strings.Cut(field, "[") // keys of maps may have colons
	if i := strings.LastIndexByte(before, ':'); i >= 0 {
		object, field = field[:i], field[i+1:]
	}
	return mods.Edit{Object: object, Field: field, Op: op, Value: value}
}

// edits returns what the arguments ask for, and the packages that they name.
func (o *modOptions) edits(args []string) (names []string, all []mods.Edit, err error) {
	for _, arg := range args {
		field, value, ok := splitAssignment(arg)
		if _, statErr := os.Stat(arg); !ok || statErr == nil {
			names = append(names, arg)
			continue
		}
		op := mods.Set
		if by, times := strings.CutSuffix(field, "*"); times {
			field, op = by, mods.Multiply
			if _, good := new(big.Rat).SetString(value); !good {
				return nil, nil, fmt.Errorf("%w: %q: %q is no number", cli.ErrUsage, arg, value)
			}
		}
		all = append(all, editOf(op, field, value))
	}
	for _, more := range []struct {
		op    mods.Op
		texts []string
	}{{mods.Copy, o.copied}, {mods.Rename, o.renamed}, {mods.Append, o.appended}} {
		for _, text := range more.texts {
			field, value, ok := splitAssignment(text)
			if !ok {
				return nil, nil, fmt.Errorf("%w: %q: want FIELD=VALUE", cli.ErrUsage, text)
			}
			all = append(all, editOf(more.op, field, value))
		}
	}
	for _, field := range o.remove {
		all = append(all, editOf(mods.Remove, field, ""))
	}
	switch {
	case len(names) == 0:
		err = fmt.Errorf("%w: no package: name a FILE, BUILD:PATH or ARCHIVE!/ENTRY", cli.ErrUsage)
	case len(all) == 0:
		err = fmt.Errorf("%w: no change: pass FIELD=VALUE", cli.ErrUsage)
	}
	return names, all, err
}

func runModSet(ctx context.Context, a *cli.App, opts modOptions, args []string) error {
	names, edits, err := opts.edits(args)
	if err == nil {
		err = cli.RefuseExisting(opts.out, opts.overwrite)
	}
	if err != nil {
		return err
	}
	r := &modRun{a: a, opts: &opts}
	defer r.close()
	for _, name := range names {
		found, err := r.find(ctx, name)
		if err != nil {
			return modHint(name, err)
		}
		for _, t := range found {
			if err := r.apply(ctx, t, func(mods.Editable) ([]mods.Edit, error) { return slices.Clone(edits), nil }); err != nil {
				return err
			}
		}
	}
	return r.finish(ctx)
}
