package operand

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
)

// OpenFor opens the archive at path, and when deep is set or one of the names
// asks for it, with what lies in archives within it.
func OpenFor(ctx context.Context, a *cli.App, path string, names []string, deep bool) (*Archive, error) {
	ar, err := Open(ctx, a, path)
	if err == nil && (deep || slices.ContainsFunc(names, NamesNested)) {
		LookInside(ctx, a, ar)
	}
	return ar, err
}

// LookInside wraps an archive, such that its entries include those of archives within
// it.
func LookInside(ctx context.Context, a *cli.App, ar *Archive) {
	ar.Archive = codecs.WrapNested(ctx, ar.Archive, path.Base(filepath.ToSlash(ar.Path)), a.Registry(), a.OpenOptions())
}

// NamesNested reports whether an entry's name or pattern leads into an archive within
// another.
func NamesNested(name string) bool {
	return strings.Contains(strings.ReplaceAll(name, `\`, "/"), codecs.NestedSeparator)
}

// SplitNested divides a path such as Game.pak!/Mods/A.umod after the part that is
// a file. ok is false when there is none.
func SplitNested(path string) (file, entry string, ok bool) {
	if _, err := os.Stat(path); err == nil {
		return path, "", false
	}
	for at := 0; ; {
		n := strings.Index(path[at:], codecs.NestedSeparator)
		if n < 0 {
			return path, "", false
		}
		at += n
		if st, err := os.Stat(path[:at]); err == nil && st.Mode().IsRegular() {
			return path[:at], path[at+len(codecs.NestedSeparator):], true
		}
		at += len(codecs.NestedSeparator)
	}
}

// openInside opens the archive that is an entry of the one in file.
func openInside(ctx context.Context, a *cli.App, file, entry string) (*Archive, error) {
	return openWithin(ctx, a, func(ctx context.Context) (*Archive, error) { return Open(ctx, a, file) }, entry)
}

// openWithin opens the archive that is an entry of another one.
func openWithin(ctx context.Context, a *cli.App, open func(context.Context) (*Archive, error), entry string) (_ *Archive, err error) {
	outer, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if NamesNested(entry) {
		LookInside(ctx, a, outer)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, outer.Close())
		}
	}()
	found, err := cli.Find(outer.Path, outer.Archive, []string{entry})
	if err != nil {
		return nil, err
	}
	content, err := SpoolEntry(ctx, outer, found[0])
	if err != nil {
		return nil, err
	}
	src := codecs.Source{ReaderAt: content, Name: path.Base(found[0].Name), Size: content.Size}
	inner, err := openSource(ctx, a, src)
	if err != nil {
		content.Close()
		return nil, err
	}
	inner.Path, inner.File = outer.Path+codecs.NestedSeparator+entry, outer.File
	inner.release = func() error { content.Close(); return outer.Close() }
	return inner, nil
}
