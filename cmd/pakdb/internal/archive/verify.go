package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/indexer"
	"pakdb/query"
)

func newVerifyCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "verify [flags] ARCHIVE|FOLDER|CATALOG...",
		Short: "Check archives or a catalog: structure, checksums, contents",
		Long: `Read archives to their last byte: tables, checksums, every content, and claims
of the format as a whole, such as order and gaps. Each finding is a line: file,
entry, field, offset, cause. In a FOLDER all archives are checked, other files
counted.

A catalog is checked too: its pages and indexes, references between tables, and
the rows of each build. Findings name the builds that can still be read. SQLite
has no checksums: a number that was replaced, such as a time, is not found. The
exit code is 1 when there are findings.`,
		Example: `  pakdb verify 1.52
  pakdb verify --format junit build/*.pak > verify.xml
  pakdb verify -q pakdb.db && echo sound`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteArchives),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd.Context(), a, format, args)
		},
	}
	cli.AddFormat(cmd, &format, append(query.Formats(), formatJUnit)...)
	return cli.Reporting(a, cmd, cli.Verified{})
}

func runVerify(ctx context.Context, a *cli.App, format string, paths []string) error {
	v := &verification{a: a}
	paths, catalogs := splitCatalogs(a, paths)
	sources, err := v.sources(ctx, paths)
	if err != nil {
		return err
	}
	operand.LookInsideAll(a, sources)
	if format != "" && a.Result == nil {
		// Named as in the catalog's view "problems".
		if v.rows, err = a.Rows(format, "archive", "path", "field", "offset", "cause", "ordinal"); err != nil {
			return err
		}
	}
	for _, path := range catalogs {
		if err := v.catalog(ctx, path); err != nil {
			return err
		}
	}
	for _, s := range sources {
		if err := v.archive(ctx, s); err != nil {
			return err
		}
	}
	a.Result.Done(cli.Verified{Archives: v.archives, Entries: v.sums.Entries, Size: v.sums.Size, Others: v.others})
	if v.archives == 0 && len(catalogs) == 0 {
		return cli.WithHint(fmt.Errorf("%w: no archive below %s", cli.ErrUsage, strings.Join(paths, ", ")),
			cli.Plural(v.others, "other file is", "other files are")+" there; pakdb reads "+operand.Formats(a))
	}
	if err := v.summary(); err != nil {
		return err
	}
	if v.hint != "" {
		_, _ = fmt.Fprintln(a.Stderr, "hint: "+v.hint)
	}
	switch {
	case v.fails:
		return cli.ErrFailures
	case v.found > 0:
		return cli.ErrProblems
	}
	return nil
}

// formatJUnit is XML that build servers show.
const formatJUnit = "junit"

// verification is one run of verify.
type verification struct {
	a     *cli.App
	rows  *query.Rows // nil: findings are lines for people
	path  string      // of the archive that is read
	below bool        // it was found below a folder
	found int64
	fails bool // a finding is a failure of the machine, and says nothing of the archive
	sums  cli.Sums
	hint  string // what to do about a finding, "" nothing
	err   error  // of writing the findings

	archives int
	others   int64 // files below folders that are no archives

	repeated codecs.Repeated // of the archive that is read
	seen     map[cause]int   // findings of its entries
}

// sources resolves the names of archives, and finds those below folders.
func (v *verification) sources(ctx context.Context, names []string) (all []operand.Source, err error) {
	for _, name := range names {
		if st, err := os.Stat(name); err != nil || !st.IsDir() {
			more, err := operand.AllSources(ctx, v.a, []string{name})
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
			continue
		}
		below, err := operand.Below(ctx, v.a, name)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// report takes what is wrong with an entry, or with the archive as a whole. What
// many entries have for one cause is written when the archive has been read.
func (v *verification) report(e *codecs.Entry, err error) {
	if !v.repeated.Takes(e, err) {
		v.write(e, err)
	}
}

// write writes a finding.
func (v *verification) write(e *codecs.Entry, err error) {
	if v.below {
		err = cli.OfFile(err, v.path, "") // several folders may have files of one name
	}
	v.found++
	v.fails = v.fails || cli.Code(err) == cli.ExitFailed
	problem := cli.Of(v.path, e, err)
	v.a.Result.Add(problem)
	if v.err != nil {
		return
	}
	if v.rows != nil {
		v.err = v.rows.Write(problem.Row()...)
		return
	}
	if cli.WantsKey(err) {
		v.hint = cli.Hint(err)
	}
	v.a.ClearLine()
	_, v.err = fmt.Fprintln(v.a.Stdout, err)
}

func (v *verification) summary() error {
	switch {
	case v.rows != nil:
		return v.rows.Close()
	case v.a.Quiet || v.archives == 0:
		return nil
	}
	_, err := fmt.Fprintf(v.a.Stdout, "%s, %s, %s decoded: %s\n", cli.Plural(int64(v.archives), "archive", "archives"),
		cli.Plural(v.sums.Entries, "entry", "entries"), cli.HumanSize(v.sums.Size), cli.Plural(v.found, "finding", "findings"))
	if err == nil && v.others > 0 {
		_, err = fmt.Fprintf(v.a.Stdout, "%s: not checked\n", cli.Plural(v.others, "other file is no archive", "other files are no archives"))
	}
	return err
}

// archive checks one file. One that is no archive, or too damaged to open, is a
// finding; one that is not there is not.
func (v *verification) archive(ctx context.Context, s operand.Source) error {
	v.path, v.below, v.repeated, v.seen = s.Path, s.Found, codecs.Repeated{}, map[cause]int{}
	ar, err := s.Open(ctx)
	if s.Found && errors.Is(err, codecs.ErrUnknown) {
		v.others++
		return nil
	}
	v.archives++
	v.a.Result.Checked(v.path)
	if err := v.read(ctx, ar, err); err != nil {
		return err
	}
	for e, err := range v.repeated.All() {
		v.write(e, err)
	}
	return v.err
}

// read reports what is wrong with an archive, or why it does not open, and closes it.
func (v *verification) read(ctx context.Context, ar *operand.Archive, err error) error {
	var fe *codecs.FormatError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fe), errors.Is(err, locate.ErrChanged):
		v.report(nil, err)
		return v.err
	case err != nil:
		return err
	}
	defer func() { _ = ar.Close() }()
	if err := v.contents(ctx, ar); err != nil {
		return err
	}
	if verifier, ok := codecs.ArchiveAs[codecs.Verifier](ar.Archive); ok {
		err = verifier.Verify(ctx, v.claim)
	}
	return errors.Join(err, v.err)
}

// contents reads every entry to its end, as a scan does.
func (v *verification) contents(ctx context.Context, ar *operand.Archive) error {
	progress := newProgress(v.a, ar, (&cli.Selection{}).Takes)
	defer v.a.ShowProgress(ctx, progress)()
	return indexer.Check(ctx, ar.Archive, &indexer.Checking{
		Registry: v.a.Registry(), Format: ar.Format, Path: ar.Path, Progress: progress,
		Entry: v.sums.Add,
		Found: func(e *codecs.Entry, err error) error {
			v.seen[causeOf(e, err)]++
			v.report(e, err)
			return v.err
		},
	})
}

// claim reports a contradiction of a claim of the archive as a whole, unless reading the
// entries found the same.
func (v *verification) claim(fe *codecs.FormatError) {
	key := causeOf(nil, fe)
	if v.seen[key] > 0 {
		v.seen[key]--
		return
	}
	v.report(nil, fe)
}

// cause is what two findings of one fault have in common. Of an entry they may say, or not
// say, in which field it is.
type cause struct{ entry, place, text string }

func causeOf(e *codecs.Entry, err error) cause {
	var fe *codecs.FormatError
	if !errors.As(err, &fe) {
		return cause{text: err.Error()}
	}
	c := cause{entry: fe.Entry, text: fe.Err.Error()}
	if c.entry == "" && e != nil {
		c.entry = e.Name
	}
	if c.entry == "" {
		c.place = fmt.Sprintf("%s@%d", fe.Field, fe.Off)
	}
	return c
}
