package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/internal/choose"
	"pakdb/internal/extract"
)

type catOptions struct {
	globs, fold, raw, force bool

	out string
}

func newCatCommand(a *app) *cobra.Command {
	var opts catOptions
	cmd := &cobra.Command{
		Use:   "cat [flags] ARCHIVE ENTRY...",
		Short: "Write the content of entries to stdout",
		Long: `Write the decoded content of entries to stdout, one after the other. An entry is
named by its path; by its path in another case if no other entry has that; by
#ORDINAL; by @ID, the asset id or path hash in hex, as "pakdb ls --format json"
shows them; or by the name of a resource, where the archive has such names. Of
several copies of one asset the first is taken. A package in an IoStore container
may be named as the engine does, /Game/Maps/Arena. With --glob all that match are
written, in stored order. What lies in an archive within the archive is named by
both paths: Mods/A.umod!/System/A.u.

Contents are verified while they are read. When one turns out to be damaged, what
was written by then is worthless, and the exit code is 1; with -o nothing is
left behind. Binary data goes to a terminal only with --force.`,
		Example: `  pakdb cat Calligraphy.sip Calligraphy/Curve.directory | xxd | head
  pakdb cat Game.pak "#17" -o table.uasset
  pakdb cat Game.pak @00000000a3c1f7d2 --raw -o block.bin
  pakdb cat Worlds.pak TestWorld -o world.mlvl
  pakdb cat --glob Game.pak "Config/*.ini"
  pakdb cat Game.pak "Mods/A.umod!/System/A.u" -o A.u`,
		Args:              usage(cobra.MinimumNArgs(2)),
		ValidArgsFunction: completing(a, completeEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCat(cmd.Context(), a, opts, args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.out, "output", "o", "", "write to `FILE`, which appears when it is complete")
	flags.BoolVar(&opts.globs, "glob", false, "the arguments are patterns")
	flags.BoolVarP(&opts.fold, "ignore-case", "i", false, "with --glob: patterns ignore case")
	flags.BoolVar(&opts.raw, "raw", false, "the bytes as they are stored: neither decoded nor verified")
	flags.BoolVar(&opts.force, "force", false, "write binary data to a terminal")
	return cmd
}

func runCat(ctx context.Context, a *app, opts catOptions, path string, names []string) error {
	ar, err := openFor(ctx, a, path, names, false)
	if err != nil {
		return err
	}
	defer func() { _ = ar.Close() }()
	entries, err := namedEntries(ctx, a, ar, opts, names)
	if err != nil {
		return err
	}
	if opts.out == "" {
		return catTo(ctx, a.stdout, ar, entries, opts)
	}
	return catFile(ctx, a, ar, entries, opts)
}

func namedEntries(ctx context.Context, a *app, ar *archive, opts catOptions, names []string) ([]*codecs.Entry, error) {
	if !opts.globs {
		return choose.Find(ar.path, ar.Archive, names)
	}
	chosen, err := choose.NewSelection(names, opts.fold)
	if err != nil {
		return nil, err
	}
	bad := &complaints{a: a}
	entries := slices.Collect(listed(ctx, ar, chosen.In(ar.Archive), bad.add))
	if err := errors.Join(ctx.Err(), chosen.Missed(ar.path, choose.Paths(ar.Archive))); err != nil {
		return nil, err
	}
	return entries, bad.result()
}

// catFile writes to a file that is not there until it is complete.
func catFile(ctx context.Context, a *app, ar *archive, entries []*codecs.Entry, opts catOptions) error {
	if err := refuseSameFile(ar, opts.out); err != nil {
		return err
	}
	dir, err := extract.Open(ctx, filepath.Dir(opts.out), true)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	out, err := dir.Create(filepath.Base(opts.out))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if err := catTo(ctx, out, ar, entries, opts); err != nil {
		return err
	}
	var mod time.Time
	if len(entries) == 1 {
		mod = entries[0].Mod
	}
	return out.Commit(mod)
}

// refuseSameFile keeps a command from replacing what it reads.
func refuseSameFile(ar *archive, out string) error {
	in, err := ar.file.Stat()
	if err != nil {
		return err
	}
	if st, err := os.Stat(out); err == nil && os.SameFile(in, st) {
		return fmt.Errorf("%w: %s is the archive that is read", errUsage, out)
	}
	return nil
}

func catTo(ctx context.Context, w io.Writer, ar *archive, entries []*codecs.Entry, opts catOptions) error {
	cautious := !opts.force && isTerminal(w)
	for _, e := range entries {
		r, err := openContent(ctx, ar, e, opts.raw)
		if err != nil {
			return err
		}
		err = copyContent(ctx, w, r, choose.Label(e), cautious)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

func copyContent(ctx context.Context, w io.Writer, r io.Reader, name string, cautious bool) error {
	in := bufio.NewReaderSize(codecs.ContextReader(ctx, r), 64<<10)
	if cautious {
		if head, _ := in.Peek(1024); isBinary(head) {
			return hinted(fmt.Errorf("%w: %s is binary, and stdout a terminal", errUsage, name), "write it to a file with -o FILE, or pass --force")
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
