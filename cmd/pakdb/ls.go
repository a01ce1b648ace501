package main

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/internal/choose"
)

type lsOptions struct {
	long, human, fold, totals, null, reverse, nested bool

	sort   string
	format string
}

func newLsCommand(a *app) *cobra.Command {
	var opts lsOptions
	cmd := &cobra.Command{
		Use:   "ls [flags] ARCHIVE [GLOB...]",
		Short: "List the entries of an archive",
		Long: `List the entries of an archive in stored order, one path a line. An entry
without a name is listed as #ORDINAL, which "pakdb cat" understands.

` + globHelp + `

` + nestedHelp + `

-l shows size and stored size in bytes, their ratio, the method, the time
(UTC), flags (E encrypted, D delete record), and the type and id of assets where
the archive has them; behind the path the names of the resource, in quotes, where
the archive keeps such names apart. --format gives all there is, for programs.`,
		Example: `  pakdb ls Calligraphy.sip
  pakdb ls -l Calligraphy.sip "*.curve"
  pakdb ls --sort size --reverse -lh Game.pak "Game/Content/**" | head
  pakdb ls --format json Game.pak | jq '.[].path'
  pakdb ls --nested Mods.umod
  pakdb ls -0 Game.pak "*.uasset" | xargs -0 -n1 pakdb cat Game.pak`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && opts.human {
				return nil // "pakdb ls -h" asks for help
			}
			return usage(cobra.MinimumNArgs(1))(cmd, args)
		},
		ValidArgsFunction: completing(a, completeEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return runLs(cmd.Context(), a, opts, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&opts.long, "long", "l", false, "sizes, method, time, flags and ids beside the paths")
	flags.BoolVarP(&opts.human, "human", "h", false, "with -l: sizes for people, as 1.5 MiB")
	flags.Bool("help", false, "help for ls")
	flags.BoolVarP(&opts.fold, "ignore-case", "i", false, "patterns ignore case")
	flags.BoolVar(&opts.totals, "totals", false, "a last line with the sums (with -l on a terminal always)")
	flags.BoolVarP(&opts.null, "null", "0", false, "end each path with a NUL instead of a newline")
	flags.StringVar(&opts.sort, "sort", "", "order by `KEY`: "+strings.Join(sortKeys(), ", "))
	flags.BoolVarP(&opts.reverse, "reverse", "r", false, "from last to first")
	addNested(cmd, &opts.nested)
	addFormat(cmd, &opts.format)
	completeFlag(cmd, "sort", sortKeys()...)
	exclusive(cmd, "null", "format")
	exclusive(cmd, "null", "long")
	return cmd
}

// globHelp is for every command that takes patterns.
const globHelp = `A pattern without a slash is for the last part of a path; * and ? stay within a
folder, ** goes across, [a-z] and {a,b} choose, "A/" is all below the folder A.
Quote patterns, or the shell expands them.`

func runLs(ctx context.Context, a *app, opts lsOptions, path string, patterns []string) error {
	chosen, err := choose.NewSelection(patterns, opts.fold)
	if err != nil {
		return err
	}
	order, err := orderOf(opts)
	if err != nil {
		return err
	}
	ar, err := openFor(ctx, a, path, patterns, opts.nested)
	if err != nil {
		return err
	}
	defer func() { _ = ar.Close() }()
	bad := &complaints{a: a}
	entries := func(report func(error)) iter.Seq[*codecs.Entry] {
		return order(listed(ctx, ar, chosen.In(ar.Archive), report))
	}
	if err := listEntries(a, opts, entries, choose.NamesOf(ar.Archive), bad); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := chosen.Missed(ar.path, choose.Paths(ar.Archive)); err != nil {
		return err
	}
	return bad.result()
}

// listEntries writes the entries in the way that the flags ask for. entries may be
// called more than once.
func listEntries(a *app, opts lsOptions, entries func(report func(error)) iter.Seq[*codecs.Entry], names choose.Names, bad *complaints) error {
	if opts.format != "" {
		return listRows(a, opts.format, entries(bad.add), names)
	}
	out := bufio.NewWriterSize(a.stdout, 64<<10)
	sums := &sums{}
	if opts.long {
		long := newLongList(out, opts.human, names)
		for e := range entries(func(error) {}) {
			long.measure(e)
		}
		for e := range sums.of(entries(bad.add)) {
			if err := long.write(e); err != nil {
				return err
			}
		}
	} else {
		escape := !opts.null && isTerminal(a.stdout)
		for e := range sums.of(entries(bad.add)) {
			if err := writePath(out, e, opts.null, escape); err != nil {
				return err
			}
		}
	}
	if opts.totals || opts.long && !a.quiet && isTerminal(a.stdout) {
		_, _ = fmt.Fprintln(out, sums.text(opts.human))
	}
	return out.Flush()
}

func writePath(out *bufio.Writer, e *codecs.Entry, null, escape bool) error {
	path, end := choose.Label(e), byte('\n')
	if null {
		end = 0
	}
	if escape {
		path = printable(path)
	}
	_, _ = out.WriteString(path)
	return out.WriteByte(end)
}

// listed yields the entries that were chosen, in stored order. What is wrong
// with any of them is reported; those that are there at all are listed.
func listed(ctx context.Context, ar *archive, chosen *choose.Selection, report func(error)) iter.Seq[*codecs.Entry] {
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
type order func(iter.Seq[*codecs.Entry]) iter.Seq[*codecs.Entry]

// sortBy compares entries, by name of the key.
func sortBy(key string) func(a, b *codecs.Entry) int {
	switch key {
	case "path":
		return func(a, b *codecs.Entry) int { return cmp.Compare(a.Name, b.Name) }
	case "size":
		return func(a, b *codecs.Entry) int { return cmp.Compare(a.Size, b.Size) }
	case "stored":
		return func(a, b *codecs.Entry) int { return cmp.Compare(a.Stored, b.Stored) }
	case "offset":
		return func(a, b *codecs.Entry) int { return cmp.Compare(a.Offset, b.Offset) }
	case "ordinal":
		return func(a, b *codecs.Entry) int { return cmp.Compare(a.Ordinal, b.Ordinal) }
	case "time":
		return func(a, b *codecs.Entry) int { return a.Mod.Compare(b.Mod) }
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
		return nil, fmt.Errorf("%w: no sort key %q; there are %s", errUsage, opts.sort, strings.Join(sortKeys(), ", "))
	case opts.sort == "" && !opts.reverse:
		return func(all iter.Seq[*codecs.Entry]) iter.Seq[*codecs.Entry] { return all }, nil
	}
	return func(all iter.Seq[*codecs.Entry]) iter.Seq[*codecs.Entry] {
		return func(yield func(*codecs.Entry) bool) {
			entries := slices.Collect(all)
			if compare != nil {
				slices.SortStableFunc(entries, compare)
			}
			if opts.reverse {
				slices.Reverse(entries)
			}
			slices.Values(entries)(yield)
		}
	}, nil
}

// listRows names the columns as the catalog's view "entries" does. The column
// names, a JSON array, is there where the archive keeps names apart.
func listRows(a *app, format string, entries iter.Seq[*codecs.Entry], names choose.Names) error {
	columns := []string{"ordinal", "path", "type", "asset_id", "path_hash", "offset", "stored", "size",
		"method", "encrypted", "deleted", "mtime"}
	if names != nil {
		columns = append(columns, "names")
	}
	rows, err := a.rows(format, columns...)
	if err != nil {
		return err
	}
	for e := range entries {
		row := []driver.Value{int64(e.Ordinal), textOrNull(e.Name), textOrNull(e.Type), textOrNull(e.ID.String()),
			textOrNull(e.PathHash.String()), e.Offset, e.Stored, e.Size, e.Method.String(),
			flag(e, codecs.Encrypted), flag(e, codecs.Deleted), textOrNull(timeText(e.Mod))}
		if names != nil {
			row = append(row, names.JSON(e))
		}
		if err := rows.Write(row...); err != nil {
			return err
		}
	}
	return rows.Close()
}

func flag(e *codecs.Entry, which codecs.Flags) driver.Value {
	if e.Flags&which != 0 {
		return int64(1)
	}
	return int64(0)
}
