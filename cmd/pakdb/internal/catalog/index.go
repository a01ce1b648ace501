package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/zeebo/blake3"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs/unreal/property"
	"pakdb/diff/ship/store/contents"
	"pakdb/diff/ship/store/place"
	"pakdb/indexer"
	"pakdb/internal/extract"
	"pakdb/internal/objects"
	"pakdb/schema"
)

type indexOptions struct {
	build     string
	force     bool
	workers   int
	extract   string
	overwrite bool
	store     bool
	bucket    string // that keeps the contents; "": the folder beside the catalog
	noSketch  bool
	noValues  bool
	noSearch  bool
	mappings  []string
	engine    string
	quick     bool
	created   string
}

func newIndexCommand(a *cli.App) *cobra.Command {
	var opts indexOptions
	cmd := &cobra.Command{
		Use:   "index [flags] PATH...",
		Short: "Scan archives into the catalog as one build",
		Long: `Scan files, folders and patterns into the catalog as one build. Archives are
recognised by their bytes, never by their names; any other file counts as an
archive of one entry. Every content is decoded and hashed.

An archive that has not changed since an earlier scan is not read again. It
counts as unchanged if its size, time and sampled bytes match, or its full hash
does. If a tool patches files in place and restores the old time, use --force.
--extract and --store need the contents, and read every archive.

--store s3://BUCKET/PREFIX keeps the contents in a bucket, beside what "pakdb publish"
put there. Whoever has the catalog and sets PAKDB_STORE to the same location can read
them: "pakdb cat BUILD:PATH", "diff", "show" and "serve" ask the bucket for what no
archive at hand has. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
"pakdb store prune" removes contents that no build needs.

A build of the same label is replaced in one step; a build becomes visible only
when it is complete. A scan that was interrupted goes on where it stopped when
it is run again.

--quick lists builds of any size in seconds: contents that an archive states a
checksum of, as Unreal paks do, are not read. Where equal stored bytes have been
read before, in any build, their content is known; else "content" stays NULL until
a scan reads them, and the view "sums" has the checksum. The .utoc of an IoStore
container states the start of each content's own hash, so that "content" is known,
by 40 digits instead of 64, without its .ucas. Damage is not found that
way, nor what contents refer to. A scan without --quick reads the archive again.

The values of objects in Unreal packages are in the views "properties",
"data_table_rows", "curve_keys" and "strings"; "property_coverage" says how much
was understood. --no-values leaves them out, and a --quick scan has none.
Packages whose lists of properties have no tags need --mappings: a .usmap has the
classes of one build of a game. The catalog keeps them for later scans. The classes
of blueprints are in other packages of the build. Packages without versions are
read by the engine that most of them fit, or by --engine.

What is damaged becomes a row of the view "problems"; the rest is indexed, and
the exit code is 1.`,
		Example: `  pakdb index *.sip
  pakdb index --build 1.52.0.1700 /games/mh-1.52/Data/Game
  pakdb index --build 1.10 --extract out/ mu_cdata.sip
  pakdb index --build 1.53 --format json build/ > index.json
  pakdb index --store --build 1.10 mu_cdata.sip
  pakdb index --store s3://games/game --build 1.10 mu_cdata.sip
  pakdb index --mappings Shooter-1.2.usmap --build 1.2 /games/shooter/Content/Paks
  pakdb index --engine 4.26 --build 1.0 /games/shooter/Content/Paks
  pakdb index --no-values --build 1.10 /games/shooter/Content/Paks`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := opts.placeStore(cmd, args)
			if err != nil {
				return err
			}
			if opts.quick && (opts.extract != "" || opts.store) {
				return cli.UsageError(cmd, errors.New("--quick reads no contents; there is nothing to extract or store"))
			}
			if cmd.Flags().Changed("created") && opts.created == "" {
				return cli.UsageError(cmd, errors.New("--created is no time")) // a variable that is not set, and not now
			}
			return runIndex(cmd.Context(), a, opts, args)
		},
	}
	var asJSON bool // the flag of 0.1.0
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if asJSON {
			return cmd.Flags().Set("format", "json")
		}
		return nil
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.build, "build", "b", "", "`LABEL` of the build (default: the folder's name)")
	flags.BoolVar(&opts.force, "force", false, "scan again what has not changed")
	flags.IntVar(&opts.workers, "workers", 0, "`N` parallel workers (default: one per CPU)")
	flags.StringVar(&opts.extract, "extract", "", "write contents to `DIR`/ARCHIVE/PATH while scanning")
	flags.BoolVar(&opts.overwrite, "overwrite", false, "with --extract: replace files that are there")
	flags.BoolVar(&opts.store, "store", false, "keep contents, compressed and once each, in CATALOG.objects or the bucket `s3://...`")
	flags.BoolVar(&opts.noSketch, "no-sketch", false, "do not store what \"pakdb diff\" finds similar contents by")
	flags.BoolVar(&opts.noValues, "no-values", false, "do not read the values of objects in Unreal packages")
	flags.BoolVar(&opts.noSearch, "no-search", false, "leave out the index of \"pakdb find\", or delete it")
	flags.StringArrayVar(&opts.mappings, "mappings", nil, "the classes of the game, from a .usmap `FILE`; may repeat; kept in the catalog")
	flags.StringVar(&opts.engine, "engine", "", "`VERSION` that cooked packages without versions, as 4.26")
	flags.BoolVar(&opts.quick, "quick", false, "trust the checksums that archives state, and read nothing that they cover")
	flags.StringVar(&opts.created, "created", "", "the build was made at this `TIME`, as 2026-03-01 or 2026-03-01T18:30:00Z (default: now)")
	flags.BoolVar(&asJSON, "json", false, "as --format json")
	_ = flags.MarkHidden("json")
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	_ = cmd.MarkFlagDirname("extract")
	return cli.Reporting(a, cmd, cli.Indexed{})
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
	o := indexer.Options{Catalog: catalog, Registry: a.Registry(), Paths: paths, Label: opts.build,
		Force: opts.force, Sketch: !opts.noSketch, Workers: opts.workers, Open: a.OpenOptions(), KeyPrint: a.Keys.Ring.Print(),
		Progress: &indexer.Progress{}, Passed: a.LeftOut}
	o.Quick, o.NoValues, o.Search = opts.quick, opts.noValues, schema.SearchMade
	if opts.noSearch {
		o.Search = schema.SearchDropped
	}
	if err := opts.addClasses(&o); err != nil {
		return nil, err
	}
	if o.Created, err = parseCreated(opts.created); err != nil {
		return nil, err
	}
	if opts.extract != "" {
		dir, err := extract.Open(ctx, opts.extract, opts.overwrite)
		if err != nil {
			return nil, err
		}
		defer func() { _ = dir.Close() }()
		o.Extract = dir
	}
	if opts.bucket != "" {
		return scanInto(ctx, a, o, opts.bucket)
	}
	if opts.store {
		o.Store = objects.For(a.Catalog)
	}
	defer a.ShowProgress(ctx, o.Progress)()
	return indexer.Run(ctx, o)
}

// scanInto scans a build whose contents a bucket keeps.
func scanInto(ctx context.Context, a *cli.App, o indexer.Options, bucket string) (*indexer.Report, error) {
	w, err := contents.Begin(ctx, bucket, os.Getenv)
	if err != nil {
		return nil, err
	}
	o.Store = w
	stop := a.ShowProgress(ctx, o.Progress)
	report, err := indexer.Run(ctx, o)
	stop()
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	added, err := w.Finish(report.Build)
	if errors.Is(err, contents.ErrPruned) {
		err = cli.WithHint(err, "scan the build again; \"pakdb store prune --grace\" must be longer than a scan takes")
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	if !a.Quiet {
		_, err = fmt.Fprintf(a.Stdout, "%s added to the bucket\n", cli.Plural(added, "content", "contents"))
	}
	return report, err
}

// placeStore finds out where --store keeps contents: the bucket after it, that of
// PAKDB_STORE, or the folder beside the catalog. It returns the other arguments.
func (opts *indexOptions) placeStore(cmd *cobra.Command, args []string) ([]string, error) {
	if !opts.store {
		return args, nil
	}
	opts.bucket = os.Getenv(cli.StoreVariable)
	var paths []string
	for i, arg := range args {
		switch {
		case !place.IsBucket(arg):
			paths = append(paths, arg)
		case i != len(paths):
			return nil, cli.UsageError(cmd, errors.New("--store takes one bucket"))
		default:
			opts.bucket = arg
		}
	}
	if len(paths) == 0 {
		return nil, cli.UsageError(cmd, errors.New("no PATH to scan"))
	}
	return paths, nil
}

// addClasses adds what values are read by.
func (opts *indexOptions) addClasses(o *indexer.Options) (err error) {
	for _, path := range opts.mappings {
		m, err := readMappings(path)
		if err != nil {
			return err
		}
		o.Mappings = append(o.Mappings, m)
	}
	if opts.engine != "" {
		engine, err := property.ParseEngine(opts.engine)
		if err != nil {
			return fmt.Errorf("%w: %w", cli.ErrUsage, err)
		}
		o.Engine = int(engine)
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
	if _, err = property.OpenUsmap(path); err == nil {
		m.Data, err = os.ReadFile(path)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = cli.WithHint(err, operand.NearestFile(path))
	}
	m.Name, m.Digest = filepath.Base(path), blake3.Sum256(m.Data)
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
	return fmt.Sprintf("objects of %s%s do not fit %s: what was read by these classes is marked as guessed", strings.Join(names, ", "), more, o.Mappings)
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
