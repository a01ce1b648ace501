package regular

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Policy says which symbolic links a walk follows, and what it does with the rest.
type Policy int

// Policies of commands.
const (
	// Read follows every link, and passes over links to nothing or in a circle, pipes,
	// sockets and devices: for commands that only read.
	Read Policy = iota
	// Ship follows links to files and folders below the walked folder. It refuses all
	// others, pipes, sockets and devices: for commands whose result others get.
	Ship
	// ShipAll is Ship, and follows links out of the folder as well.
	ShipAll
	// Own follows no link, and passes over everything but files: for folders that are
	// changed.
	Own
)

// Shipping returns ShipAll if links out of the folder are to be followed, Ship otherwise.
func Shipping(outside bool) Policy {
	if outside {
		return ShipAll
	}
	return Ship
}

// Prefix starts the names of files and folders that are not finished. Walks leave them out.
const Prefix = ".pakdb-"

// File is a regular file that a walk found.
type File struct {
	Path string      // the walked path and Name
	Name string      // from the walked folder, with slashes
	Info fs.FileInfo // of a link: of the file that it leads to
}

// Walk returns the files below a folder in the order of [filepath.WalkDir], or the file at
// root, whose Name is its last one. Files and folders of which skip is true are left out;
// skip may be nil. passed has the paths that the policy passes over.
//
// Walk fails with a [RefusedError] that lists all that the policy refuses. No policy follows
// links that lead in a circle, nor more than 64 links to one folder: folders of
// two links to the next one would double with each.
func Walk(ctx context.Context, root string, p Policy, skip func(fs.FileInfo) bool) (files []File, passed []*Odd, err error) {
	st, err := os.Stat(root)
	if err == nil {
		err = check(root, st)
	}
	if err != nil {
		return nil, nil, err
	}
	w := &walk{ctx: ctx, policy: p, skip: skip, entered: map[string]int{}}
	if !st.IsDir() {
		w.found(root, filepath.Base(root), st)
		return w.files, nil, nil
	}
	if w.root, err = RealPath(root); err == nil {
		err = w.folder(root, "", append(foldersAbove(w.root), st))
	}
	if err == nil && len(w.refused) > 0 {
		err = &RefusedError{Root: root, List: w.refused}
	}
	return w.files, w.passed, err
}

// walk is one walk.
type walk struct {
	ctx     context.Context
	policy  Policy
	skip    func(fs.FileInfo) bool
	root    string         // without links
	entered map[string]int // how often links led to a folder, by its path without links
	files   []File
	passed  []*Odd
	refused []*Odd
}

// folder walks a folder. way has the folders that the walk is in, and those above them:
// a link to one of these leads in a circle.
func (w *walk) folder(at, name string, way []fs.FileInfo) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) && name != "" {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), Prefix) {
			continue
		}
		if err := w.entry(filepath.Join(at, e.Name()), path.Join(name, e.Name()), e, way); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(at, name string, e fs.DirEntry, way []fs.FileInfo) error {
	if e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 { // a junction of Windows is irregular
		return w.link(at, name, way)
	}
	st, err := e.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it was removed meanwhile
	case err != nil:
		return err
	case !st.IsDir():
		w.found(at, name, st)
		return nil
	case w.skips(st):
		return nil
	}
	return w.folder(at, name, append(slices.Clip(way), st))
}

// link follows a link, or notes why it does not.
func (w *walk) link(at, name string, way []fs.FileInfo) error {
	if w.policy == Own {
		w.passed = append(w.passed, &Odd{at, name, errLink})
		return nil
	}
	st, err := os.Stat(at)
	switch {
	case isCircle(err):
		w.odd(&Odd{at, name, ErrCircle})
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(at); err == nil {
			w.odd(&Odd{at, name, fmt.Errorf("%w: %s", ErrDangling, to)})
		} // else it was removed meanwhile
		return nil
	case err != nil:
		return err
	}
	to, err := RealPath(at)
	if err != nil {
		return err
	}
	if w.policy == Ship && !IsBelow(to, w.root) {
		w.refused = append(w.refused, &Odd{at, name, fmt.Errorf("%w: %s", ErrOutside, to)})
		return nil
	}
	if !st.IsDir() {
		w.found(at, name, st)
		return nil
	}
	if w.skips(st) {
		return nil
	}
	if slices.ContainsFunc(way, func(f fs.FileInfo) bool { return os.SameFile(f, st) }) {
		w.odd(&Odd{at, name, fmt.Errorf("%w: %s", ErrCircle, to)})
		return nil
	}
	if w.entered[to]++; w.entered[to] > maxEntered {
		if w.entered[to] == maxEntered+1 { // one of them says it
			w.odd(&Odd{at, name, fmt.Errorf("%w: %s", ErrMany, to)})
		}
		return nil
	}
	return w.folder(at, name, append(append(slices.Clip(way), foldersAbove(to)...), st))
}

// maxEntered is how many links to one folder are followed.
const maxEntered = 64

func (w *walk) skips(st fs.FileInfo) bool { return w.skip != nil && w.skip(st) }

// found takes a file, or notes that it is none.
func (w *walk) found(at, name string, st fs.FileInfo) {
	switch {
	case w.skips(st):
	case st.Mode().IsRegular():
		w.files = append(w.files, File{at, name, st})
	default:
		w.odd(&Odd{at, name, ErrNotRegular})
	}
}

// odd refuses what is not walked, or passes over it.
func (w *walk) odd(o *Odd) {
	if w.policy == Ship || w.policy == ShipAll {
		w.refused = append(w.refused, o)
	} else {
		w.passed = append(w.passed, o)
	}
}

// RealPath returns a path as absolute and without links.
func RealPath(at string) (string, error) {
	at, err := filepath.Abs(at)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(at)
}

// IsBelow reports whether a path without links is a folder, or lies in it.
func IsBelow(at, folder string) bool {
	rel, err := filepath.Rel(folder, at)
	return err == nil && filepath.IsLocal(rel)
}

// foldersAbove returns the folders above a path without links, as far as they can be seen.
func foldersAbove(at string) (list []fs.FileInfo) {
	for up := filepath.Dir(at); up != at; at, up = up, filepath.Dir(up) {
		if st, err := os.Stat(up); err == nil {
			list = append(list, st)
		}
	}
	return list
}

// cannotResolve is the error of Windows for links that lead in a circle.
const cannotResolve = syscall.Errno(1921)

func isCircle(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, cannotResolve)
}
