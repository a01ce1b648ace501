package operand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/indexer"
	"pakdb/internal/glob"
	"pakdb/internal/regular"
	"pakdb/schema"
)

// Archive is a file opened for reading its entries.
type Archive struct {
	codecs.Archive
	Format  *codecs.Format
	Path    string // as the user gave it
	Size    int64
	Build   string       // of the catalog that it is of, ""
	File    *os.File     // that holds it, maybe in an archive of its own
	Kept    bool         // it is one content, of an archive that is not at hand
	release func() error // what it is read from
}

// Close closes the archive, then its file.
func (ar *Archive) Close() error { return errors.Join(ar.Archive.Close(), ar.release()) }

// Open opens the archive at path, a file or an entry of one. The caller closes
// it.
func Open(ctx context.Context, a *cli.App, path string) (*Archive, error) {
	if file, entry, ok := SplitNested(path); ok {
		return openInside(ctx, a, file, entry)
	}
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	ar, err := openFile(ctx, a, path, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return ar, nil
}

// OpenRegular opens a file, or suggests others. What is no regular file is refused
// unopened.
func OpenRegular(path string) (*os.File, error) {
	f, err := regular.Open(path)
	if errors.Is(err, regular.ErrNotRegular) {
		return nil, cli.Usage(fmt.Errorf("%s is not a regular file", path))
	}
	if err != nil {
		return nil, cli.WithHint(err, NearestFile(path))
	}
	return f, nil
}

func openFile(ctx context.Context, a *cli.App, path string, f *os.File) (*Archive, error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, cli.WithHint(fmt.Errorf("%w: %s is a folder", cli.ErrUsage, path), "name one archive in it")
	}
	src, err := codecs.FileSource(f)
	if err != nil {
		return nil, err
	}
	ar, err := openSource(ctx, a, src)
	if errors.Is(err, codecs.ErrUnknown) {
		return nil, cli.WithHint(err, cmp.Or(ownFileHint(ctx, path), contentHint(a, src, path), cli.Hint(err)))
	}
	if err != nil {
		return nil, err
	}
	ar.Path, ar.File, ar.release = path, f, f.Close
	return ar, nil
}

// ownFileHint is the hint for a file of pakdb in place of an archive.
func ownFileHint(ctx context.Context, path string) string {
	if _, err := delta.ReadFileHeader(path); err == nil {
		return "that is a transport patch: pakdb delta verify " + path
	}
	db, err := schema.OpenReadOnly(ctx, path)
	if err != nil {
		return ""
	}
	_ = db.Close()
	return fmt.Sprintf("that is a catalog: pakdb query @builds --catalog %s", path)
}

// contentHint is the hint for a content outside of archives in place of an archive, such as a
// package of Unreal Engine, for an archive.
func contentHint(a *cli.App, src codecs.Source, path string) string {
	head := make([]byte, min(src.Size, codecs.HeadSize))
	if _, err := src.ReadAt(head, 0); err != nil {
		return ""
	}
	in := a.Registry().Inspector(&codecs.Entry{Name: filepath.ToSlash(path), Size: src.Size}, head)
	if in == nil {
		return ""
	}
	return fmt.Sprintf("that is no archive but a content (%s): pakdb show %s", in.Name, path)
}

// openSource detects and opens what is no loose file.
func openSource(ctx context.Context, a *cli.App, src codecs.Source) (*Archive, error) {
	registry := a.Registry()
	format, err := registry.DetectArchive(src)
	if errors.Is(err, codecs.ErrUnknown) {
		return nil, cli.WithHint(err, "pakdb reads "+Formats(a)+`; see "pakdb formats"`)
	}
	if err != nil {
		return nil, err
	}
	opened, err := format.Open(ctx, src, a.OpenOptions())
	if err != nil {
		return nil, err
	}
	return &Archive{Archive: opened, Format: format, Size: src.Size}, nil
}

// IsLoose reports whether f is the fallback that takes any file. A scan wants
// it; a user that names an archive does not.
func IsLoose(f *codecs.Format) bool { return f.Mounts().Loose }

// Formats names the formats of archives that pakdb reads.
func Formats(a *cli.App) string {
	var names []string
	for _, f := range a.Registry().Formats {
		if !IsLoose(f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// NearestFile suggests files of the same folder for a path that is not there, or the
// path of an entry as it is written.
func NearestFile(path string) string {
	if _, err := os.Stat(path); err == nil {
		return "" // it is there: something else is wrong
	}
	for i, c := range path {
		if st, err := os.Stat(path[:i]); c == '!' && err == nil && st.Mode().IsRegular() {
			return "what lies in that archive is " + path[:i] + codecs.NestedSeparator + strings.TrimPrefix(path[i+1:], "/")
		}
	}
	dir := filepath.Dir(path)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no folder " + dir
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	near := glob.Nearest(filepath.Base(path), names)
	for i, name := range near {
		near[i] = filepath.Join(dir, name)
	}
	return glob.NearestHint(near)
}

// Expand replaces patterns by the files they match. A pattern that is
// none is the user's mistake.
func Expand(paths []string) ([]string, error) {
	all, err := indexer.Expand(paths)
	if errors.Is(err, filepath.ErrBadPattern) {
		return nil, fmt.Errorf("%w: %w", cli.ErrUsage, err)
	}
	return all, err
}
