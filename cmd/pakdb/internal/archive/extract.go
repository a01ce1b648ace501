package archive

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/internal/asset"
	"pakdb/internal/mount"
	"pakdb/internal/safename"
	"pakdb/internal/terminal"
)

type extractOptions struct {
	overwrite, dryRun, raw, flat, mounted bool

	out, format string

	as       asOptions
	global   string // of --as legacy, as dangling
	dangling bool
}

func newExtractCommand(a *cli.App) *cobra.Command {
	var opts extractOptions
	cmd := &cobra.Command{
		Use:   "extract [flags] ARCHIVE... [GLOB...] -o DIR",
		Short: "Write entries into a folder",
		Long: `Write the decoded content of entries into a folder. Archives come first,
patterns follow (after -- if ambiguous); see "pakdb help operands" and "pakdb
help patterns". Of a build only entries that the game sees are written;
BUILD:ARCHIVE has all. --game-paths writes to the paths the game mounts entries
at, below -o.

Nothing is written outside of the folder; invalid file names are escaped as
%XX, a second name in another case gets ~2. Damaged entries are reported, the
others written, and the exit code is 1. --as converts (pakdb help values);
--as legacy writes packages of IoStore containers, UE 5.3 to 5.8, as the
.uasset and .uexp that editors of packages read. It needs the global.utoc
beside the container, or --global FILE, and the archives that hold what they
import.`,
		Example: `  pakdb extract 1.52 "Game/Config/**" -o out
  pakdb extract *.pak -o out --overwrite -- "*.umap"
  pakdb extract 1.52 --as png,json "Game/Content/UI/**" -o pictures`,
	}
	cmd.Args = cli.Args(cobra.MinimumNArgs(1))
	cmd.ValidArgsFunction = cli.Completing(a, operand.CompleteEntries)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if opts.out == "" {
			return cli.UsageError(cmd, errors.New("no output: pass -o DIR"))
		}
		if opts.format != "" && !opts.dryRun {
			return cli.UsageError(cmd, errors.New("--format is for --dry-run"))
		}
		if err := opts.as.check(a, opts.raw, legacyForm); err != nil {
			return cli.UsageError(cmd, err)
		}
		if (opts.global != "" || opts.dangling) && opts.as.form != legacyForm {
			return cli.UsageError(cmd, errors.New("--global and --dangling are for --as legacy"))
		}
		return runExtract(cmd.Context(), a, opts, args, cmd.ArgsLenAtDash())
	}
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	cli.Flag(cmd, "dry-run", &opts.dryRun)
	cli.AddFormat(cmd, &opts.format)
	cli.Flag(cmd, "raw", &opts.raw)
	cmd.Flags().BoolVar(&opts.mounted, "game-paths", false, "write to the paths the game mounts entries at")
	cmd.Flags().BoolVar(&opts.flat, "flat", false, "write all files into one folder")
	opts.as.add(cmd, legacyForm)
	cmd.Flags().StringVar(&opts.global, "global", "", "the game's global.utoc `FILE`, for --as legacy")
	cmd.Flags().BoolVar(&opts.dangling, "dangling", false, "allow references to packages the archive lacks")
	cli.Exclusive(cmd, "game-paths", "flat")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

func runExtract(ctx context.Context, a *cli.App, opts extractOptions, args []string, dash int) error {
	if opts.as.form == legacyForm {
		if ok, err := extractFiles(ctx, a, &opts, args); ok || err != nil {
			return err
		}
	}
	sources, patterns, err := operand.SourcesAndPatterns(ctx, a, args, dash)
	if err != nil {
		return err
	}
	chosen, err := cli.NewSelection(patterns)
	if err != nil {
		return err
	}
	operand.Deepen(a, sources, patterns)
	all := &extractions{a: a, opts: opts, sources: sources, chosen: chosen, bad: cli.NewComplaints(a)}
	if err := all.findHidden(ctx); err != nil {
		return err
	}
	if opts.dryRun {
		err = all.show(ctx)
	} else {
		err = all.run(ctx)
	}
	if err != nil {
		return err
	}
	if err := chosen.Missed(operand.Where(sources), operand.Paths(ctx, sources)); err != nil {
		return err
	}
	return all.bad.Result()
}

// extractions is one run of extract, over all archives.
type extractions struct {
	a       *cli.App
	opts    extractOptions
	sources []operand.Source
	chosen  *cli.Selection
	hidden  map[string]map[operand.Place]bool // by build: entries that no game sees
	skipped int64                             // of these
	others  int64                             // entries that are no packages, where these alone are written
	left    int64                             // files beside packages that were refused
	json    *jsonExtraction                   // nil: contents are written as they are, or their media
	media   *mediaExtraction
	legacy  *legacyExtraction
	bad     *cli.Complaints
	sums    cli.Sums
}

// findHidden looks up what is mounted over what, of builds that were named as a whole.
func (all *extractions) findHidden(ctx context.Context) (err error) {
	all.hidden = map[string]map[operand.Place]bool{}
	for _, s := range all.sources {
		if s.Build == "" || all.hidden[s.Build] != nil {
			continue
		}
		if all.hidden[s.Build], err = operand.Hidden(ctx, all.a, s.Build); err != nil {
			return err
		}
	}
	return nil
}

// each opens the archives one after the other. Of several archives one that cannot be
// opened is reported.
func (all *extractions) each(ctx context.Context, do func(x *extraction) error) error {
	for _, s := range all.sources {
		ar, err := s.Open(ctx)
		if err != nil && (len(all.sources) == 1 || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			all.bad.Add(err)
			continue
		}
		all.chosen.In(ar.Archive)
		x := &extraction{extractions: all, source: s, ar: ar, mount: ar.Info().MountPoint}
		x.names = cli.NamesOf(ar.Archive)
		x.packages = unnamedPackages(ctx, ar)
		if all.opts.as.form != "" {
			x.bodies = filesOfPackages(ar)
		}
		if err := errors.Join(do(x), ar.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (all *extractions) run(ctx context.Context) error {
	_, statErr := os.Stat(all.opts.out)
	dir, err := safename.OpenDir(ctx, all.opts.out, all.opts.overwrite)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if all.opts.as.form != "" {
		x, end, err := newJSONExtraction(ctx, all.a, all.sources, all.opts.as.indent)
		if err != nil {
			return err
		}
		defer end()
		if all.opts.as.form == legacyForm {
			if all.legacy, err = newLegacyExtraction(ctx, all, x.packages); err != nil {
				return err
			}
			defer all.legacy.close()
		}
		forms := slices.DeleteFunc(all.opts.as.forms(), func(form string) bool { return form == "json" || form == legacyForm })
		if len(forms) < len(all.opts.as.forms()) && all.legacy == nil {
			all.json = x
		}
		if len(forms) > 0 {
			all.media = &mediaExtraction{packages: x.packages, forms: forms, which: &all.opts.as.media}
		}
	}
	err = all.each(ctx, func(x *extraction) error {
		progress := newProgress(all.a, x.ar, x.takes)
		defer all.a.ShowProgress(ctx, progress)()
		for _, part := range x.parts() {
			err := eachContent(ctx, x.jobs(ctx, dir.Reserve, part), progress,
				func(ctx context.Context, j *job) error { return x.write(ctx, dir, j) }, x.finish)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := all.chosen.Missed(operand.Where(all.sources), operand.Paths(ctx, all.sources)); err != nil && all.sums.Entries == 0 {
		if errors.Is(statErr, fs.ErrNotExist) {
			_ = os.Remove(all.opts.out) // it is empty, or stays
		}
		return err
	}
	if all.json != nil {
		all.json.report(all.bad)
	}
	if all.media != nil {
		all.media.report()
	}
	if all.legacy != nil {
		all.legacy.report()
	}
	if all.a.Quiet {
		return nil
	}
	text := all.passedOver()
	if all.left > 0 {
		text += fmt.Sprintf("; %s left out of packages that were refused", cli.Plural(all.left, "entry", "entries"))
	}
	if all.skipped > 0 {
		text += fmt.Sprintf("; %s left out that others are mounted over", cli.Plural(all.skipped, "entry", "entries"))
	}
	written, size := cli.Plural(all.sums.Entries, "entry", "entries"), all.sums.Size
	if all.media != nil && all.json == nil {
		written, size = cli.Plural(all.media.files.Load(), "file", "files"), all.media.bytes.Load()
	}
	_, err = fmt.Fprintf(all.a.Stdout, "%s, %s, extracted into %s%s\n", written, cli.HumanSize(size), all.opts.out, text)
	return err
}

// extraction is the part of a run that concerns one archive.
type extraction struct {
	*extractions
	source   operand.Source
	ar       *operand.Archive
	names    cli.Names
	packages packageNames
	bodies   *packageFiles // of packages whose values are written
	mount    string
}

// parts returns which entries are written one after the other: where packages are converted,
// the files beside them follow, but those of packages that were refused.
func (x *extraction) parts() []func(*codecs.Entry) bool {
	if x.legacy == nil {
		return []func(*codecs.Entry) bool{func(*codecs.Entry) bool { return true }}
	}
	isBulk := func(e *codecs.Entry) bool { return e != nil && x.isBulk(e) }
	return []func(*codecs.Entry) bool{func(e *codecs.Entry) bool { return !isBulk(e) }, isBulk}
}

// isBulk reports data that a package has in another file.
func (x *extraction) isBulk(e *codecs.Entry) bool {
	_, _, part := asset.Split(x.ownName(e))
	return part == asset.Bulk
}

// jobs yields the chosen entries of a part with the files they go to. The order of the
// calls of reserve decides between names that collide.
func (x *extraction) jobs(ctx context.Context, reserve func(string) string, part func(*codecs.Entry) bool) iter.Seq[*job] {
	return func(yield func(*job) bool) {
		for e, err := range x.ar.Entries() {
			if ctx.Err() != nil || e != nil && !x.chosen.Takes(e) || !part(e) {
				continue
			}
			switch {
			case e != nil && x.legacy != nil && x.legacy.refused[packageStem(x.ownName(e))]:
				x.left++
				continue
			case e != nil && x.hides(e):
				x.skipped++
				continue
			case e != nil && !x.hasForm(e):
				x.others++
				continue
			}
			j := &job{entry: e, err: err}
			if e != nil && e.Flags&codecs.Deleted == 0 {
				j.out = reserve(x.fileName(e))
			}
			if !yield(j) {
				return
			}
		}
	}
}

// takes reports whether an entry is to be written.
func (x *extraction) takes(e *codecs.Entry) bool {
	return x.chosen.Takes(e) && x.hasForm(e)
}

// hasForm reports whether an entry may have one of the forms that are wanted, if any are.
func (x *extraction) hasForm(e *codecs.Entry) bool {
	if x.opts.as.form == legacyForm {
		return hasLegacyForm(e)
	}
	return x.opts.as.form == "" || mods.IsPackage(e) || isPicture(e) && slices.Contains(x.opts.as.forms(), "png")
}

// passedOver reports what is no package, where packages alone are written.
func (all *extractions) passedOver() string {
	if all.others == 0 {
		return ""
	}
	if forms := all.opts.as.forms(); all.opts.as.form != legacyForm && !slices.Contains(forms, "json") {
		return fmt.Sprintf("; %s left out that have no %s", cli.Plural(all.others, "entry", "entries"), mediaWord(forms...))
	}
	return fmt.Sprintf("; %s left out that are no packages", cli.Plural(all.others, "entry", "entries"))
}

// hides reports whether another entry of the build is mounted over e. What lies in
// archives within archives no game sees as files, and nothing hides it.
func (x *extraction) hides(e *codecs.Entry) bool {
	return e.Flags&codecs.Nested == 0 && x.hidden[x.source.Build][operand.Place{Archive: x.source.Name, Ordinal: e.Ordinal}]
}

// fileName is the wanted name of the entry: its path, or another text that
// distinguishes it from others.
func (x *extraction) fileName(e *codecs.Entry) string {
	name := x.ownName(e)
	if x.opts.as.form != "" && x.opts.as.form != legacyForm {
		return formName(name, x.opts.as.forms()[0])
	}
	return name
}

func (x *extraction) ownName(e *codecs.Entry) string {
	name := cmp.Or(x.packages.file(e), e.Name)
	switch {
	case name != "" && x.opts.mounted:
		return mount.Path(x.mount, name) + x.names.Suffix(e)
	case name != "" && x.opts.flat:
		return path.Base(name) + x.names.Suffix(e)
	case name != "":
		return name + x.names.Suffix(e)
	case !e.ID.IsZero():
		name = e.ID.String()
	default:
		name = strconv.Itoa(e.Ordinal)
	}
	if e.Type != "" {
		name += "." + e.Type
	}
	return name
}

// write extracts one entry. Only what concerns the folder is returned.
func (x *extraction) write(ctx context.Context, dir *safename.Dir, j *job) error {
	if x.media != nil && !mods.IsPackage(j.entry) {
		return x.media.writePicture(ctx, dir, x.ar, j)
	}
	if x.json != nil {
		if err := x.json.write(ctx, dir, x.bodies, j); err != nil || x.media == nil || j.err != nil {
			return err
		}
	}
	if x.media != nil {
		err := x.media.write(ctx, dir, x.bodies, j)
		j.none = j.none && x.json == nil
		return err
	}
	if x.legacy != nil {
		if ok, err := x.legacy.write(ctx, dir, x.bodies, j); ok || err != nil {
			return err
		}
	}
	r, err := openContent(ctx, x.ar, j.entry, x.opts.raw)
	if err != nil {
		j.err = err
		return nil
	}
	defer func() { _ = r.Close() }()
	f, err := dir.Create(j.out)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size := j.entry.Size
	if x.opts.raw {
		size = j.entry.Stored
	}
	var writeErr error
	if j.err, writeErr = operand.Copy(ctx, io.Writer(f), r, size); j.err != nil || writeErr != nil {
		return writeErr
	}
	return f.Commit(j.entry.Mod)
}

func (x *extraction) finish(j *job) error {
	switch {
	case j.err != nil:
		x.bad.Add(j.err)
	case j.none:
		x.others++
	case j.entry.Flags&codecs.Deleted == 0:
		x.sums.Add(j.entry)
	}
	return nil
}

// show writes what would go where.
func (all *extractions) show(ctx context.Context) error {
	line, end, err := all.lines()
	if err != nil {
		return err
	}
	var names safename.Names
	err = all.each(ctx, func(x *extraction) error {
		for j := range x.jobs(ctx, names.Reserve, func(*codecs.Entry) bool { return true }) {
			if j.err != nil {
				all.bad.Add(j.err)
			}
			if j.out == "" {
				continue
			}
			if err := line(j.entry, filepath.Join(all.opts.out, filepath.FromSlash(j.out))); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return errors.Join(err, end())
}

// lines returns what writes a line of the dry run, and what completes them.
func (all *extractions) lines() (line func(*codecs.Entry, string) error, end func() error, err error) {
	if all.opts.format == "" {
		out := bufio.NewWriter(all.a.Stdout)
		return func(e *codecs.Entry, file string) error {
			_, err := fmt.Fprintf(out, "%s -> %s\n", terminal.Printable(cli.Label(e)), terminal.Printable(file))
			return err
		}, out.Flush, nil
	}
	rows, err := all.a.Rows(all.opts.format, "ordinal", "path", "size", "file")
	if err != nil {
		return nil, nil, err
	}
	return func(e *codecs.Entry, file string) error {
		return rows.Write(int64(e.Ordinal), cli.TextOrNull(e.Name), e.Size, file)
	}, rows.Close, nil
}
