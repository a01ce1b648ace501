package main

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/nested"
	"pakdb/internal/choose"
)

// nestedHelp is for commands that can look into archives within an archive.
const nestedHelp = `Archives can lie in archives: with --nested, or when a pattern has a "!/" in it,
their entries follow those of the ARCHIVE, as Mods/A.umod!/System/A.u. ARCHIVE
itself may be such a path: Game.pak!/Mods/A.umod.`

// openFor opens the archive at path, and when deep is set or one of the names
// asks for it, with what lies in archives within it.
func openFor(ctx context.Context, a *app, path string, names []string, deep bool) (*archive, error) {
	ar, err := a.open(ctx, path)
	if err == nil && (deep || slices.ContainsFunc(names, namesNested)) {
		lookInside(ctx, a, ar)
	}
	return ar, err
}

func addNested(cmd *cobra.Command, deep *bool) {
	cmd.Flags().BoolVar(deep, "nested", false, "also what lies in archives within the archive")
}

func lookInside(ctx context.Context, a *app, ar *archive) {
	ar.Archive = nested.Wrap(ctx, ar.Archive, path.Base(filepath.ToSlash(ar.path)), a.registry(), a.openOptions())
}

func namesNested(name string) bool {
	return strings.Contains(strings.ReplaceAll(name, `\`, "/"), nested.Separator)
}

// splitInside divides a path such as Game.pak!/Mods/A.umod after the part that is
// a file. ok is false when there is none.
func splitInside(path string) (file, entry string, ok bool) {
	if _, err := os.Stat(path); err == nil {
		return path, "", false
	}
	for at := 0; ; {
		n := strings.Index(path[at:], nested.Separator)
		if n < 0 {
			return path, "", false
		}
		at += n
		if st, err := os.Stat(path[:at]); err == nil && st.Mode().IsRegular() {
			return path[:at], path[at+len(nested.Separator):], true
		}
		at += len(nested.Separator)
	}
}

// openInside opens the archive that is an entry of the one in file.
func openInside(ctx context.Context, a *app, file, entry string) (*archive, error) {
	return openWithin(ctx, a, func(ctx context.Context) (*archive, error) { return a.open(ctx, file) }, entry)
}

// openWithin opens the archive that is an entry of another one.
func openWithin(ctx context.Context, a *app, open func(context.Context) (*archive, error), entry string) (_ *archive, err error) {
	outer, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if namesNested(entry) {
		lookInside(ctx, a, outer)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, outer.Close())
		}
	}()
	found, err := choose.Find(outer.path, outer.Archive, []string{entry})
	if err != nil {
		return nil, err
	}
	content, err := spoolEntry(ctx, outer, found[0])
	if err != nil {
		return nil, err
	}
	src := codecs.Source{ReaderAt: content, Name: path.Base(found[0].Name), Size: content.size}
	inner, err := a.openSource(ctx, src)
	if err != nil {
		content.close()
		return nil, err
	}
	inner.path, inner.file = outer.path+nested.Separator+entry, outer.file
	inner.release = func() error { content.close(); return outer.Close() }
	return inner, nil
}
