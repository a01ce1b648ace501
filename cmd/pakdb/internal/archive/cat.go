package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/glob"
	"pakdb/internal/terminal"
	"pakdb/query/show"
)

type catOptions struct {
	raw bool

	out string
	as  asOptions
}

func newCatCommand(a *cli.App) *cobra.Command {
	var opts catOptions
	cmd := &cobra.Command{
		Use:   "cat [flags] ARCHIVE ENTRY... | BUILD PATH... | [STORE:]BUILD:PATH...",
		Short: "Write the content of entries to stdout",
		Long: `Write the decoded content of entries to stdout, one after the other. An ENTRY
is a path, the end of a path, #ORDINAL, @ID in hex, a resource name or
/Game/... name (pakdb help operands), or, if there is no such entry, a pattern:
all matching entries are written, in stored order. Contents are verified while
they are read: if one is damaged, discard the output; the exit code is then 1.
With -o the file appears only when complete.

--as converts: json the values of Unreal packages, png textures and pictures,
hdr and exr textures with colours above white, wav and ogg sounds of that kind,
audio all sounds as they are (pakdb help values).`,
		Example: `  pakdb cat 1.52:Config/DefaultGame.ini
  pakdb cat Game.pak "Mods/A.umod!/System/A.u" -o A.u
  pakdb cat --as png 1.52:Game/Content/T_Logo.uasset -o logo.png`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := opts.as.check(a, opts.raw); err != nil {
				return err
			}
			if strings.Contains(opts.as.form, ",") {
				return fmt.Errorf("%w: cat --as takes one form", cli.ErrUsage)
			}
			args, whole, remove, err := operand.FetchPublished(cmd.Context(), a, args)
			defer func() { err = errors.Join(err, remove()) }()
			if err != nil {
				return err
			}
			if whole == len(args) && opts.as.form == "" {
				return catWhole(cmd.Context(), a, args, opts.out)
			}
			return runCat(cmd.Context(), a, opts, args)
		},
	}
	cli.Flag(cmd, "output", &opts.out)
	cli.Flag(cmd, "raw", &opts.raw)
	opts.as.add(cmd)
	opts.as.media.add(cmd)
	return cmd
}

func runCat(ctx context.Context, a *cli.App, opts catOptions, args []string) error {
	if opts.as.form != "" && opts.as.form != "json" && opts.out == "" && terminal.Is(a.Stdout) {
		return cli.WithHint(fmt.Errorf("%w: %s is binary, and stdout a terminal", cli.ErrUsage, opts.as.form), "write it to a file with -o FILE, or into a pipe: | cat")
	}
	if opts.as.form != "" && len(args) == 1 {
		if ok, err := catFileAs(ctx, a, args[0], opts.out, &opts.as); ok || err != nil {
			return err
		}
	}
	groups, err := openEntries(ctx, a, args)
	defer func() {
		for _, g := range groups {
			_ = g.ar.Close()
		}
	}()
	if err != nil {
		return err
	}
	if opts.out == "" {
		return catTo(ctx, a, a.Stdout, groups, opts)
	}
	return catFile(ctx, a, groups, opts)
}

// group is entries of one archive, in the order in which they are written.
type group struct {
	ar      *operand.Archive
	entries []*codecs.Entry
}

// openEntries opens the archives of the entries that the arguments name, or match. The caller
// closes the archives, whether or not there is an error.
func openEntries(ctx context.Context, a *cli.App, args []string) ([]group, error) {
	groups, err := openNames(ctx, a, args)
	if !errors.Is(err, codecs.ErrNotFound) && !errors.Is(err, show.ErrNoNode) || len(args) < 2 || !slices.ContainsFunc(args[1:], glob.Is) {
		return groups, err
	}
	for _, g := range groups {
		_ = g.ar.Close()
	}
	return openMatching(ctx, a, args)
}

// openNames opens the archives of entries by names: of an archive and entries, a build and
// paths, or of both.
func openNames(ctx context.Context, a *cli.App, args []string) (groups []group, err error) {
	names, err := entryNames(ctx, a, args, false)
	if err != nil {
		return nil, err
	}
	if names == nil {
		g, err := openAmong(ctx, a, args[0], args[1:])
		if err != nil {
			return nil, err
		}
		return []group{g}, nil
	}
	for _, name := range names {
		g, err := openEntry(ctx, a, name)
		if err != nil {
			return groups, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// entryNames returns names each of which has an archive, or a build, and an entry;
// nil where the first argument is the archive of all entries, or of its only one if
// that is allowed.
func entryNames(ctx context.Context, a *cli.App, args []string, only bool) (names []string, err error) {
	n, err := operand.Resolve(ctx, a, locate.Resolver{}, args[0])
	if err != nil {
		return nil, err
	}
	_, _, inside := operand.SplitNested(n.Path)
	switch {
	case n.Build != "" && !n.One && n.Entry == "" && len(args) > 1:
		for _, path := range args[1:] {
			names = append(names, n.Build+":"+path)
		}
		return names, nil
	case len(args) == 1 && (inside || n.Entry != ""), n.Entry != "" && !n.One:
		return args, nil
	case len(args) == 1 && !only:
		if err := operand.RefuseMissing(ctx, a, n); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: which ENTRY of %s?", cli.ErrUsage, args[0])
	}
	return nil, nil
}

// openEntry opens the archive of an entry whose name says both.
func openEntry(ctx context.Context, a *cli.App, name string) (g group, err error) {
	n, err := operand.Resolve(ctx, a, locate.Resolver{}, name)
	if err != nil {
		return g, err
	}
	return openNamed(ctx, a, n)
}

// openNamed opens the archive of the entry of a resolved name.
func openNamed(ctx context.Context, a *cli.App, n *locate.Name) (g group, err error) {
	if err := operand.Narrow(ctx, a, n); err != nil {
		return g, err
	}
	open := func(ctx context.Context) (*operand.Archive, error) { return operand.OpenInBuild(ctx, a, n, n.Files[0]) }
	if n.Build == "" {
		if file, entry, ok := operand.SplitNested(n.Path); ok && n.Entry == "" {
			n.Path, n.Entry = file, entry
		}
		open = func(ctx context.Context) (*operand.Archive, error) { return operand.Open(ctx, a, n.Path) }
	}
	if err := operand.RefuseMissing(ctx, a, n); err != nil {
		return g, err
	}
	if n.Entry == "" {
		return g, fmt.Errorf("%w: which ENTRY of %s?", cli.ErrUsage, n.Text)
	}
	if g.ar, err = open(ctx); err != nil {
		if g.ar, err = operand.OpenKept(ctx, a, n, err); err != nil {
			return g, err
		}
	}
	if operand.NamesNested(n.Entry) && !g.ar.Kept {
		operand.LookInside(ctx, a, g.ar)
	}
	if g.entries, err = cli.Find(g.ar.Path, g.ar.Archive, []string{n.Entry}); err != nil {
		return group{}, errors.Join(err, g.ar.Close())
	}
	return g, nil
}

// openAmong opens an archive and finds entries in it.
func openAmong(ctx context.Context, a *cli.App, name string, entries []string) (g group, err error) {
	sources, entry, err := operand.Sources(ctx, a, name)
	if err != nil {
		return g, err
	}
	if entry != "" {
		if sources, entry, err = operand.Within(ctx, a, sources, entry); err != nil {
			return g, err
		}
	}
	if entry != "" || len(sources) != 1 {
		return g, fmt.Errorf("%w: %s is no archive", cli.ErrUsage, name)
	}
	operand.Deepen(a, sources, entries)
	if g.ar, err = sources[0].Open(ctx); err != nil {
		return g, err
	}
	if g.entries, err = cli.Find(g.ar.Path, g.ar.Archive, entries); err != nil {
		return group{}, errors.Join(err, g.ar.Close())
	}
	return g, nil
}

// openMatching opens archives and finds the entries that match patterns.
func openMatching(ctx context.Context, a *cli.App, args []string) (groups []group, err error) {
	sources, patterns, err := operand.SourcesAndPatterns(ctx, a, args, 1)
	if err != nil {
		return nil, err
	}
	chosen, err := cli.NewSelection(patterns)
	if err != nil {
		return nil, err
	}
	operand.Deepen(a, sources, patterns)
	bad := cli.NewComplaints(a)
	for _, s := range sources {
		ar, err := s.Open(ctx)
		if err != nil {
			return groups, err
		}
		groups = append(groups, group{ar, slices.Collect(listed(ctx, ar, chosen.In(ar.Archive), bad.Add))})
	}
	if err := errors.Join(ctx.Err(), chosen.Missed(operand.Where(sources), operand.Paths(ctx, sources))); err != nil {
		return groups, err
	}
	return groups, bad.Result()
}

// catFile writes to a file that is not there until it is complete.
func catFile(ctx context.Context, a *cli.App, groups []group, opts catOptions) error {
	for _, g := range groups {
		if err := refuseSameFile(g.ar, opts.out); err != nil {
			return err
		}
	}
	var mod time.Time
	if len(groups) == 1 && len(groups[0].entries) == 1 {
		mod = groups[0].entries[0].Mod
	}
	return toFile(ctx, opts.out, mod, func(w io.Writer) error { return catTo(ctx, a, w, groups, opts) })
}

// refuseSameFile keeps a command from replacing what it reads.
func refuseSameFile(ar *operand.Archive, out string) error {
	in, err := ar.File.Stat()
	if err != nil {
		return err
	}
	if st, err := os.Stat(out); err == nil && os.SameFile(in, st) {
		return fmt.Errorf("%w: %s is the archive that is read", cli.ErrUsage, out)
	}
	return nil
}

func catTo(ctx context.Context, a *cli.App, w io.Writer, groups []group, opts catOptions) error {
	if opts.as.form != "" {
		return catAs(ctx, a, w, groups, &opts.as)
	}
	for _, g := range groups {
		for _, e := range g.entries {
			if err := catEntry(ctx, w, g.ar, e, opts); err != nil {
				return err
			}
		}
	}
	return nil
}

// catWhole writes files, one after the other.
func catWhole(ctx context.Context, a *cli.App, paths []string, out string) error {
	write := func(w io.Writer, cautious bool) error {
		for _, path := range paths {
			f, err := operand.OpenRegular(path)
			if err != nil {
				return err
			}
			err = copyContent(ctx, w, f, filepath.Base(path), cautious)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	}
	if out == "" {
		return write(a.Stdout, terminal.Is(a.Stdout))
	}
	return toFile(ctx, out, time.Time{}, func(w io.Writer) error { return write(w, false) })
}

func catEntry(ctx context.Context, w io.Writer, ar *operand.Archive, e *codecs.Entry, opts catOptions) error {
	if opts.raw && ar.Kept {
		return fmt.Errorf("%w: the archive of %s is not at hand, and its stored bytes are nowhere else", cli.ErrUsage, e.Name)
	}
	r, err := openContent(ctx, ar, e, opts.raw)
	if err != nil {
		return err
	}
	err = copyContent(ctx, w, r, cli.Label(e), terminal.Is(w))
	return errors.Join(err, r.Close())
}

func copyContent(ctx context.Context, w io.Writer, r io.Reader, name string, cautious bool) error {
	in := bufio.NewReaderSize(codecs.ContextReader(ctx, r), 64<<10)
	if cautious {
		if head, _ := in.Peek(1024); isBinary(head) {
			return cli.WithHint(fmt.Errorf("%w: %s is binary, and stdout a terminal", cli.ErrUsage, name), "write it to a file with -o FILE, or into a pipe: | cat")
		}
	}
	_, err := in.WriteTo(w)
	return err
}

// isBinary reports whether a terminal would not show head as text. The last
// character may be cut.
func isBinary(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return utf8.FullRune(head[i:])
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f', r == 0x7f, r >= 0x80 && r < 0xa0:
			return true
		}
		i += n
	}
	return false
}
