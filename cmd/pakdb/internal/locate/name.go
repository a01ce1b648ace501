// Package locate resolves a name on the command line: a file, a build of the catalog,
// an archive of a build, or an entry of one; and it opens the files of builds where
// they were when they were indexed.
package locate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/diff"
)

// Catalog is the catalog that a [Resolver] asks.
type Catalog interface {
	// Labels returns the labels of the builds, none if there is no catalog.
	Labels(ctx context.Context) ([]string, error)
	// Files returns the files of a build in the order of the build.
	Files(ctx context.Context, build string) ([]diff.BuildFile, error)
	// Seen returns the name of the archive, and the path in it, of the entry that a
	// game sees under a path; it fails with [diff.ErrNoFile].
	Seen(ctx context.Context, build, entry string) (archive, path string, err error)
}

// Resolver resolves names.
//
// A name is, in this order: a file on disk, a build, a folder on disk; then BUILD:,
// BUILD:ARCHIVE, BUILD:ARCHIVE!PATH, BUILD:PATH or FILE:PATH. A path that begins with
// a drive letter, as C:\x, is never a BUILD:PATH.
type Resolver struct {
	Catalog     Catalog
	Registry    *codecs.Registry
	BuildsFirst bool // a build is meant rather than a file, for commands that compare builds
	Folders     bool // a folder on disk is meant rather than a build, for commands that take folders
}

// Name is the meaning of a name: Path, or Build.
type Name struct {
	Text  string           // as the user typed it
	Path  string           // on disk; "" for a build
	Build string           // a label; "" for a path
	Files []diff.BuildFile // of the build: all, or the archive that was named
	One   bool             // an archive of the build was named
	Entry string           // path of an entry, or a pattern for some; "" for none
	Note  string           // other meanings of the name; "" for nothing
}

// Label returns how a file of the build is named: BUILD:ARCHIVE.
func (n *Name) Label(f diff.BuildFile) string { return n.Build + ":" + f.Name }

// Resolve resolves a name. A name that means nothing is returned as a path, for
// opening it reports best what is wrong. Resolve fails if the name of an archive
// fits several of a build, and with errors of the catalog.
func (r *Resolver) Resolve(ctx context.Context, text string) (*Name, error) {
	st, statErr := os.Stat(text)
	file := statErr == nil && (r.Folders || !st.IsDir())
	labels, err := r.Catalog.Labels(ctx)
	build := slices.Contains(labels, text)
	switch {
	case file && (!build || !r.BuildsFirst):
		n := &Name{Text: text, Path: text}
		if build {
			n.Note = fmt.Sprintf("%q is a path and a build: the path is taken; %q is the build", text, text+":")
		}
		return n, nil // whatever is wrong with the catalog
	case err != nil && statErr == nil:
		return &Name{Text: text, Path: text}, nil
	case err != nil:
		return nil, fmt.Errorf("%q is not on disk, and a build of that name cannot be looked up: %w", text, err)
	case build:
		return r.named(ctx, text, text, "")
	case statErr == nil:
		return &Name{Text: text, Path: text}, nil
	}
	return r.split(ctx, text, labels)
}

// split resolves a name that has a colon. The last colon after a label counts, for
// labels may have colons.
func (r *Resolver) split(ctx context.Context, text string, labels []string) (*Name, error) {
	for i := len(text) - 1; i > 0; i-- {
		if text[i] != ':' || isDrive(text, i) {
			continue
		}
		if slices.Contains(labels, text[:i]) {
			return r.named(ctx, text, text[:i], text[i+1:])
		}
		if _, err := os.Stat(text[:i]); err == nil && i+1 < len(text) {
			return &Name{Text: text, Path: text[:i], Entry: text[i+1:]}, nil
		}
	}
	return &Name{Text: text, Path: text}, nil
}

// isDrive reports whether the colon at i follows the letter of a drive.
func isDrive(text string, i int) bool {
	letter := text[0] | 0x20
	return i == 1 && 'a' <= letter && letter <= 'z' && len(text) > 2 && (text[2] == '\\' || text[2] == '/')
}

// named returns a build, and what rest names of it.
func (r *Resolver) named(ctx context.Context, text, build, rest string) (*Name, error) {
	files, err := r.Catalog.Files(ctx, build)
	if err != nil {
		return nil, err
	}
	n := &Name{Text: text, Build: build, Files: files}
	if rest == "" {
		return n, nil
	}
	n.Entry = rest
	for i := len(rest); i > 0; i-- { // the longest name of an archive
		if i < len(rest) && rest[i] != '!' {
			continue
		}
		f, err := r.archive(files, rest[:i])
		if err != nil {
			return nil, err
		}
		if f != nil {
			n.Files, n.One, n.Entry = []diff.BuildFile{*f}, true, ""
			if i < len(rest) {
				n.Entry = strings.TrimPrefix(rest[i+1:], "/")
			}
			return n, nil
		}
	}
	return n, nil
}

// archive returns the archive of a name, or of a name that ends so, nil if there is
// none. Files that are no archives are entries.
func (r *Resolver) archive(files []diff.BuildFile, name string) (*diff.BuildFile, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	var ends []diff.BuildFile
	for _, f := range files {
		if format, ok := r.Registry.Format(f.Format); ok && format.Mounts().Loose {
			continue
		}
		if f.Name == name {
			return &f, nil
		}
		if strings.HasSuffix(strings.ToLower("/"+f.Name), strings.ToLower("/"+name)) {
			ends = append(ends, f)
		}
	}
	switch len(ends) {
	case 0:
		return nil, nil
	case 1:
		return &ends[0], nil
	}
	return nil, &SeveralError{name, ends}
}

// Narrow narrows the files of a build to the archive with the entry that a game sees
// under the path Entry, and makes Entry its path in there. It does nothing for other
// names. It fails with [diff.ErrNoFile].
func (r *Resolver) Narrow(ctx context.Context, n *Name) error {
	if n.Build == "" || n.One || n.Entry == "" {
		return nil
	}
	archive, entry, err := r.Catalog.Seen(ctx, n.Build, n.Entry)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(n.Files, func(f diff.BuildFile) bool { return f.Name == archive })
	if i < 0 {
		return fmt.Errorf("%w: %q in %q", diff.ErrNoFile, n.Entry, n.Build)
	}
	n.Files, n.One, n.Entry = n.Files[i:i+1], true, entry
	return nil
}

// ErrSeveral is the class of [SeveralError].
var ErrSeveral = errors.New("several archives")

// SeveralError says that a build has several archives whose names end so. It is
// [ErrSeveral].
type SeveralError struct {
	Name  string
	Files []diff.BuildFile
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("%q names %d archives of the build", e.Name, len(e.Files))
}

// Unwrap returns [ErrSeveral].
func (e *SeveralError) Unwrap() error { return ErrSeveral }

// Hint names the archives.
func (e *SeveralError) Hint() string {
	var names []string
	for _, f := range e.Files[:min(len(e.Files), 8)] {
		names = append(names, f.Name)
	}
	return "name one of " + strings.Join(names, ", ")
}

// IsPattern reports whether an entry may mean several: it has wildcards, or
// names a folder.
func IsPattern(entry string) bool {
	return strings.ContainsAny(entry, "*?[{") || strings.HasSuffix(entry, "/")
}
