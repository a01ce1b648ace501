package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/nested"
	"pakdb/diff"
	"pakdb/diff/locate"
	"pakdb/diff/overlay"
	"pakdb/internal/choose"
	"pakdb/internal/nearest"
)

// namesHelp is for every command that reads archives by name.
const namesHelp = `ARCHIVE is a file; or BUILD, the label of a build in the catalog, which stands for
its archives where they were indexed; or one of them, BUILD:ARCHIVE. A file on disk
comes before a build of the same name, which BUILD: names. An archive that is not as
it was indexed is refused.`

// catalogNames is the catalog as names on command lines need it.
type catalogNames struct{ a *app }

// Labels implements [locate.Catalog].
func (c catalogNames) Labels(ctx context.Context) ([]string, error) { return knownBuilds(ctx, c.a) }

// Files implements [locate.Catalog].
func (c catalogNames) Files(ctx context.Context, build string) ([]diff.BuildFile, error) {
	db, err := c.a.openCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return diff.Files(ctx, db, build)
}

// Seen implements [locate.Catalog]. A path may be named by its end.
func (c catalogNames) Seen(ctx context.Context, build, entry string) (archive, path string, err error) {
	db, err := c.a.openCatalog(ctx)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = db.Close() }()
	f, err := findEntry(ctx, db, build, entry)
	if err != nil {
		return "", "", err
	}
	return f.Archive, f.Path, nil
}

// resolve returns what a name on the command line stands for, and says on stderr
// what it also stands for.
func resolve(ctx context.Context, a *app, r locate.Resolver, text string) (*locate.Name, error) {
	r.Catalog, r.Registry = catalogNames{a}, a.registry()
	n, err := r.Resolve(ctx, text)
	if err == nil && n.Note != "" && !a.quiet {
		_, _ = fmt.Fprintln(a.stderr, "pakdb: "+printableLines(n.Note))
	}
	return n, err
}

// source is an archive that a command reads: a file, an archive of a build, or an
// archive in one of these.
type source struct {
	path string // as messages and lists call it
	open func(ctx context.Context) (*archive, error)

	build, name string // of an archive that stands for its whole build; ""
}

// sourcesOf resolves the name of archives. entry is what the name says of entries
// within: a path, or a pattern. A file that is not there is the error.
func sourcesOf(ctx context.Context, a *app, text string) (sources []source, entry string, err error) {
	n, err := resolve(ctx, a, locate.Resolver{}, text)
	if err != nil {
		return nil, "", err
	}
	if n.Build == "" {
		if err := refuseMissing(ctx, a, n); err != nil {
			return nil, "", err
		}
		open := func(ctx context.Context) (*archive, error) { return a.open(ctx, n.Path) }
		return []source{{path: n.Path, open: open}}, n.Entry, nil
	}
	return sourcesIn(a, n), n.Entry, nil
}

// sourcesIn returns the archives of a build that a name stands for.
func sourcesIn(a *app, n *locate.Name) (sources []source) {
	for _, f := range n.Files {
		s := source{path: n.Label(f), open: func(ctx context.Context) (*archive, error) { return openLocated(ctx, a, n, f) }}
		if !n.One {
			s.build, s.name = n.Build, f.Name
		}
		sources = append(sources, s)
	}
	return sources
}

// sourcesOfAll resolves names of archives, patterns for files among them. An entry
// that a name has must be an archive.
func sourcesOfAll(ctx context.Context, a *app, texts []string) (all []source, err error) {
	for _, text := range texts {
		n, err := resolve(ctx, a, locate.Resolver{}, text)
		if err != nil {
			return nil, err
		}
		if n.Build == "" && n.Entry == "" {
			files, err := expandArchives([]string{text})
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				all = append(all, source{path: file, open: func(ctx context.Context) (*archive, error) { return a.open(ctx, file) }})
			}
			continue
		}
		sources, err := archivesNamed(ctx, a, n)
		if err != nil {
			return nil, err
		}
		all = append(all, sources...)
	}
	return all, nil
}

// archivesNamed returns the archives of a build, or the one in an archive.
func archivesNamed(ctx context.Context, a *app, n *locate.Name) ([]source, error) {
	if n.Build == "" {
		open := func(ctx context.Context) (*archive, error) { return a.open(ctx, n.Path) }
		return []source{insideOf(a, source{path: n.Path, open: open}, n.Entry)}, nil
	}
	if err := narrow(ctx, a, n); err != nil {
		return nil, err
	}
	sources := sourcesIn(a, n)
	if n.Entry != "" {
		return []source{insideOf(a, sources[0], n.Entry)}, nil
	}
	return sources, nil
}

// insideOf returns the archive that is an entry of another.
func insideOf(a *app, outer source, entry string) source {
	return source{path: outer.path + nested.Separator + entry, open: func(ctx context.Context) (*archive, error) {
		return openWithin(ctx, a, outer.open, entry)
	}}
}

// refuseMissing suggests builds for the name of a file that is not there.
func refuseMissing(ctx context.Context, a *app, n *locate.Name) error {
	if n.Build != "" {
		return nil
	}
	_, err := os.Lstat(n.Path)
	if _, _, ok := splitInside(n.Path); ok || !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever it is, opening it says so
	}
	_, err = os.Open(n.Path)
	labels, _ := knownBuilds(ctx, a)
	label, _, colon := strings.Cut(n.Path, ":")
	near := nearest.Hint(nearest.Names(label, labels))
	if !colon {
		near = cmp.Or(nearestFile(n.Path), near)
	}
	return hinted(err, cmp.Or(near, nearestFile(n.Path)))
}

// narrow narrows a name to the archive with its entry, or suggests archives.
func narrow(ctx context.Context, a *app, n *locate.Name) error {
	r := locate.Resolver{Catalog: catalogNames{a}}
	err := r.Narrow(ctx, n)
	if err == nil || exitCode(err) != exitUsage {
		return err
	}
	var names []string
	for _, f := range n.Files {
		names = append(names, path.Base(f.Name))
	}
	return hinted(err, nearest.Hint(nearest.Names(path.Base(n.Entry), names)))
}

// openLocated opens an archive of a build where it was indexed, if it is still as it
// was.
func openLocated(ctx context.Context, a *app, n *locate.Name, f diff.BuildFile) (_ *archive, err error) {
	files, err := openFiles(ctx, a, n.Build, []diff.BuildFile{f})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, files.Close())
		}
	}()
	format, ok := a.registry().Format(f.Format)
	if !ok {
		return nil, fmt.Errorf("%s: %w: format %q", f.Location, codecs.ErrUnknown, f.Format)
	}
	src := files.Inputs[0].Source
	if isLoose(format) {
		src.Name = f.Name // the path of its only entry
	}
	opened, err := format.Open(ctx, src, a.openOptions())
	if err != nil {
		return nil, err
	}
	return &archive{Archive: opened, format: format, path: n.Label(f), size: src.Size, file: files.Opened[0], release: files.Close}, nil
}

// openFiles opens files of a build and checks that they are as they were indexed; of
// a large file with another time but the same samples it warns.
func openFiles(ctx context.Context, a *app, build string, known []diff.BuildFile) (*locate.Files, error) {
	files, err := locate.Open(build, known, a.registry())
	if err != nil {
		return nil, err
	}
	touched, err := files.Check(ctx)
	for _, location := range touched {
		a.warn(location + ": the time of the file has changed since it was indexed; samples of its bytes have not")
	}
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return files, nil
}

// archivesAndPatterns divides arguments: the first is an archive; so are those after
// it that are files which pakdb reads, or builds, up to the first that is neither. It
// begins the patterns. With "--" patterns begin there. A name with an entry has it as
// a pattern.
func archivesAndPatterns(ctx context.Context, a *app, args []string, dash int) (sources []source, patterns []string, err error) {
	for i, arg := range args {
		if dash >= 0 && i >= dash || dash < 0 && i > 0 && !isArchiveName(ctx, a, arg) {
			return sources, append(patterns, args[i:]...), nil
		}
		more, entry, err := sourcesOf(ctx, a, arg)
		if err != nil {
			return nil, nil, err
		}
		if entry != "" {
			if more, entry, err = within(ctx, a, more, entry); err != nil {
				return nil, nil, err
			}
		}
		sources = append(sources, more...)
		if entry != "" {
			patterns = append(patterns, entry)
		}
	}
	return sources, patterns, nil
}

// isArchiveName reports whether an argument after the first names an archive.
func isArchiveName(ctx context.Context, a *app, arg string) bool {
	if st, err := os.Stat(arg); err == nil {
		if !st.Mode().IsRegular() {
			return false
		}
		ar, err := a.open(ctx, arg)
		if err != nil {
			return !errors.Is(err, codecs.ErrUnknown) // damaged: opening it again says how
		}
		_ = ar.Close()
		return true
	}
	if _, _, ok := splitInside(arg); ok {
		return true
	}
	r := locate.Resolver{Catalog: catalogNames{a}, Registry: a.registry()}
	n, err := r.Resolve(ctx, arg)
	return err == nil && n.Build != ""
}

// within returns the archive that the entry of a source is, or the source itself
// with the entry as a pattern if the entry is none.
func within(ctx context.Context, a *app, sources []source, entry string) ([]source, string, error) {
	if len(sources) != 1 || locate.IsPattern(entry) {
		return sources, entry, nil
	}
	inner := insideOf(a, sources[0], entry)
	ar, err := inner.open(ctx)
	if errors.Is(err, codecs.ErrUnknown) || errors.Is(err, codecs.ErrNotFound) {
		return sources, entry, nil
	}
	if err != nil {
		return nil, "", err
	}
	return []source{inner}, "", ar.Close()
}

// deepen makes sources open with what lies in archives within them, where a pattern
// asks for that, or deep is set.
func deepen(a *app, sources []source, patterns []string, deep bool) {
	if !deep && !slices.ContainsFunc(patterns, namesNested) {
		return
	}
	for i := range sources {
		open := sources[i].open
		sources[i].open = func(ctx context.Context) (*archive, error) {
			ar, err := open(ctx)
			if err == nil {
				lookInside(ctx, a, ar)
			}
			return ar, err
		}
	}
}

// pathsOf yields the paths of the entries of all sources, for hints: what cannot be
// opened is left out.
func pathsOf(ctx context.Context, sources []source) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range sources {
			ar, err := s.open(ctx)
			if err != nil {
				continue
			}
			for path := range choose.Paths(ar.Archive) {
				if !yield(path) {
					_ = ar.Close()
					return
				}
			}
			_ = ar.Close()
		}
	}
}

// whereOf names sources in messages.
func whereOf(sources []source) string {
	if len(sources) == 1 {
		return sources[0].path
	}
	return fmt.Sprintf("%s and %s", sources[0].path, plural(int64(len(sources)-1), "other archive", "other archives"))
}

// place is where an entry lies in a build.
type place struct {
	archive string
	ordinal int
}

// hiddenIn returns the entries of a build that no game sees, because others are
// mounted over them.
func hiddenIn(ctx context.Context, a *app, build string) (map[place]bool, error) {
	db, err := a.openCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	stacks, err := overlay.LoadBuilds(ctx, db, a.registry(), build)
	if err != nil {
		return nil, err
	}
	_, shadows := stacks[0].Survey()
	hidden := map[place]bool{}
	for i := range shadows {
		f := shadows[i].File
		hidden[place{f.Mount.Name, f.Ordinal}] = true
	}
	return hidden, nil
}
