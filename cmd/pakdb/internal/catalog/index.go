package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/unreal/rows"
	"pakdb/indexer"
	"pakdb/internal/objects"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

type indexOptions struct {
	build     string
	overwrite bool // merged builds
	force     bool
	store     bool
	without   []string // of parts
	quick     bool
	created   string
}

func newIndexCommand(a *cli.App) *cobra.Command {
	var opts indexOptions
	cmd := &cobra.Command{
		Use:   "index [flags] PATH...",
		Short: "Scan archives as one build, or merge catalogs",
		Long: `Scan files, folders and patterns into the catalog as one build. Archives are
known by their bytes; another file is an archive of one entry. Unchanged
archives (size, time and sampled bytes, or hash) are not read again, unless
--force. Builds appear when complete; run an interrupted scan again. Damage
becomes rows of the view "problems".

A PATH that is a catalog is merged instead: all of its builds are copied,
without the archives. --quick trusts the checksums that archives state.
--mappings is for packages of UE5 games (pakdb help values). --store keeps
contents beside the catalog, for when the archives are gone.`,
		Example: `  pakdb index --build 1.52 /games/mh-1.52/Data/Game
  pakdb index --mappings Game.usmap --build 1.2 /games/shooter/Content/Paks
  pakdb index --catalog game.db worker1.db worker2.db`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, part := range opts.without {
				if !slices.Contains(parts(), part) {
					return cli.UsageError(cmd, fmt.Errorf("--without %s: want one of %s", part, strings.Join(parts(), ", ")))
				}
			}
			if n := countCatalogs(args); n == len(args) {
				return opts.merge(cmd, a, args)
			} else if n > 0 {
				return cli.UsageError(cmd, errors.New("catalogs are merged, and archives scanned: not both at once"))
			}
			if opts.overwrite {
				return cli.UsageError(cmd, errors.New("--overwrite replaces builds by those of a catalog; a scan replaces its build anyway"))
			}
			if opts.quick && opts.store {
				return cli.UsageError(cmd, errors.New("--quick reads no contents; there is nothing to store"))
			}
			if cmd.Flags().Changed("created") && opts.created == "" {
				return cli.UsageError(cmd, errors.New("--created is empty")) // a variable that is not set, and not now
			}
			return runIndex(cmd.Context(), a, opts, args)
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "build", &opts.build)
	flags.BoolVar(&opts.force, "force", false, "scan unchanged archives again")
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	flags.BoolVar(&opts.store, "store", false, "keep contents beside the catalog")
	flags.StringSliceVar(&opts.without, "without", nil, "leave out `PARTS`: search, values, sketch")
	cli.CompleteFlag(cmd, "without", parts()...)
	cli.ReadsValues(cmd)
	flags.BoolVar(&opts.quick, "quick", false, "trust stated checksums, skip what they cover")
	flags.StringVar(&opts.created, "created", "", "`TIME` of the build, as 2026-03-01 (default: now)")
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	return cli.Reporting(a, cmd, cli.Indexed{Builds: []cli.MergedBuild{}})
}

// parts are what --without leaves out.
func parts() []string { return []string{"search", "values", "sketch"} }

func (opts *indexOptions) has(part string) bool { return !slices.Contains(opts.without, part) }

func (opts *indexOptions) search() schema.Search {
	if opts.has("search") {
		return schema.SearchMade
	}
	return schema.SearchDropped
}

func runIndex(ctx context.Context, a *cli.App, opts indexOptions, paths []string) error {
	catalog, err := schema.Open(ctx, a.Catalog)
	if err != nil {
		return err
	}
	noteUnchecked(a, catalog)
	report, err := scanBuild(ctx, a, catalog, opts, paths)
	if closeErr := catalog.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return reportIndexed(ctx, a, report)
}

// reportIndexed prints the result of a scan; its error says whether there are problems.
func reportIndexed(ctx context.Context, a *cli.App, report *indexer.Report) error {
	if err := printIndexed(a, report); err != nil || report.Problems == 0 {
		return err
	}
	if err := addIndexed(ctx, a, report.Build); err != nil {
		return err
	}
	return cli.ErrProblems
}

// addIndexed adds the problems of a build to the result, if one is wanted.
func addIndexed(ctx context.Context, a *cli.App, label string) error {
	if a.Result == nil {
		return nil
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	return errors.Join(a.Result.AddBuild(ctx, db, label), db.Close())
}

func scanBuild(ctx context.Context, a *cli.App, catalog *schema.Catalog, opts indexOptions, paths []string) (r *indexer.Report, err error) {
	// A scan keeps tables and batches alive while it makes garbage at a high
	// rate: collecting four times as often costs a few per cent of CPU and saves
	// a third of the memory. The ballast, which takes no memory because nobody writes
	// to it, lets a small heap make 8 MB of garbage before it is collected.
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	ballast := make([]byte, 32<<20)
	defer runtime.KeepAlive(ballast)
	workers, err := cli.Workers()
	if err != nil {
		return nil, err
	}
	o := indexer.Options{Catalog: catalog, Registry: a.Registry(), Paths: paths, Label: opts.build,
		Force: opts.force, Sketch: opts.has("sketch"), Workers: workers, Open: a.OpenOptions(), KeyPrint: a.Keys.Ring.Print(),
		Progress: &indexer.Progress{}, Passed: a.LeftOut}
	o.Quick, o.NoValues, o.Search = opts.quick, !opts.has("values"), opts.search()
	if err := addClasses(a, &o); err != nil {
		return nil, err
	}
	if o.Created, err = parseCreated(opts.created); err != nil {
		return nil, err
	}
	if opts.store {
		o.Store = objects.For(a.Catalog)
	}
	defer a.ShowProgress(ctx, o.Progress)()
	return indexer.Run(ctx, o)
}

// addClasses adds what values are read by.
func addClasses(a *cli.App, o *indexer.Options) (err error) {
	for _, path := range a.Mappings {
		m, err := readMappings(path)
		if err != nil {
			return err
		}
		o.Mappings = append(o.Mappings, m)
	}
	if a.Engine != "" {
		engine, err := rows.ParseEngine(a.Engine)
		if err != nil {
			return fmt.Errorf("%w: %w", cli.ErrUsage, err)
		}
		o.Engine = engine
	}
	return nil
}

// parseCreated reads a day or a time; zero if there is none.
func parseCreated(text string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	if t, err = time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	if t, err = time.Parse(time.RFC3339, text); err != nil {
		return t, cli.WithHint(fmt.Errorf("%w: --created %q is no time", cli.ErrUsage, text), "--created 2026-03-01, or --created 2026-03-01T18:30:00Z")
	}
	return t, nil
}

// readMappings reads a file of mappings. It is parsed once to say early what is wrong.
func readMappings(path string) (m schema.Mapping, err error) {
	if _, err = rows.OpenMappings(path); err == nil {
		m.Data, err = os.ReadFile(path)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = cli.WithHint(err, operand.NearestFile(path))
	}
	m.Name = filepath.Base(path)
	return m, err
}

func printIndexed(a *cli.App, r *indexer.Report) error {
	a.Result.Done(cli.IndexedBuild(r))
	if a.Quiet {
		return nil
	}
	reused := ""
	if r.Reused > 0 {
		reused = fmt.Sprintf(" (%d unchanged)", r.Reused)
	}
	skimmed := ""
	if r.Skimmed > 0 {
		skimmed = fmt.Sprintf(" (%d by checksum)", r.Skimmed)
	}
	_, err := fmt.Fprintf(a.Stdout, "build %q: %s%s, %s%s, %s decoded, %s stored, in %s\n", r.Build,
		cli.Plural(int64(r.Archives), "archive", "archives"), reused, cli.Plural(r.Entries, "entry", "entries"), skimmed,
		cli.HumanSize(r.Size), cli.HumanSize(r.Stored), r.Elapsed.Round(time.Millisecond))
	for _, odd := range r.Opaque.MappingProblems {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s\n", odd)
	}
	if note := opaqueNote(r); note != "" {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s\n", note)
	}
	if r.Problems > 0 {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s; see: pakdb query @problems %s\n", cli.Plural(r.Problems, "problem", "problems"), r.Build)
	}
	return err
}

// opaqueNote says how many objects were not read, and what may be wrong; "" where there is
// nothing to say: some classes have no list of properties at all.
func opaqueNote(r *indexer.Report) string {
	o := &r.Opaque
	tables := ""
	if o.Tables > 0 {
		tables = fmt.Sprintf("%s: row struct not in this build: %s", cli.Plural(o.Tables, "table", "tables"), o.RowStruct)
		if o.Structs > 1 {
			tables += fmt.Sprintf(" (and %d more)", o.Structs-1)
		}
	}
	var parts []string
	for _, part := range []string{tables, doubtNote(o), objectsNote(r)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// doubtNote names the classes that do not fit the mappings.
func doubtNote(o *indexer.Opaque) string {
	const most = 5
	if len(o.Doubted) == 0 {
		return ""
	}
	names, more := o.Doubted, ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("objects of %s%s do not fit %s: values read by these classes are marked as guessed", strings.Join(names, ", "), more, o.Mappings)
}

// objectsNote is [opaqueNote] without tables.
func objectsNote(r *indexer.Report) string {
	o := &r.Opaque
	what := fmt.Sprintf("%s of %d opaque", cli.Plural(o.Objects, "object", "objects"), o.Of)
	switch {
	case o.Class != "":
		what = fmt.Sprintf("no schema for class %s, %s", o.Class, what)
	case o.Objects*100 <= o.Of:
		return ""
	}
	if o.Mappings == "" {
		return what + "; --mappings FILE names the mappings (.usmap) of the game"
	}
	return fmt.Sprintf("%s; is %s of build %s?", what, o.Mappings, r.Build)
}

// noteUnchecked says what "pakdb index" and "pakdb rm" do not know.
func noteUnchecked(a *cli.App, c *schema.Catalog) {
	if c.Checked() || a.Quiet {
		return
	}
	_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s is larger than %s, so its pages were not checked for damage; pakdb verify does that\n",
		terminal.Printable(a.Catalog), cli.HumanSize(schema.QuickSize))
}
