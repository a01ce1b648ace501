package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/mount"
	"pakdb/internal/choose"
	"pakdb/internal/extract"
)

type extractOptions struct {
	fold, overwrite, dryRun, raw, flat, plain, mounted, nested bool

	out, format string
}

func newExtractCommand(a *app) *cobra.Command {
	var opts extractOptions
	cmd := &cobra.Command{
		Use:   "extract [flags] ARCHIVE [GLOB...] -o DIR",
		Short: "Write entries into a folder",
		Long: `Write the decoded content of entries into a folder, with their times where the
archive has them. Delete records are passed over.

` + globHelp + `

` + nestedHelp + `

Names in archives are not trusted: nothing is written outside DIR, names that no
file system takes are escaped as %XX, and of names that differ in case only the
second gets "~2", as do copies. A file appears when it is complete. --dry-run
shows what goes where.

Patterns without wildcards may be long package names of Unreal, /Game/Maps/Arena:
they find the package's chunk in an IoStore container, whether or not it has a
path there. Chunks without a path are written under their packages' names.

Where the archive names resources apart from its entries, the first name follows
the path behind a dot, TXTR/7b2ea5b1.Visor, unless --plain-names is set.

Entries that are damaged are reported, the others extracted, and the exit code
is 1. Files that are there already end it, unless --overwrite is set.`,
		Example: `  pakdb extract Calligraphy.sip -o out
  pakdb extract Game.pak "Game/Config/**" -o out --overwrite
  pakdb extract "Game.pak!/Mods/A.umod" -o out
  pakdb extract Game.utoc /Game/Maps/Arena "/Game/Maps/Arena.ubulk" -o out
  pakdb extract --dry-run Game.pak "*.uasset" -o out`,
	}
	addExtract(a, cmd, &opts)
	flags := cmd.Flags()
	flags.BoolVar(&opts.raw, "raw", false, "the bytes as they are stored: neither decoded nor verified")
	flags.BoolVar(&opts.plain, "plain-names", false, "without the names of resources")
	flags.BoolVar(&opts.flat, "flat", false, "without the folders of the archive")
	addNested(cmd, &opts.nested)
	return cmd
}

// addExtract gives cmd what the commands that write entries into a folder have in
// common: arguments, flags, and the run itself.
func addExtract(a *app, cmd *cobra.Command, opts *extractOptions) {
	cmd.Args = usage(cobra.MinimumNArgs(1))
	cmd.ValidArgsFunction = completing(a, completeEntries)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if opts.out == "" {
			return usageError(cmd, fmt.Errorf("%s where to? pass -o DIR", cmd.Name()))
		}
		if opts.format != "" && !opts.dryRun {
			return usageError(cmd, errors.New("--format is for --dry-run"))
		}
		return runExtract(cmd.Context(), a, *opts, args[0], args[1:])
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.out, "output", "o", "", "the folder `DIR`, made if need be")
	flags.BoolVarP(&opts.fold, "ignore-case", "i", false, "patterns ignore case")
	flags.BoolVar(&opts.overwrite, "overwrite", false, "replace files that are there")
	flags.BoolVarP(&opts.dryRun, "dry-run", "n", false, "show what goes where, and write nothing")
	addFormat(cmd, &opts.format)
	_ = cmd.MarkFlagDirname("output")
}

func runExtract(ctx context.Context, a *app, opts extractOptions, archivePath string, patterns []string) error {
	chosen, err := choose.NewSelection(patterns, opts.fold)
	if err != nil {
		return err
	}
	ar, err := openFor(ctx, a, archivePath, patterns, opts.nested)
	if err != nil {
		return err
	}
	defer func() { _ = ar.Close() }()
	chosen.In(ar.Archive)
	x := &extraction{a: a, ar: ar, opts: opts, bad: complaints{a: a}, mount: ar.Info().MountPoint}
	if !opts.plain {
		x.names = choose.NamesOf(ar.Archive)
	}
	x.packages = unnamedPackages(ctx, ar)
	if opts.dryRun {
		err = x.show(ctx, chosen)
	} else {
		err = x.run(ctx, chosen)
	}
	if err != nil {
		return err
	}
	if err := chosen.Missed(ar.path, choose.Paths(ar.Archive)); err != nil {
		return err
	}
	return x.bad.result()
}

// extraction is one run of extract.
type extraction struct {
	a    *app
	ar   *archive
	opts extractOptions
	bad  complaints
	sums sums

	names    choose.Names
	packages packageNames
	mount    string
}

func (x *extraction) run(ctx context.Context, chosen *choose.Selection) error {
	dir, err := extract.Open(ctx, x.opts.out, x.opts.overwrite)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	progress := newProgress(x.a, x.ar, chosen)
	hide := x.a.showProgress(ctx, progress)
	err = eachContent(ctx, x.jobs(ctx, chosen, dir.Reserve), progress,
		func(ctx context.Context, j *job) error { return x.write(ctx, dir, j) }, x.finish)
	hide()
	if err != nil || x.a.quiet {
		return err
	}
	_, err = fmt.Fprintf(x.a.stdout, "%s, %s, extracted into %s\n", plural(x.sums.entries, "entry", "entries"),
		humanSize(x.sums.size), x.opts.out)
	return err
}

// jobs yields the chosen entries with the files they go to. The order of the
// calls of reserve decides between names that collide.
func (x *extraction) jobs(ctx context.Context, chosen *choose.Selection, reserve func(string) string) iter.Seq[*job] {
	return func(yield func(*job) bool) {
		for e, err := range x.ar.Entries() {
			if ctx.Err() != nil || e != nil && !chosen.Takes(e) {
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

// fileName is what the entry would like to be called: its path, or what else
// tells it apart from others.
func (x *extraction) fileName(e *codecs.Entry) string {
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
func (x *extraction) write(ctx context.Context, dir *extract.Dir, j *job) error {
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
	if j.err, writeErr = copyAll(ctx, io.Writer(f), r, size); j.err != nil || writeErr != nil {
		return writeErr
	}
	return f.Commit(j.entry.Mod)
}

func (x *extraction) finish(j *job) error {
	switch {
	case j.err != nil:
		x.bad.add(j.err)
	case j.entry.Flags&codecs.Deleted == 0:
		x.sums.add(j.entry)
	}
	return nil
}

// show writes what would go where.
func (x *extraction) show(ctx context.Context, chosen *choose.Selection) error {
	line, end, err := x.lines()
	if err != nil {
		return err
	}
	var names extract.Names
	for j := range x.jobs(ctx, chosen, names.Reserve) {
		if j.err != nil {
			x.bad.add(j.err)
		}
		if j.out == "" {
			continue
		}
		if err := line(j.entry, filepath.Join(x.opts.out, filepath.FromSlash(j.out))); err != nil {
			return err
		}
	}
	return errors.Join(end(), ctx.Err())
}

// lines returns what writes a line of the dry run, and what completes them.
func (x *extraction) lines() (line func(*codecs.Entry, string) error, end func() error, err error) {
	if x.opts.format == "" {
		out := bufio.NewWriter(x.a.stdout)
		return func(e *codecs.Entry, file string) error {
			_, err := fmt.Fprintf(out, "%s -> %s\n", printable(choose.Label(e)), printable(file))
			return err
		}, out.Flush, nil
	}
	rows, err := x.a.rows(x.opts.format, "ordinal", "path", "size", "file")
	if err != nil {
		return nil, nil, err
	}
	return func(e *codecs.Entry, file string) error {
		return rows.Write(int64(e.Ordinal), textOrNull(e.Name), e.Size, file)
	}, rows.Close, nil
}
