package compare

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/process"
	"pakdb/internal/terminal"
	"pakdb/query"
)

func newDiffCommand(a *cli.App) *cobra.Command {
	var opts diffOptions
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW [GLOB...]",
		Short: "Show what changed between two builds",
		Long: `Show what changed between two builds: labels, archives or folders (scanned into
a temporary catalog; ./NAME is a path), or two entries, BUILD:PATH. Entries are
compared as the game sees them. Kinds: added, removed, renamed, modified,
cosmetic (only GUIDs and hashes that each cook writes anew), moved, restored,
copies, metadata. Files of one Unreal asset are one change. --sort size and
--sort download list the largest first. "pakdb help diff-kinds" explains more.

Exit code: 0 no change, 1 changes or damage, 2 or 3 on error. With --fail-over
it is 1 only if a figure is above its limit. In SQL: FROM diff('OLD', 'NEW').`,
		Example: `  pakdb diff 1.48 1.52 "Calligraphy/Powers/" --kind modified,renamed
  pakdb diff old/Game.pak new/Game.pak --format html > changes.html
  pakdb diff 1.48 1.52 --stat --fail-over download=50MB,removed=0`,
		Args:              cli.Args(cobra.MinimumNArgs(2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteSides),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(runDiff(cmd.Context(), a, opts, args))
		},
	}
	opts.similar, opts.by, opts.sort, opts.most = "50", "asset", diff.Orders()[0], 20_000_000
	flags := cmd.Flags()
	flags.StringVarP(&opts.similar, "find-renames", "M", opts.similar, "find renames of `PERCENT`; 0: none")
	flags.StringVar(&opts.by, "by", opts.by, "one row a `KEY`: file, dir, ...")
	cli.AddKinds(cmd, &opts.kinds)
	flags.BoolVar(&opts.stat, "stat", false, "show sizes, and the download by each transport")
	flags.BoolVar(&opts.nameOnly, "name-only", false, "print only paths")
	flags.BoolVar(&opts.nameStatus, "name-status", false, "print a letter for the kind, and paths")
	cli.Flag(cmd, "semantic", &opts.inside)
	flags.Lookup("semantic").NoOptDefVal = "true"
	flags.BoolVar(&opts.impact, "impact", false, "show entries that depend on the changes")
	cli.Flag(cmd, "sort", &opts.sort)
	cli.AddFormat(cmd, &opts.format, append(query.Formats(), formatHTML)...)
	flags.Var(&opts.most, "max", "limit values on a page to `SIZE`")
	flags.Lookup("max").DefValue = "20MB"
	flags.StringSliceVar(&opts.failOver, "fail-over", nil, "exit code 1 only above `FIGURE=LIMIT`")
	cli.CompleteFlag(cmd, "by", byKeys()...)
	cli.CompleteFlag(cmd, "sort", diff.Orders()...)
	var kinds []string
	for _, k := range diff.Kinds() {
		kinds = append(kinds, k.String())
	}
	cli.CompleteFlag(cmd, "kind", kinds...)
	cli.Exclusive(cmd, "stat", "name-only", "name-status", "semantic", "impact")
	return cmd
}

func runDiff(ctx context.Context, a *cli.App, opts diffOptions, args []string) error {
	if err := opts.read(); err != nil {
		return err
	}
	o, err := opts.options()
	if err != nil {
		return err
	}
	c, err := opts.filter(args[2:])
	if err != nil {
		return err
	}
	if err := opts.checkFormat(a); err != nil {
		return err
	}
	if opts.limits, err = parseLimits(opts.failOver, process.ParseSize); err != nil {
		return err
	}
	// What is read and compared has few pointers, so that collecting often costs little:
	// two files of a million entries take 610 MB, with 100 845 MB at the same CPU. The
	// ballast, which takes no memory because nobody writes to it, lets a small heap grow
	// by 16 MB before the next collection: a tenth of the CPU of 30,000 changes.
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	percent := debug.SetGCPercent(25)
	defer debug.SetGCPercent(percent)
	sides, err := operand.OpenSides(ctx, a, args[0], args[1], opts.need())
	if err != nil {
		return err
	}
	defer sides.Close()
	if sides.Entries() {
		if opts.limits != nil {
			return fmt.Errorf("%w: --fail-over is for builds, and these are two entries", cli.ErrUsage)
		}
		if c.filters() || opts.sort != diff.Orders()[0] {
			return fmt.Errorf("%w: patterns, --kind and --sort are for entries of builds; two entries are compared as they are", cli.ErrUsage)
		}
		return diffEntries(ctx, a, opts, sides)
	}
	shown, stop := cli.Waiting(a, cli.OutputOf(a, ""), "comparing", "")
	defer stop()
	c.out, c.begin = shown.W, stop
	if c.Result, c.damaged, err = compareSides(ctx, a, sides, o); err != nil {
		return err
	}
	c.exec = aloneExecutable(sides)
	c.Sort(opts.sort)
	if err := c.refuseMissed(ctx, sides); err != nil {
		return err
	}
	if err := c.countUnknown(ctx); err != nil {
		return err
	}
	n, err := printDiff(ctx, a, opts, c, sides)
	if err != nil {
		return err
	}
	stop()
	remarkDiff(a, c)
	if n == 0 && c.Len() > 0 && !opts.hasSums() && !a.Quiet {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+c.noneMatch())
	}
	if opts.limits != nil {
		over, err := opts.failsOver(ctx, a, c)
		if err == nil && (over || codecs.HidesEntries(c.damaged) || c.unknown > 0 && needContents(opts.limits)) {
			err = cli.ErrProblems
		}
		return err
	}
	if n > 0 || codecs.HidesEntries(c.damaged) || c.unknown > 0 || len(c.Reordered)+len(c.exec) > 0 && !c.filters() {
		return cli.ErrProblems
	}
	return nil
}

// compareSides returns what changed, and which archives are damaged.
func compareSides(ctx context.Context, a *cli.App, s *operand.Sides, o diff.Options) (r *diff.Result, damaged []codecs.Damage, err error) {
	if s.Reading != nil {
		r, err = s.Reading.Compare(ctx, o)
		return r, diff.DamageOfFiles(a.Registry(), s.Reading), err
	}
	if r, err = diff.Compare(ctx, s.DB, s.Old.Label, s.New.Label, o); err == nil {
		damaged, err = diff.FindDamage(ctx, s.DB, a.Registry(), s.Old.Label, s.New.Label)
	}
	return r, damaged, err
}

// need is what is to be known of two paths. Options that look inside contents, or show
// where they lie, take a catalog of both.
func (opts *diffOptions) need() operand.Need {
	switch {
	case opts.semantic || opts.impact:
		return operand.Facts
	case opts.stat:
		return operand.Entries
	}
	return operand.Changes
}

// remarkDiff says on stderr what no row shows.
func remarkDiff(a *cli.App, c *changes) {
	for _, name := range c.Reordered {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s: its entries lie in another order\n", terminal.Printable(name))
	}
	for _, f := range c.exec {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s: is executable in %s alone\n", terminal.Printable(f[0]), terminal.Printable(f[1]))
	}
	if c.unknown > 0 {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+c.unknownText())
	}
}

func printDiff(ctx context.Context, a *cli.App, opts diffOptions, c *changes, s *operand.Sides) (int, error) {
	if opts.format != "" || opts.impact || len(c.damaged) > 0 {
		c.begin() // these write past c.out
	}
	if opts.format != "" || opts.nameOnly || opts.nameStatus {
		cli.WarnDamaged(a, c.damaged) // for people beside what programs read
	} else if err := cli.ListDamage(a, c.damaged); err != nil {
		return 0, err
	}
	switch {
	case opts.nameOnly, opts.nameStatus:
		return diffNames(ctx, a, c, opts.nameStatus)
	case opts.summary != "":
		return diffSummary(ctx, a, c, opts.summary, opts.format)
	case opts.stat:
		return diffStat(ctx, a, c, s, opts)
	case opts.semantic && opts.format != formatHTML:
		return diffSemantic(ctx, a, c, s, opts)
	case opts.impact:
		return diffImpact(ctx, a, c, s, opts.format)
	case opts.format == formatMarkdown:
		return diffMarkdown(ctx, a, c)
	case opts.format == formatHTML:
		return diffPage(ctx, a, c, s, opts)
	case opts.format != "":
		return diffRows(ctx, a, c, opts.format)
	}
	return diffList(ctx, a, c)
}
