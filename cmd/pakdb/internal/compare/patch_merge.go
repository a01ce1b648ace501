package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/terminal"
)

type mergeOptions struct {
	out       string
	bases     []string
	intoBase  bool
	overwrite bool
}

func newPatchMergeCommand(a *cli.App) *cobra.Command {
	var opts mergeOptions
	cmd := &cobra.Command{
		Use:   "merge [flags] [BASE...] PATCH... -o OUT",
		Short: "Make one archive of many patches",
		Long: `Write one archive with the effect of all patches mounted at once. Mount order,
delete records and case decide as in the game. The name of the output sets its
mount order: use the last patch's name. Stored bytes are copied and compared.

Archives without _P in their names, and each --base, are the base: delete
records that hide nothing in it are dropped. --into-base merges base and
patches into one new base without delete records.`,
		Example: `  pakdb patch merge Game_0_P.pak Game_1_P.pak -o merged/Game_1_P.pak
  pakdb patch merge Paks/ -o merged/Game_9_P.pak
  pakdb patch merge Paks/ --into-base -o merged/Game.pak`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT"))
			}
			return runPatchMerge(cmd.Context(), a, opts, args)
		},
	}
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "base", &opts.bases)
	cmd.Flags().BoolVar(&opts.intoBase, "into-base", false, "merge the base too")
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	return cmd
}

func runPatchMerge(ctx context.Context, a *cli.App, opts mergeOptions, args []string) error {
	base, patches, err := mergeStacks(ctx, a, opts, args)
	if err != nil {
		return err
	}
	if err := overlay.RefuseDamaged(a.Registry(), base, patches); err != nil {
		return err // before what is left of them is judged
	}
	if len(patches.Mounts) == 0 && !opts.intoBase {
		return cli.WithHint(fmt.Errorf("%w: none of the archives is a patch by its name", cli.ErrUsage), notPatches(a, base))
	}
	m, err := overlay.Merge(base, patches, a.Registry(), overlay.MergeOptions{Name: filepath.Base(opts.out), IntoBase: opts.intoBase})
	if err != nil {
		return patchHint(err)
	}
	warnPatch(a, m.Plan)
	if err := leads(ctx, m, args, opts.intoBase); err != nil {
		return err
	}
	written, proof, err := writePatchFiles(ctx, a, m.Plan, overlay.Output{Dir: filepath.Dir(opts.out), Overwrite: opts.overwrite})
	if err != nil {
		printDifferences(a, proof)
		return patchHint(err)
	}
	if err := printMerged(a, m, written[0], proof); err != nil {
		return err
	}
	return planVerdict(m.Plan)
}

// notPatches says what patches are called, if archives of that format can be any.
func notPatches(a *cli.App, s *overlay.Stack) string {
	const hint = "--into-base makes one archive of them all"
	for _, m := range s.Mounts {
		if f, ok := a.Registry().Format(m.Format); ok && f.Mounts().PatchName != nil && f.Mounts().By == "" && f.Mounts().CanDelete == nil {
			return fmt.Sprintf("archives of the format %s are mounted by number, and none is a patch of its own kind; %s", f.Name, hint)
		}
	}
	return "patches are named Game_P.pak, Game_1_P.pak ...; " + hint
}

// leads has the manifests beside what is merged say where the merge leads to.
func leads(ctx context.Context, m *overlay.Merged, args []string, intoBase bool) error {
	if intoBase {
		return nil
	}
	paths, err := operand.Expand(args)
	if err != nil {
		return err
	}
	var patches []overlay.Patch
	seen := map[string]bool{}
	for _, path := range paths {
		if st, err := os.Stat(path); err == nil && !st.IsDir() {
			path = filepath.Dir(path)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		found, err := overlay.FindPatches(ctx, path, nil)
		if err != nil {
			return err
		}
		patches = append(patches, found...)
	}
	m.Leads(patches)
	return nil
}

// mergeStacks mounts what is to be merged, and what stays below it.
func mergeStacks(ctx context.Context, a *cli.App, opts mergeOptions, args []string) (base, patches *overlay.Stack, err error) {
	paths, err := operand.Expand(args)
	if err != nil {
		return nil, nil, err
	}
	all, err := newDisk(a).Stack(ctx, "", paths, false)
	if err != nil {
		return nil, nil, err
	}
	if len(all.Mounts) < len(paths) && len(all.Damage) == 0 {
		return nil, nil, fmt.Errorf("%w: some of the %d paths hold no archive, or archives of one name", cli.ErrUsage, len(paths))
	}
	patches, base = all.Split((*overlay.Mount).IsPatch)
	if opts.bases == nil {
		return base, patches, nil
	}
	more, err := operand.Expand(opts.bases)
	if err != nil {
		return nil, nil, err
	}
	named, err := newDisk(a).Stack(ctx, "", more, false)
	if err != nil {
		return nil, nil, err
	}
	return base.Over(named), patches, nil
}

func printMerged(a *cli.App, m *overlay.Merged, w overlay.Written, proof *overlay.Report) error {
	if a.Quiet {
		return nil
	}
	files, deleted := m.Counts(&w.Part)
	_, err := fmt.Fprintf(a.Stdout, "%s: %s, %s, %s (%s passed through) from %s\n", terminal.Printable(w.Path), cli.Plural(int64(files), "file", "files"),
		cli.Plural(int64(deleted), "delete record", "delete records"), cli.HumanSize(w.Size), cli.HumanSize(w.Raw), cli.Plural(int64(m.Archives), "archive", "archives"))
	if err == nil && m.Buried+m.Dropped > 0 {
		_, err = fmt.Fprintf(a.Stdout, "fell away: %s that nothing could reach, %s; %s\n", cli.Plural(int64(m.Buried), "entry", "entries"),
			cli.HumanSize(m.Freed), cli.Plural(int64(m.Dropped), "delete record", "delete records"))
	}
	if err == nil {
		_, err = fmt.Fprintf(a.Stdout, "proved: the game sees the same, %s\n", cli.Plural(int64(proof.Files), "file", "files"))
	}
	return err
}
