package operand

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/glob"
	"pakdb/internal/regular"
	"pakdb/internal/terminal"
	"pakdb/query/show"
)

// catalogNames is the catalog as names on command lines need it. It is opened once, by the first
// question: a connection reads all of the views, 13 milliseconds. close closes it.
type catalogNames struct {
	a  *cli.App
	db *sql.DB // nil: not open
}

func (c *catalogNames) open(ctx context.Context) (db *sql.DB, err error) {
	if c.db == nil {
		c.db, err = c.a.OpenCatalog(ctx)
	}
	return c.db, err
}

func (c *catalogNames) close() {
	if c.db != nil {
		_ = c.db.Close()
	}
}

// knownBuilds returns the labels of the catalog, none when there is no catalog: paths need none.
func knownBuilds(ctx context.Context, a *cli.App) ([]string, error) {
	names := &catalogNames{a: a}
	defer names.close()
	return names.Labels(ctx)
}

// Labels implements [locate.Catalog].
func (c *catalogNames) Labels(ctx context.Context) ([]string, error) {
	db, err := c.open(ctx)
	if errors.Is(err, cli.ErrNoCatalog) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return cli.BuildLabels(ctx, db)
}

// Files implements [locate.Catalog].
func (c *catalogNames) Files(ctx context.Context, build string) ([]diff.BuildFile, error) {
	db, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	return diff.Files(ctx, db, build)
}

// Seen implements [locate.Catalog]. A path may be named by its end.
func (c *catalogNames) Seen(ctx context.Context, build, entry string) (archive, path string, err error) {
	db, err := c.open(ctx)
	if err != nil {
		return "", "", err
	}
	f, err := FindEntry(ctx, db, build, entry)
	if err != nil {
		return "", "", err
	}
	return f.Archive, f.Path, nil
}

// Resolve returns the meaning of a name on the command line, and reports on stderr
// its other meanings.
func Resolve(ctx context.Context, a *cli.App, r locate.Resolver, text string) (*locate.Name, error) {
	names := &catalogNames{a: a}
	defer names.close()
	return names.resolve(ctx, r, text)
}

func (c *catalogNames) resolve(ctx context.Context, r locate.Resolver, text string) (*locate.Name, error) {
	a := c.a
	r.Catalog, r.Registry = c, a.Registry()
	n, err := r.Resolve(ctx, text)
	if err == nil && n.Note != "" && !a.Quiet {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.PrintableLines(n.Note))
	}
	return n, err
}

// Source is an archive that a command reads: a file, an archive of a build, or an
// archive in one of these.
type Source struct {
	Path string // as messages and lists call it
	Open func(ctx context.Context) (*Archive, error)

	Build, Name string // of an archive that means its whole build; ""

	Found bool // below a folder: the file need not be an archive
}

// Sources resolves the name of archives. entry is what the name says of entries
// within: a path, or a pattern. A file that is not there is the error.
func Sources(ctx context.Context, a *cli.App, text string) (sources []Source, entry string, err error) {
	n, err := Resolve(ctx, a, locate.Resolver{}, text)
	if err != nil {
		return nil, "", err
	}
	if n.Build == "" {
		if err := RefuseMissing(ctx, a, n); err != nil {
			return nil, "", err
		}
		open := func(ctx context.Context) (*Archive, error) { return Open(ctx, a, n.Path) }
		return []Source{{Path: n.Path, Open: open}}, n.Entry, nil
	}
	return sourcesIn(a, n), n.Entry, nil
}

// sourcesIn returns the archives of a build that a name means.
func sourcesIn(a *cli.App, n *locate.Name) (sources []Source) {
	for _, f := range n.Files {
		s := Source{Path: n.Label(f), Open: func(ctx context.Context) (*Archive, error) { return OpenInBuild(ctx, a, n, f) }}
		if !n.One {
			s.Build, s.Name = n.Build, f.Name
		}
		sources = append(sources, s)
	}
	return sources
}

// AllSources resolves names of archives, patterns for files among them. An entry
// that a name has must be an archive.
func AllSources(ctx context.Context, a *cli.App, texts []string) (all []Source, err error) {
	for _, text := range texts {
		n, err := Resolve(ctx, a, locate.Resolver{}, text)
		if err != nil {
			return nil, err
		}
		if n.Build == "" && n.Entry == "" {
			files, err := Expand([]string{text})
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				all = append(all, Source{Path: file, Open: func(ctx context.Context) (*Archive, error) { return Open(ctx, a, file) }})
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

// Below returns the files below a folder that are no parts of archives beside them.
// Those that are no archives fail to open with [codecs.ErrUnknown].
func Below(ctx context.Context, a *cli.App, folder string) (all []Source, err error) {
	files, passed, err := regular.Walk(ctx, folder, regular.Read, nil)
	for _, err := range passed {
		a.LeftOut(err)
	}
	for _, f := range files {
		file := f.Path
		if !a.Registry().IsPart(filepath.Base(file), regular.FS(filepath.Dir(file))) {
			all = append(all, Source{Path: file, Found: true, Open: func(ctx context.Context) (*Archive, error) { return Open(ctx, a, file) }})
		}
	}
	return all, err
}

// archivesNamed returns the archives of a build, or the one in an archive.
func archivesNamed(ctx context.Context, a *cli.App, n *locate.Name) ([]Source, error) {
	if n.Build == "" {
		open := func(ctx context.Context) (*Archive, error) { return Open(ctx, a, n.Path) }
		return []Source{insideOf(a, Source{Path: n.Path, Open: open}, n.Entry)}, nil
	}
	if err := Narrow(ctx, a, n); err != nil {
		return nil, err
	}
	sources := sourcesIn(a, n)
	if n.Entry != "" {
		return []Source{insideOf(a, sources[0], n.Entry)}, nil
	}
	return sources, nil
}

// insideOf returns the archive that is an entry of another.
func insideOf(a *cli.App, outer Source, entry string) Source {
	return Source{Path: outer.Path + codecs.NestedSeparator + entry, Open: func(ctx context.Context) (*Archive, error) {
		return openWithin(ctx, a, outer.Open, entry)
	}}
}

// RefuseMissing suggests builds for the name of a file that is not there.
func RefuseMissing(ctx context.Context, a *cli.App, n *locate.Name) error {
	if n.Build != "" {
		return nil
	}
	_, err := os.Lstat(n.Path)
	if _, _, ok := SplitNested(n.Path); ok || !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever it is, opening it says so
	}
	_, err = regular.Open(n.Path)
	labels, _ := knownBuilds(ctx, a)
	label, _, colon := strings.Cut(n.Path, ":")
	near := glob.NearestHint(glob.Nearest(label, labels))
	if !colon {
		near = cmp.Or(NearestFile(n.Path), near)
	}
	return cli.WithHint(err, cmp.Or(near, NearestFile(n.Path)))
}

// Narrow narrows a name to the archive with its entry, or suggests archives.
func Narrow(ctx context.Context, a *cli.App, n *locate.Name) error {
	catalog := &catalogNames{a: a}
	defer catalog.close()
	r := locate.Resolver{Catalog: catalog}
	err := r.Narrow(ctx, n)
	if err == nil || cli.Code(err) != cli.ExitUsage {
		return err
	}
	var names []string
	for _, f := range n.Files {
		names = append(names, path.Base(f.Name))
	}
	return cli.WithHint(err, glob.NearestHint(glob.Nearest(path.Base(n.Entry), names)))
}

// OpenInBuild opens an archive of a build where it was indexed, if it is still as it
// was.
func OpenInBuild(ctx context.Context, a *cli.App, n *locate.Name, f diff.BuildFile) (_ *Archive, err error) {
	files, err := OpenFiles(ctx, a, n.Build, []diff.BuildFile{f})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, files.Close())
		}
	}()
	format, ok := a.Registry().Format(f.Format)
	if !ok {
		return nil, fmt.Errorf("%s: %w: format %q", f.Location, codecs.ErrUnknown, f.Format)
	}
	src := files.Inputs[0].Source
	if IsLoose(format) {
		src.Name = f.Name // the path of its only entry
	}
	opened, err := format.Open(ctx, src, a.OpenOptions())
	if err != nil {
		return nil, err
	}
	return &Archive{Archive: opened, Format: format, Path: n.Label(f), Build: n.Build, Size: src.Size, File: files.Opened[0], release: files.Close}, nil
}

// OpenFiles opens files of a build and checks that they are as they were indexed; of
// a large file with another time but the same samples it warns.
func OpenFiles(ctx context.Context, a *cli.App, build string, known []diff.BuildFile) (*locate.Files, error) {
	files, err := locate.Open(build, known, a.Registry())
	if err != nil {
		return nil, err
	}
	touched, err := files.Check(ctx)
	for _, location := range touched {
		a.Warn(location + ": the time of the file has changed since it was indexed; samples of its bytes have not")
	}
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	return files, nil
}

// SourcesAndPatterns divides arguments: the first is an archive; so are those after
// it that are files which pakdb reads, or builds, up to the first that is neither. It
// begins the patterns. With "--" patterns begin there. A name with an entry has it as
// a pattern.
func SourcesAndPatterns(ctx context.Context, a *cli.App, args []string, dash int) (sources []Source, patterns []string, err error) {
	for i, arg := range args {
		if dash >= 0 && i >= dash || dash < 0 && i > 0 && !isArchiveName(ctx, a, arg) {
			return sources, append(patterns, args[i:]...), nil
		}
		more, entry, err := Sources(ctx, a, arg)
		if err != nil {
			return nil, nil, err
		}
		if entry != "" {
			if more, entry, err = Within(ctx, a, more, entry); err != nil {
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
func isArchiveName(ctx context.Context, a *cli.App, arg string) bool {
	if st, err := os.Stat(arg); err == nil {
		if !st.Mode().IsRegular() {
			return false
		}
		ar, err := Open(ctx, a, arg)
		if err != nil {
			return !errors.Is(err, codecs.ErrUnknown) // damaged: opening it again says how
		}
		_ = ar.Close()
		return true
	}
	if _, _, ok := SplitNested(arg); ok {
		return true
	}
	names := &catalogNames{a: a}
	defer names.close()
	r := locate.Resolver{Catalog: names, Registry: a.Registry()}
	n, err := r.Resolve(ctx, arg)
	return err == nil && n.Build != ""
}

// Within returns the archive that the entry of a source is, or the source itself
// with the entry as a pattern if the entry is none.
func Within(ctx context.Context, a *cli.App, sources []Source, entry string) ([]Source, string, error) {
	if len(sources) != 1 || locate.IsPattern(entry) {
		return sources, entry, nil
	}
	inner := insideOf(a, sources[0], entry)
	ar, err := inner.Open(ctx)
	if errors.Is(err, codecs.ErrUnknown) || errors.Is(err, codecs.ErrNotFound) {
		return sources, entry, nil
	}
	if err != nil {
		return nil, "", err
	}
	return []Source{inner}, "", ar.Close()
}

// Deepen makes sources open with the entries of archives within them, if a pattern leads
// there.
func Deepen(a *cli.App, sources []Source, patterns []string) {
	if slices.ContainsFunc(patterns, NamesNested) {
		LookInsideAll(a, sources)
	}
}

// LookInsideAll makes sources open with the entries of archives within them.
func LookInsideAll(a *cli.App, sources []Source) {
	for i := range sources {
		open := sources[i].Open
		sources[i].Open = func(ctx context.Context) (*Archive, error) {
			ar, err := open(ctx)
			if err == nil {
				LookInside(ctx, a, ar)
			}
			return ar, err
		}
	}
}

// Paths yields the paths of the entries of all sources, for hints: what cannot be
// opened is left out.
func Paths(ctx context.Context, sources []Source) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range sources {
			ar, err := s.Open(ctx)
			if err != nil {
				continue
			}
			for path := range cli.Paths(ar.Archive) {
				if !yield(path) {
					_ = ar.Close()
					return
				}
			}
			_ = ar.Close()
		}
	}
}

// Where names sources in messages.
func Where(sources []Source) string {
	if len(sources) == 1 {
		return sources[0].Path
	}
	return fmt.Sprintf("%s and %s", sources[0].Path, cli.Plural(int64(len(sources)-1), "other archive", "other archives"))
}

// Place is where an entry lies in a build.
type Place struct {
	Archive string
	Ordinal int
}

// Hidden returns the entries of a build that no game sees, because others are
// mounted over them.
func Hidden(ctx context.Context, a *cli.App, build string) (map[Place]bool, error) {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	stacks, err := diff.LoadStacks(ctx, db, a.Registry(), build)
	if err != nil {
		return nil, err
	}
	_, shadows := stacks[0].Survey()
	hidden := map[Place]bool{}
	for i := range shadows {
		f := shadows[i].File
		hidden[Place{f.Mount.Name, f.Ordinal}] = true
	}
	return hidden, nil
}

// OpenBuilt opens the files of a build. They have the sizes that they had; Unchanged
// reports whether they are the same.
func OpenBuilt(ctx context.Context, a *cli.App, db *sql.DB, label string) (*locate.Files, error) {
	files, err := diff.Files(ctx, db, label)
	if err != nil {
		return nil, err
	}
	return locate.Open(label, files, a.Registry())
}

// FindEntry returns the entry of a build that a game sees under a path, or under the
// only path that ends so.
func FindEntry(ctx context.Context, db *sql.DB, build, entry string) (*diff.File, error) {
	f, err := diff.Find(ctx, db, build, entry)
	if !errors.Is(err, diff.ErrNoFile) {
		return f, err
	}
	path, err := show.EntryPath(ctx, db, build, entry)
	if err != nil {
		return nil, err
	}
	return diff.Find(ctx, db, build, path)
}
