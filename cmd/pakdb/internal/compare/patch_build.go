package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/diff/ship/overlay"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/schema"
)

func newPatchBuildCommand(a *cli.App) *cobra.Command {
	var opts patchOptions
	cmd := &cobra.Command{
		Use:   "build [flags] OLD NEW -o DIR",
		Short: "Write the archives that turn one build into another",
		Long: `Write the archives that turn OLD into NEW when the game mounts them:
Game_N_P.pak or .utoc, pakN.pak, or whole archives where a format has no mount
order. OLD and NEW are builds, archives or folders. Stored bytes are copied,
settings are those of OLD. The patch is mounted over OLD and compared with NEW
before it is named.

--only and --exclude choose changes: a GLOB of game paths, or SQL that yields
paths (:old and :new are the builds). --max-size splits the patch. "pakdb help
patches" explains formats, names and delete records.`,
		Example: `  pakdb patch build 1.48 1.52 --only "Game/Content/Maps/" --dry-run
  pakdb patch build old/Game.pak new/Game.pak --max-size 2GiB -o patch/
  pakdb patch build 1.52 1.48 -o rollback/`,
		Args:              cli.Args(cobra.ExactArgs(2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteArchives),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" && !opts.dryRun && opts.explain == "" {
				return cli.UsageError(cmd, errors.New("no output: pass -o DIR, or --dry-run"))
			}
			if opts.format != "" && !opts.dryRun && (opts.format != "json" || opts.explain != "") {
				return cli.UsageError(cmd, errors.New("but for json, --format is for --dry-run"))
			}
			return runPatchBuild(cmd.Context(), a, opts, args[0], args[1])
		},
	}
	opts.number = -1
	flags := cmd.Flags()
	cli.Flag(cmd, "output", &opts.out)
	flags.StringArrayVar(&opts.only, "only", nil, "only changes that match `GLOB|SQL`; may repeat")
	flags.StringArrayVar(&opts.exclude, "exclude", nil, "no changes that match `GLOB`; may repeat")
	flags.BoolVar(&opts.dependencies, "with-dependencies", false, "with --only: add entries newly referred to")
	flags.BoolVar(&opts.perChunk, "per-chunk", false, "write a patch for each pakchunk")
	flags.Var(&opts.maxSize, "max-size", "split into files of at most `SIZE`, as 2GiB")
	flags.BoolVar(&opts.overlay, "changed-only", false, "write only changed entries, not a whole .sip")
	flags.IntVar(&opts.number, "number", opts.number, "`N` of Game_N_P.pak; -1: the lowest")
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	cli.Flag(cmd, "dry-run", &opts.dryRun)
	cli.AddAllowDamaged(cmd, &opts.allowDamaged)
	flags.StringVar(&opts.explain, "explain", "", "explain the change of `PATH`, and write nothing")
	cli.AddFormat(cmd, &opts.format)
	_ = cmd.MarkFlagDirname("output")
	cli.Exclusive(cmd, "dry-run", "explain")
	return cli.Reporting(a, cmd, cli.Patch{Archives: []cli.PatchArchive{}})
}

func runPatchBuild(ctx context.Context, a *cli.App, opts patchOptions, old, new string) error {
	if err := (query.Output{W: a.Stdout, Format: opts.format}).Check(); err != nil {
		return err
	}
	if opts.dependencies && opts.only == nil && opts.exclude == nil {
		return fmt.Errorf("%w: --with-dependencies adds to what --only chooses", cli.ErrUsage)
	}
	if slices.ContainsFunc(opts.only, isStatement) { // no later; but what is scanned before it runs has no limit
		if err := schema.LimitMemory(noLimit); err != nil {
			return err
		}
	}
	sides, err := operand.OpenSides(ctx, a, old, new, operand.Facts)
	if err != nil {
		return err
	}
	defer sides.Close()
	if sides.Entries() {
		return fmt.Errorf("%w: a patch is made of builds, not of entries", cli.ErrUsage)
	}
	stacks, err := diff.LoadStacks(ctx, sides.DB, a.Registry(), sides.Old.Label, sides.New.Label)
	if err != nil {
		return err
	}
	o, err := planOptions(ctx, a, &opts, sides, stacks)
	if err != nil {
		return err
	}
	p, err := overlay.Make(stacks[0], stacks[1], a.Registry(), o)
	if err != nil {
		return patchHint(err)
	}
	if err := opts.refuseIgnored(p); err != nil {
		return err
	}
	switch {
	case opts.explain != "":
		return explainPatch(a, p, opts.explain)
	case opts.dryRun:
		return errors.Join(printPlan(a, p, opts.format), planVerdict(p))
	}
	return writePatch(ctx, a, p, opts)
}

func planOptions(ctx context.Context, a *cli.App, opts *patchOptions, s *operand.Sides, stacks []*overlay.Stack) (overlay.Options, error) {
	o := overlay.Options{PerChunk: opts.perChunk, MaxSize: int64(opts.maxSize), Number: opts.number, Overlay: opts.overlay, AllowDamaged: opts.allowDamaged}
	if opts.only == nil && opts.exclude == nil {
		return o, nil
	}
	c, err := newChoice(ctx, a, opts, s)
	if err != nil {
		return o, err
	}
	if err := c.Check(stacks[0], stacks[1]); err != nil {
		return o, err
	}
	o.Only = c.Takes
	if opts.dependencies {
		o.Needs, err = newNeeds(ctx, s)
	}
	return o, err
}

func patchHint(err error) error {
	switch {
	case errors.Is(err, overlay.ErrForeign):
		return cli.WithHint(err, "a patch is of the formats of the old build's archives; --exclude or --only leave the others out")
	case errors.Is(err, overlay.ErrExists):
		return cli.WithHint(err, "pass --overwrite to replace it, or --number N for another name; a game that has it mounted is patched by one more: name it with OLD")
	case errors.Is(err, overlay.ErrTooLarge):
		return cli.WithHint(err, "raise --max-size, or leave the file out by --exclude; nothing was written")
	case errors.Is(err, overlay.ErrName):
		return cli.WithHint(err, "Game_N_P.pak is mounted with order 100 x (N+1); take the name of the last patch")
	case errors.Is(err, overlay.ErrNothing):
		return cli.WithHint(err, "the mounted archives hide nothing and show nothing")
	case errors.Is(err, overlay.ErrChanged):
		return cli.WithHint(err, `scan it anew with "pakdb index"`)
	}
	return err
}

// writePatch writes what is planned and reports it.
func writePatch(ctx context.Context, a *cli.App, p *overlay.Plan, opts patchOptions) error {
	epoch, err := cli.SourceDateEpoch()
	if err != nil {
		return err
	}
	warnPatch(a, p)
	a.Result.Done(cli.BuiltPatch(p, nil))
	a.Result.AddPlan(p)
	if len(p.Items) == 0 {
		if _, err := fmt.Fprintln(a.Stdout, nothingToPatch(p)); err != nil {
			return err
		}
		return planVerdict(p)
	}
	written, proof, err := writePatchFiles(ctx, a, p, overlay.Output{Dir: opts.out, Overwrite: opts.overwrite, Epoch: epoch})
	if err != nil {
		printDifferences(a, proof)
		return patchHint(err)
	}
	a.Result.Done(cli.BuiltPatch(p, written))
	if err := printWritten(a, p, written, proof); err != nil {
		return err
	}
	return planVerdict(p)
}

// planVerdict is cli.ErrProblems for a patch that does not make the new build of the
// old one, or that the game may not mount.
func planVerdict(p *overlay.Plan) error {
	if len(p.Kept) > 0 || p.Faults > 0 {
		return cli.ErrProblems
	}
	return nil
}

// nothingToPatch says why a patch would be empty.
func nothingToPatch(p *overlay.Plan) string {
	switch {
	case len(p.Left) == 1:
		return "1 change, which was not chosen: no patch is written"
	case len(p.Left) > 0:
		return fmt.Sprintf("%d changes, none was chosen: no patch is written", len(p.Left))
	case len(p.Kept) > 0:
		return fmt.Sprintf("no patch can do it: %s that the new build lacks, and archives that cannot delete", cli.Plural(int64(len(p.Kept)), "file", "files"))
	case len(p.Gone) > 0:
		return "no patch can do it: an archive is gone"
	}
	return "nothing changed: no patch is needed" + outside(p)
}

// writePatchFiles writes a plan under a bar that shows how far it is.
func writePatchFiles(ctx context.Context, a *cli.App, p *overlay.Plan, o overlay.Output) ([]overlay.Written, *overlay.Report, error) {
	progress := &indexer.Progress{}
	progress.Files.Store(int64(len(p.Parts)))
	for i := range p.Parts {
		progress.Bytes.Add(p.Parts[i].Stored(p))
	}
	o.Progress = func(stored int64) {
		progress.Entries.Add(1)
		progress.BytesDone.Add(stored)
	}
	defer a.ShowProgress(ctx, progress)()
	return p.Write(ctx, newDisk(a), o)
}

// newDisk is how patches reach archives.
func newDisk(a *cli.App) *overlay.Disk {
	return &overlay.Disk{Registry: a.Registry(), Options: a.OpenOptions(), Header: overlay.ContainerHeader, Passed: a.LeftOut}
}

type patchOptions struct {
	out           string
	only, exclude []string
	dependencies  bool
	perChunk      bool
	overlay       bool
	maxSize       cli.ByteSize
	number        int
	overwrite     bool
	dryRun        bool
	allowDamaged  bool
	explain       string
	format        string
}

// refuseIgnored refuses options that say how patches which are mounted over a build
// are cut and called, when the plan has none.
func (opts *patchOptions) refuseIgnored(p *overlay.Plan) error {
	over := func(part overlay.Part) bool { return part.Use == overlay.Over }
	if len(p.Parts) == 0 || slices.ContainsFunc(p.Parts, over) {
		return nil
	}
	option := "--per-chunk"
	switch {
	case opts.number >= 0:
		option = "--number"
	case !opts.perChunk:
		return nil
	}
	return fmt.Errorf("%w: %s is for patches that a game mounts over its archives; %s is none", cli.ErrUsage, option, p.Parts[0].Name)
}
