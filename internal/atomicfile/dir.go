// Package atomicfile writes files atomically, across kills and failed operations.
//
// There is one policy for all of pakdb:
//
//   - A file is written under a temporary name in the folder that it will be in,
//     which begins with [Prefix]. Readers pass over such names.
//   - It is synced before it is renamed, and its folder after that. What can be
//     made again at no cost, such as extracted files, is not synced.
//   - The maker of a temporary file removes it ([Temp.Discard]), also after an
//     error and after a panic. What a killed process left is removed by the next
//     one that writes the same file ([Dir.Sweep]). A lock distinguishes such files from
//     those that another process is writing.
//
// Every operation that changes the disk can be counted, or made to fail, by a
// [Guard] in the context. Package faulttest stops programs with it at each
// operation in turn.
package atomicfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pakdb/internal/regular"
)

// Prefix starts the names of files and folders that are not finished, and of
// those by which pakdb finishes or takes back what was interrupted.
const Prefix = regular.Prefix

// IsTemp reports whether a file of that name, with or without folders before it,
// is not finished.
func IsTemp(name string) bool {
	return strings.HasPrefix(filepath.Base(name), Prefix)
}

// Dir is a folder whose files are changed. Names are relative to it, have forward
// slashes, and do not lead out of it, also not by symbolic links. It is safe for
// concurrent use.
type Dir struct {
	root  *os.Root
	guard Guard

	mu      sync.Mutex
	changed map[string]bool // folders in which names came or went since the last Sync
	made    []string        // folders that MkdirAll made, upper ones first
}

// In returns the folder of a root, which the caller closes. The guard is that of
// the context.
func In(ctx context.Context, root *os.Root) *Dir {
	return &Dir{root: root, guard: guardOf(ctx), changed: map[string]bool{}}
}

// Open opens a folder that is there.
func Open(ctx context.Context, dir string) (*Dir, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return In(ctx, root), nil
}

// Make is Open for a folder that may not be there yet.
func Make(ctx context.Context, dir string) (*Dir, error) {
	if _, err := os.Stat(dir); err == nil {
		return Open(ctx, dir)
	}
	// From the lowest folder that is there.
	up := filepath.Dir(filepath.Clean(dir))
	for filepath.Dir(up) != up {
		if _, err := os.Stat(up); err == nil {
			break
		}
		up = filepath.Dir(up)
	}
	above, err := Open(ctx, up)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(up, dir)
	if err == nil {
		err = above.MkdirAll(filepath.ToSlash(below))
	}
	if err == nil {
		err = above.Sync()
	}
	if err = errors.Join(err, above.Close()); err != nil {
		return nil, err
	}
	return Open(ctx, dir)
}

// Sub opens a folder below, which has the same guard. Links on the way to it may not
// lead out of d. Its files are changed without walking to them from d each time; the
// caller closes it before d.
func (d *Dir) Sub(name string) (*Dir, error) {
	if st, err := d.root.Stat(name); err == nil && !st.IsDir() { // a pipe would be waited for
		return nil, &fs.PathError{Op: "open", Path: d.Path(name), Err: syscall.ENOTDIR}
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, guard: d.guard, changed: map[string]bool{}}, nil
}

// Close closes the root.
func (d *Dir) Close() error { return d.root.Close() }

// Root is the folder's root, for reading.
func (d *Dir) Root() *os.Root { return d.root }

// Name is the folder's path, as it was opened.
func (d *Dir) Name() string { return d.root.Name() }

// Path is the path of a file in the folder.
func (d *Dir) Path(name string) string {
	return filepath.Join(d.root.Name(), filepath.FromSlash(name))
}

// Open opens a file or a folder for reading, as [regular.Open] does.
func (d *Dir) Open(name string) (*os.File, error) {
	return regular.OpenIn(d.root, name, os.O_RDONLY, 0)
}

// ReadFile returns all of a file, which must be a regular one.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// FS returns the files of the folder for reading; anything but regular files is refused.
func (d *Dir) FS() fs.FS { return regular.FSIn(d.root) }

// Stat describes a file, or what a symbolic link leads to.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return d.root.Stat(name) }

// Lstat describes a file, or a symbolic link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// do asks the guard, does an operation, and gives its error the words of this
// package.
func (d *Dir) do(kind Kind, name, to string, do func() error) error {
	op := Op{Kind: kind, Path: d.Path(name)}
	if kind == OpRename {
		op.To = d.Path(to)
	}
	ok, err := d.guard.ask(op)
	if ok {
		err = do()
	}
	if err == nil {
		return nil
	}
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	if kind == OpRename {
		return &os.LinkError{Op: string(kind), Old: op.Path, New: op.To, Err: err}
	}
	return &fs.PathError{Op: string(kind), Path: op.Path, Err: err}
}

// OpenFile opens a regular file that may be written to; flag and perm are those of
// [os.OpenFile].
func (d *Dir) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	var f *os.File
	kind := OpOpen
	if flag&os.O_CREATE != 0 {
		kind = OpCreate
		d.Changed(path.Dir(name))
	}
	err := d.do(kind, name, "", func() (err error) {
		f, err = regular.OpenIn(d.root, name, flag, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	if f == nil { // left out, which cannot be
		return nil, &fs.PathError{Op: string(OpCreate), Path: d.Path(name), Err: ErrDone}
	}
	return &File{File: f, guard: d.guard}, nil
}

// Rename gives a file another name, in place of what has it.
func (d *Dir) Rename(from, to string) error {
	d.Changed(path.Dir(from), path.Dir(to))
	return d.do(OpRename, from, to, func() error { return d.root.Rename(from, to) })
}

// Remove removes a file or an empty folder. What is not there is no error.
func (d *Dir) Remove(name string) error {
	if _, err := d.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	d.Changed(path.Dir(name))
	err := d.do(OpRemove, name, "", func() error { return d.root.Remove(name) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		d.mu.Lock()
		delete(d.changed, name) // it may have been a folder
		d.mu.Unlock()
	}
	return err
}

// RemoveAll removes a folder with all that is in it, or a file. It goes on after
// what cannot be removed.
func (d *Dir) RemoveAll(name string) error {
	var all []string
	err := fs.WalkDir(d.root.FS(), name, func(name string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all = append(all, name)
		return err
	})
	errs := []error{err}
	for _, name := range slices.Backward(all) {
		if err := d.Remove(name); err != nil && !errors.Is(err, syscall.ENOTEMPTY) { // what is in it was reported
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// RemoveEmpty removes a folder, and those above it, as long as they are empty.
func (d *Dir) RemoveEmpty(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		if st, err := d.root.Lstat(dir); err == nil && (!st.IsDir() || d.Remove(dir) != nil) {
			return
		}
	}
}

// RemoveFolders removes a folder with all folders in it. It fails if there is a file in
// one of them.
func (d *Dir) RemoveFolders(name string) error {
	var folders []string
	err := fs.WalkDir(d.root.FS(), name, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			err = &fs.PathError{Op: string(OpRemove), Path: d.Path(name), Err: fs.ErrExist}
		}
		folders = append(folders, name)
		return err
	})
	for _, name := range slices.Backward(folders) {
		if err == nil {
			err = d.Remove(name)
		}
	}
	return err
}

// OpenRegular opens a file, or returns an error that wraps [regular.ErrNotRegular] for a
// symbolic link, a folder, a pipe or the like, which it does not open.
func (d *Dir) OpenRegular(name string) (*os.File, error) {
	st, err := d.root.Lstat(name)
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: d.Path(name), Err: regular.ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return d.root.Open(name)
}

// IsAbsent reports an error about a file that is not there, or that would be in what is
// a file itself.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// MkdirAll makes a folder and those above it. It does nothing where there is one.
func (d *Dir) MkdirAll(name string) error {
	if st, err := d.root.Stat(name); err == nil && st.IsDir() {
		return nil
	}
	var made []string
	for dir := path.Clean(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, err := d.root.Lstat(dir); err == nil {
			break
		}
		made = append(made, dir)
		d.Changed(path.Dir(dir))
	}
	slices.Reverse(made)
	d.mu.Lock()
	d.made = append(d.made, made...)
	d.mu.Unlock()
	return d.do(OpMkdir, name, "", func() error { return d.root.MkdirAll(name, 0o777) })
}

// RemoveMade removes the folders that MkdirAll made, as far as they are empty: for
// callers that failed.
func (d *Dir) RemoveMade() {
	d.mu.Lock()
	made := d.made
	d.made = nil
	d.mu.Unlock()
	for _, dir := range slices.Backward(made) {
		_ = d.Remove(dir)
	}
}

// Chmod sets the permissions of a file.
func (d *Dir) Chmod(name string, mode fs.FileMode) error {
	return d.do(OpChmod, name, "", func() error { return d.root.Chmod(name, mode) })
}

// Chtimes sets when a file was changed.
func (d *Dir) Chtimes(name string, mod time.Time) error {
	return d.do(OpChmod, name, "", func() error { return d.root.Chtimes(name, mod, mod) })
}

// KeepMode gives a new file the permissions of that whose place it will take, if
// there is one.
func (d *Dir) KeepMode(temp, name string) error {
	old, err := d.root.Stat(name)
	if err != nil || !old.Mode().IsRegular() {
		return nil
	}
	if st, err := d.root.Stat(temp); err == nil && st.Mode().Perm() == old.Mode().Perm() {
		return nil
	}
	return d.Chmod(temp, old.Mode().Perm())
}

// Changed counts folders as changed, so that Sync syncs them. What the methods of
// d change they count themselves.
func (d *Dir) Changed(folders ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range folders {
		d.changed[f] = true
	}
}

// Sync makes last that files came, went and changed their names. What was written
// to files is not part of it; see [File.Sync].
func (d *Dir) Sync() error {
	d.mu.Lock()
	changed := d.changed
	d.changed = map[string]bool{}
	d.mu.Unlock()
	var errs []error
	for f := range changed {
		errs = append(errs, d.syncFolder(f))
	}
	return errors.Join(errs...)
}

// syncFolder syncs one folder. Windows has no such call and needs none; some
// network file systems have none.
func (d *Dir) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	err := d.do(OpSyncDir, name, "", func() error {
		f, err := d.Open(name)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.EINVAL, errors.ErrUnsupported} {
		if errors.Is(err, none) {
			return nil // the folder itself went, or cannot be synced
		}
	}
	return err
}
