package apply

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// ErrBusy means that another process updates the files of a folder.
var ErrBusy = errors.New("another update of these files is running")

// HasModes reports whether the file system of a folder that is locked keeps which files are
// executable. It asks by the file of the lock. FAT, NTFS and Windows do not: there all
// files are executable, or none is.
func HasModes(root *os.Root) bool {
	for _, exec := range []bool{true, false} {
		st, err := root.Lstat(lockName)
		if err != nil || atomicfile.Mode(st) == 0 {
			return false
		}
		want := atomicfile.WithExec(st.Mode().Perm(), exec)
		if root.Chmod(lockName, want) != nil {
			return false
		}
		if st, err = root.Lstat(lockName); err != nil || st.Mode().Perm() != want {
			return false
		}
	}
	return true
}

// Lock keeps other updates of the files in a folder away, also from other
// processes, until it is released; the system does so when the process dies.
// A folder that cannot be written to needs no lock, and gets none.
func Lock(dir string) (release func() error, err error) {
	for {
		f := flock.New(filepath.Join(dir, lockName))
		if err := regular.Check(f.Path()); err != nil {
			return nil, err
		}
		ok, err := f.TryLock()
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EROFS):
			return func() error { return nil }, nil
		case err != nil:
			return nil, err
		case !ok:
			return nil, &fs.PathError{Op: "update", Path: dir, Err: ErrBusy}
		}
		// Its last holder may have removed it between our open and our lock.
		there, serr := os.Stat(f.Path())
		locked, herr := f.Stat()
		if serr == nil && herr == nil && os.SameFile(there, locked) {
			return func() error {
				_ = os.Remove(f.Path()) // while it is held, so that nobody locks a file without a name
				return f.Unlock()
			}, nil
		}
		if err := f.Unlock(); err != nil {
			return nil, err
		}
	}
}
