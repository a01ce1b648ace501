package compare

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/gate"
	"pakdb/diff/patch"
	"pakdb/internal/process"
	"pakdb/internal/terminal"
	"pakdb/query"
)

func newDiffCommand(a *cli.App) *cobra.Command {
	var opts diffOptions
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW [GLOB...]",
		Short: "Show what changed between two builds",
		Long: `Show what changed between two builds. OLD and NEW are labels of builds, or
archives and folders, which are scanned for the occasion and leave the catalog
as it is; ./NAME is a path though there is a build NAME. BUILD:PATH and
BUILD:PATH compare two entries inside.

Entries are compared as the game sees them after mounting. A modification time
alone is no change. An entry is added, removed, renamed, modified, moved to
another archive, restored (the same content stored differently), held in more
or fewer copies, or differs in its metadata. A modified Unreal asset that
differs in nothing but the GUIDs and hashes that every cook writes anew is
cosmetic; how much of the download that is stands in the sums.

The .uasset, .uexp and .ubulk of one Unreal asset are one change, which bears
the name of the first and the sizes of all; --files lists them one by one.

Renames are found by GUID, asset id and path hash, then by equal contents,
then by contents that are alike, unless "pakdb index --no-sketch" was used. A
GUID goes before a path: where a path is that of another record now, notes say so.
"Download" estimates what someone who has the old build must fetch.

--stat ends with what the update takes by several ways of transport: whole files,
a store of 1 MiB chunks as Steam and Epic have, a patch archive of whole entries,
and the transport patch of "pakdb delta make". "About" marks estimates from the
catalog; --exact reads the archives, which must be where they were and unchanged.
With --format it is these rows and nothing else.

--format html is one page without any other file: a map of what changed, what
the update takes by each way of transport, and a list to sort and search; with
--semantic also what changed inside of the entry that is chosen. --format md
is a summary for a pull request: the sums, and a table for each folder, of at most
65,536 characters.

A list of more than 200 changes begins with the folders that they are in, those with
most to download first. --limit ends a list sooner; it does not change the exit code,
sums, --summary, --impact and html pages.

With a GLOB only entries whose old or new path matches are shown. A GLOB that
matches no path of either build is an error.

Archives that are damaged as a whole (no footer, a damaged index, cut short, not
readable) are listed first: what they lack looks like removed. So is a missing .ucas,
without which a .utoc still lists all that it holds: that alone does not make the exit
code 1. With --format both are rows of the kind "damaged", or a section of the page.

The exit code is 0 when no change is shown, 1 when there is one, an archive is
damaged, or entries could not be compared (not decoded, and of the same size), 2
or 3 when there was trouble. With a GLOB or --kind only the changes that match
count; when there are others, a line says how many.

--fail-over FIGURE=LIMIT,... makes it a gate: the exit code is 1 when a figure of the
changes that are shown is above its limit, which a line on stderr says, when an archive
is damaged, or when entries could not be compared on which a figure depends (download,
changes, modified), and else 0. The figures are
` + gate.Help(),
		Example: `  pakdb diff 1.48 1.52
  pakdb diff 1.48 1.52 "Calligraphy/Powers/" --kind modified,renamed
  pakdb diff old/Game.pak new/Game.pak --stat
  pakdb diff 1.48 1.52 --limit 50
  pakdb diff 1.48 1.52 --stat --exact --format json
  pakdb diff 1.48 1.52 --semantic --format html > changes.html
  pakdb diff 1.48 1.52 --semantic "*.curve"
  pakdb diff 4.1 4.2 --semantic "**/Weapons/*.uasset"
  pakdb diff 4.1 4.2 --semantic --media --format html > changes.html
  pakdb diff 4.1 4.2 --kind cosmetic --summary dir
  pakdb diff 1.48:Loot/XP.curve 1.52:Loot/XP.curve
  pakdb diff 1.48 1.52 --summary dir --format csv
  pakdb diff 1.48 1.52 --format html > changes.html
  pakdb diff 1.48 1.52 --format md > comment.md
  pakdb diff 1.48 1.52 --stat --fail-over download=50MB,changes=200,removed=0`,
		Args:              cli.Args(cobra.MinimumNArgs(2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteSides),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(runDiff(cmd.Context(), a, opts, args))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.similar, "find-renames", "M", "50", "least similarity of renamed contents, in `PERCENT`")
	flags.Lookup("find-renames").NoOptDefVal = "50"
	flags.BoolVar(&opts.noRenames, "no-renames", false, "do not look for renames")
	flags.BoolVar(&opts.perArchive, "per-archive", false, "compare archive by archive, whichever entry wins in the game")
	flags.BoolVar(&opts.times, "times", false, "another modification time is a change of metadata")
	flags.BoolVar(&opts.files, "files", false, "list the files of an Unreal asset one by one")
	flags.StringSliceVar(&opts.kinds, "kind", nil, "only changes of these `KINDS`: added, removed, renamed, modified,\ncosmetic, moved, restored, copies, metadata")
	flags.BoolVarP(&opts.fold, "ignore-case", "i", false, "patterns ignore case")
	flags.BoolVar(&opts.stat, "stat", false, "show how much of each entry changed")
	flags.BoolVar(&opts.exact, "exact", false, "with --stat: read the archives, and make the transport patch to know its size")
	flags.StringVar(&opts.summary, "summary", "", "sums by `COLUMN`: dir, type, archive, ext or kind")
	flags.BoolVar(&opts.nameOnly, "name-only", false, "print paths alone")
	flags.BoolVar(&opts.nameStatus, "name-status", false, "print a letter for the kind, and paths")
	flags.BoolVar(&opts.semantic, "semantic", false, "show what changed inside: values, fields, points, names, exports,\nreferences, values of JSON, lines of text, bytes")
	flags.BoolVar(&opts.hashes, "hashes", false, "with --semantic: tell of exports with other bytes by hashes, too")
	flags.BoolVar(&opts.media, "media", false, "with --semantic: compare pixels of textures and samples of sounds, too,\nand find textures that moved by what they look like; an html page has\npictures of the largest changes")
	flags.BoolVar(&opts.impact, "impact", false, "show what depends on what changed, step by step")
	flags.IntVar(&opts.limit, "limit", 0, "list at most `N` changes; sums are of all. 0 lists all")
	flags.StringVar(&opts.format, "format", "", "output as `FORMAT`: "+strings.Join(query.Formats(), ", ")+";\nhtml is one page to look at")
	flags.StringSliceVar(&opts.failOver, "fail-over", nil, "exit code 1 only above a `FIGURE=LIMIT`: "+strings.Join(gate.Names(), ",\n"))
	cli.CompleteFlag(cmd, "format", append(query.Formats(), formatHTML)...)
	cli.CompleteFlag(cmd, "summary", diff.Columns()...)
	var kinds []string
	for _, k := range diff.Kinds() {
		kinds = append(kinds, k.String())
	}
	cli.CompleteFlag(cmd, "kind", kinds...)
	cli.Exclusive(cmd, "stat", "summary", "name-only", "name-status", "semantic", "impact")
	return cmd
}

func runDiff(ctx context.Context, a *cli.App, opts diffOptions, args []string) error {
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
	if opts.limits, err = gate.Parse(opts.failOver, process.ParseSize); err != nil {
		return err
	}
	if opts.exact && !opts.stat {
		return fmt.Errorf("%w: --exact is for --stat", cli.ErrUsage)
	}
	// What is compared has no pointers, so that collecting often costs little. Two
	// builds of a million entries with nothing in common: 454 MB, with 50 528 MB. The
	// ballast, which takes no memory because nobody writes to it, lets a small heap grow
	// by 16 MB before the next collection: a tenth of the CPU of 30,000 changes.
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	sides, err := operand.OpenSides(ctx, a, args[0], args[1], opts.need())
	if err != nil {
		return err
	}
	defer sides.Close()
	debug.SetGCPercent(25)
	if sides.Entries() {
		if opts.limits != nil {
			return fmt.Errorf("%w: --fail-over is for builds, and these are two entries", cli.ErrUsage)
		}
		if c.filters() {
			return fmt.Errorf("%w: patterns and --kind choose among entries of builds; two entries are compared as they are", cli.ErrUsage)
		}
		return diffEntries(ctx, a, opts, sides)
	}
	shown, stop := cli.Waiting(a, cli.OutputOf(a, ""), "comparing", "")
	defer stop()
	c.out, c.begin = shown.W, stop
	if c.Result, c.damaged, err = compareSides(ctx, a, sides, o); err != nil {
		return err
	}
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
		if err == nil && (over || codecs.HidesEntries(c.damaged) || c.unknown > 0 && gate.NeedContents(opts.limits)) {
			err = cli.ErrProblems
		}
		return err
	}
	if n > 0 || codecs.HidesEntries(c.damaged) || c.unknown > 0 || len(c.Reordered) > 0 && !c.filters() {
		return cli.ErrProblems
	}
	return nil
}

// compareSides returns what changed, and which archives are damaged.
func compareSides(ctx context.Context, a *cli.App, s *operand.Sides, o diff.Options) (r *diff.Result, damaged []codecs.Damage, err error) {
	if s.Reading != nil {
		r, err = s.Reading.Compare(ctx, o)
		return r, patch.DamageOfFiles(a.Registry(), s.Reading), err
	}
	if r, err = diff.Compare(ctx, s.DB, s.Old.Label, s.New.Label, o); err == nil {
		damaged, err = patch.FindDamage(ctx, s.DB, a.Registry(), s.Old.Label, s.New.Label)
	}
	return r, damaged, err
}

// need is what is to be known of two paths. Options that look inside contents, or tell
// where they lie, take a catalog of both.
func (opts *diffOptions) need() operand.Need {
	switch {
	case opts.semantic || opts.impact:
		return operand.Facts
	case opts.stat || opts.format == formatHTML:
		return operand.Entries
	}
	return operand.Changes
}

// remarkDiff says on stderr what no row shows.
func remarkDiff(a *cli.App, c *changes) {
	for _, name := range c.Reordered {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s: its entries lie in another order\n", terminal.Printable(name))
	}
	if c.hidden > 0 {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s not listed, because of --limit %d\n", cli.Plural(int64(c.hidden), "change is", "changes are"), c.limit)
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
