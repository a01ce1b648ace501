package archive

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/terminal"
)

type lsOptions struct {
	long, mounts bool

	sort   string
	format string
}

func newLsCommand(a *cli.App) *cobra.Command {
	var opts lsOptions
	cmd := &cobra.Command{
		Use:   "ls [flags] ARCHIVE... [GLOB...]",
		Short: "List the entries of archives",
		Long: `List the entries of archives in stored order, one path a line; an entry without
a name is #ORDINAL. With several archives each line is ARCHIVE!/PATH. Archives
come first, patterns follow (after -- if ambiguous). See "pakdb help operands"
and "pakdb help patterns".

-l adds sizes, method, time (UTC), flags (E encrypted, D delete record), type
and id. --sort size, stored and time list the largest or newest first. --mounts
shows folders or builds as a game mounts them: order, entries seen and hidden,
delete records, ties; with -l it lists the hidden entries.`,
		Example: `  pakdb ls -l 1.52 "Config/*.ini"
  pakdb ls --sort size -l Game.pak "Game/Content/**" | head
  pakdb ls --mounts Game/Content/Paks`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.mounts {
				return runMounts(cmd.Context(), a, args, opts.long, opts.format)
			}
			return runLs(cmd.Context(), a, opts, args, cmd.ArgsLenAtDash())
		},
	}
	cli.Flag(cmd, "long", &opts.long)
	cli.Flag(cmd, "sort", &opts.sort)
	cmd.Flags().BoolVar(&opts.mounts, "mounts", false, "show the mount order of folders or builds")
	cli.AddFormat(cmd, &opts.format)
	cli.CompleteFlag(cmd, "sort", sortKeys()...)
	return cmd
}

func runLs(ctx context.Context, a *cli.App, opts lsOptions, args []string, dash int) error {
	order, err := orderOf(opts)
	if err != nil {
		return err
	}
	sources, patterns, err := operand.SourcesAndPatterns(ctx, a, args, dash)
	if err != nil {
		return err
	}
	l := &listing{opts: opts, sources: sources, order: order, bad: cli.NewComplaints(a)}
	if l.chosen, err = cli.NewSelection(patterns); err != nil {
		return err
	}
	operand.Deepen(a, sources, patterns)
	if err := listEntries(ctx, a, l); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.chosen.Missed(operand.Where(sources), operand.Paths(ctx, sources)); err != nil {
		return err
	}
	return l.bad.Result()
}

// listing is one run of ls.
type listing struct {
	opts    lsOptions
	sources []operand.Source
	chosen  *cli.Selection
	order   order
	bad     *cli.Complaints
	err     error // of opening an archive
}

// item is an entry that is listed.
type item struct {
	*codecs.Entry
	archive string    // where there are several, else ""
	names   cli.Names // of the archive
}

// label is the path of an entry, with the archive before it where there are several:
// as "pakdb cat" takes it.
func (it item) label() string {
	if it.archive == "" {
		return cli.Label(it.Entry)
	}
	return it.archive + codecs.NestedSeparator + cli.Label(it.Entry)
}

// items yields the chosen entries of all archives. It may be called more than once.
func (l *listing) items(ctx context.Context, report func(error)) iter.Seq[item] {
	return l.order(func(yield func(item) bool) {
		for _, s := range l.sources {
			if l.err != nil || !l.itemsOf(ctx, s, report, yield) {
				return
			}
		}
	})
}

func (l *listing) itemsOf(ctx context.Context, s operand.Source, report func(error), yield func(item) bool) bool {
	ar, err := s.Open(ctx)
	if err != nil && (len(l.sources) == 1 || ctx.Err() != nil) {
		l.err = err
		return false
	}
	if err != nil {
		report(err)
		return true
	}
	defer func() { _ = ar.Close() }()
	it := item{names: cli.NamesOf(ar.Archive)}
	if len(l.sources) > 1 {
		it.archive = s.Path
	}
	for e := range listed(ctx, ar, l.chosen.In(ar.Archive), report) {
		it.Entry = e
		if !yield(it) {
			return false
		}
	}
	return true
}

// listEntries writes the entries in the way that the options ask for.
func listEntries(ctx context.Context, a *cli.App, l *listing) error {
	if l.opts.format != "" {
		return listRows(ctx, a, l)
	}
	out := bufio.NewWriterSize(a.Stdout, 64<<10)
	sums := &cli.Sums{}
	if err := writeItems(ctx, a, l, out, sums); err != nil {
		return err
	}
	if l.err != nil {
		return errors.Join(out.Flush(), l.err)
	}
	if l.opts.long && !a.Quiet && terminal.Is(a.Stdout) {
		_, _ = fmt.Fprintln(out, sums.Text())
	}
	return out.Flush()
}

func writeItems(ctx context.Context, a *cli.App, l *listing, out *bufio.Writer, sums *cli.Sums) error {
	if l.opts.long {
		long := newLongList(out)
		for it := range l.items(ctx, func(error) {}) {
			long.measure(it)
		}
		for it := range l.items(ctx, l.bad.Add) {
			sums.Add(it.Entry)
			if err := long.write(it); err != nil {
				return err
			}
		}
		return nil
	}
	escape := terminal.Is(a.Stdout)
	for it := range l.items(ctx, l.bad.Add) {
		sums.Add(it.Entry)
		if err := writePath(out, it.label(), escape); err != nil {
			return err
		}
	}
	return nil
}

func writePath(out *bufio.Writer, path string, escape bool) error {
	if escape {
		path = terminal.Printable(path)
	}
	_, _ = out.WriteString(path)
	return out.WriteByte('\n')
}

// listed yields the entries that were chosen, in stored order. What is wrong
// with any of them is reported; those that are there at all are listed.
func listed(ctx context.Context, ar *operand.Archive, chosen *cli.Selection, report func(error)) iter.Seq[*codecs.Entry] {
	return func(yield func(*codecs.Entry) bool) {
		n := 0
		for e, err := range ar.Entries() {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return
			}
			if e != nil && !chosen.Takes(e) {
				continue
			}
			if err != nil {
				report(err)
			}
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// order rearranges entries.
type order func(iter.Seq[item]) iter.Seq[item]

// sortBy compares entries, by name of the key: the largest and the newest come first.
func sortBy(key string) func(a, b item) int {
	switch key {
	case "path":
		return func(a, b item) int { return cmp.Compare(a.Name, b.Name) }
	case "size":
		return func(a, b item) int { return cmp.Compare(b.Size, a.Size) }
	case "stored":
		return func(a, b item) int { return cmp.Compare(b.Stored, a.Stored) }
	case "offset":
		return func(a, b item) int { return cmp.Compare(a.Offset, b.Offset) }
	case "ordinal":
		return func(a, b item) int { return cmp.Compare(a.Ordinal, b.Ordinal) }
	case "time":
		return func(a, b item) int { return b.Mod.Compare(a.Mod) }
	}
	return nil
}

func sortKeys() []string { return []string{"path", "size", "stored", "offset", "ordinal", "time"} }

// orderOf returns the order that the flags ask for. Stored order needs no
// memory; any other holds the entries.
func orderOf(opts lsOptions) (order, error) {
	compare := sortBy(opts.sort)
	switch {
	case opts.sort != "" && compare == nil:
		return nil, fmt.Errorf("%w: no sort key %q: want one of %s", cli.ErrUsage, opts.sort, strings.Join(sortKeys(), ", "))
	case opts.sort == "":
		return func(all iter.Seq[item]) iter.Seq[item] { return all }, nil
	}
	return func(all iter.Seq[item]) iter.Seq[item] {
		return func(yield func(item) bool) {
			entries := slices.Collect(all)
			slices.SortStableFunc(entries, compare)
			slices.Values(entries)(yield)
		}
	}, nil
}

// listRows names the columns as the catalog's view "entries" does. The column
// names, a JSON array, is there where an archive keeps names apart; the column archive
// where there are several.
func listRows(ctx context.Context, a *cli.App, l *listing) error {
	columns := []string{"ordinal", "path", "type", "asset_id", "path_hash", "offset", "stored", "size",
		"method", "encrypted", "deleted", "mtime"}
	named, err := l.hasNames(ctx)
	if err != nil {
		return err
	}
	if named {
		columns = append(columns, "names")
	}
	if len(l.sources) > 1 {
		columns = append(columns, "archive")
	}
	rows, err := a.Rows(l.opts.format, columns...)
	if err != nil {
		return err
	}
	for it := range l.items(ctx, l.bad.Add) {
		row := entryRow(it.Entry)
		if named {
			row = append(row, it.names.JSON(it.Entry))
		}
		if len(l.sources) > 1 {
			row = append(row, it.archive)
		}
		if err := rows.Write(row...); err != nil {
			return err
		}
	}
	return errors.Join(l.err, rows.Close())
}

// hasNames reports whether one of the archives keeps names apart.
func (l *listing) hasNames(ctx context.Context) (bool, error) {
	for _, s := range l.sources {
		ar, err := s.Open(ctx)
		switch {
		case err != nil && len(l.sources) == 1:
			return false, err
		case err != nil:
			continue // reported when it is listed
		}
		names := cli.NamesOf(ar.Archive)
		if err := ar.Close(); err != nil || names != nil {
			return names != nil, err
		}
	}
	return false, nil
}

func entryRow(e *codecs.Entry) []driver.Value {
	return []driver.Value{int64(e.Ordinal), cli.TextOrNull(e.Name), cli.TextOrNull(e.Type), cli.TextOrNull(e.ID.String()),
		cli.TextOrNull(e.PathHash.String()), e.Offset, e.Stored, e.Size, e.Method.String(),
		flag(e, codecs.Encrypted), flag(e, codecs.Deleted), cli.TextOrNull(cli.TimeText(e.Mod))}
}

func flag(e *codecs.Entry, which codecs.Flags) driver.Value {
	if e.Flags&which != 0 {
		return int64(1)
	}
	return int64(0)
}
