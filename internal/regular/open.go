package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular means that a pipe, a socket or a device is where a file must be.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file or a folder for reading. It fails with an [*fs.PathError] of
// [ErrNotRegular] for anything else, which it does not open.
func Open(path string) (*os.File, error) {
	return open(path, os.O_RDONLY, os.Stat, func(flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) })
}

// OpenIn is Open for a name in a root. flag and perm are those of [os.OpenFile].
func OpenIn(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return open(name, flag, root.Stat, func(flag int) (*os.File, error) { return root.OpenFile(name, flag, perm) })
}

// OpenRoot is [os.OpenRoot], which would wait for a pipe.
func OpenRoot(dir string) (*os.Root, error) {
	if err := Check(dir); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Check returns [ErrNotRegular] for what [Open] would refuse, for packages that open
// files by themselves. A path that leads to nothing is no error.
func Check(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return check(path, st)
}

// open looks before it opens, since opening a device may have effects, and afterwards,
// since the file may have become another one.
func open(name string, flag int, stat func(string) (fs.FileInfo, error), do func(flag int) (*os.File, error)) (*os.File, error) {
	if st, err := stat(name); err == nil {
		if err := check(name, st); err != nil {
			return nil, err
		}
	}
	f, err := do(flag | nonblock)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = check(name, st)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check returns ErrNotRegular for anything but a file or a folder.
func check(name string, st fs.FileInfo) error {
	if st.Mode().IsRegular() || st.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
}

// ReadFile returns all bytes of a file. It fails as [Open] does.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// FS returns the files of a folder; opening anything else fails with [ErrNotRegular].
func FS(dir string) fs.FS { return folder{os.DirFS(dir)} }

// FSIn returns the files of a root, as FS does.
func FSIn(root *os.Root) fs.FS { return folder{root.FS()} }

type folder struct{ fs.FS }

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	st, err := fs.Stat(f.FS, name)
	if err == nil {
		err = check(name, st)
	}
	if err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}

// Stat implements [fs.StatFS].
func (f folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }
