package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"pakdb/internal/regular"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// creating is what a new catalog has after its name until it is complete.
const creating = ".creating"

// largestPage is the largest page of SQLite, so the largest database without tables.
const largestPage = 1 << 16

// CreateIfAbsent makes an empty catalog where there is no file, one of no bytes, or a
// database without tables.
// It has another name until all tables are there and on the disk, so that a process
// that dies leaves either no catalog or a whole one. The caller holds the lock.
func CreateIfAbsent(ctx context.Context, path string) error {
	st, err := os.Stat(path)
	if err == nil && st.Size() > largestPage {
		return nil
	}
	if err == nil && st.Size() > 0 {
		if what, err := inspect(ctx, path); err != nil || what == stored {
			return err
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp := path + creating
	if err := removeAll(temp, temp+"-journal"); err != nil { // of one that died
		return err
	}
	db := conn.OpenNew(temp)
	err = errors.Join(layout.Fill(ctx, db), db.Close())
	if err == nil && st != nil {
		err = takeMode(temp, path, st)
	}
	if err == nil {
		// Of a database that is gone. SQLite, too, deletes them when it makes a new one.
		err = removeAll(path+"-journal", path+"-wal", path+"-shm")
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, removeAll(temp, temp+"-journal"))
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// takeMode gives temp the mode of the file that it is to replace, if that may be
// written to.
func takeMode(temp, path string, st fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Chmod(temp, st.Mode().Perm()))
}

// removeAll removes files that may be there.
func removeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// syncFolder puts the names of a folder on the disk, where the system lets it.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// LockForWriting keeps two writers apart for as long as a catalog is open: ids are
// handed out in memory, and an unfinished build of another process must not be
// taken for debris. It fails with [conn.ErrBusy] while another process has the lock beside
// the catalog. The operating system releases that when the process dies.
func LockForWriting(catalog string) (unlock func(), err error) {
	for {
		f := flock.New(catalog + ".lock")
		if err := regular.Check(f.Path()); err != nil {
			return nil, err
		}
		ok, err := f.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, conn.ErrBusy
		}
		if isCurrent(f) {
			return func() {
				_ = os.Remove(f.Path()) // while it is held, so that nobody locks a file without a name
				_ = f.Unlock()
			}, nil
		}
		_ = f.Unlock()
	}
}

// isCurrent reports whether the locked file is still the one at its path: its
// last holder may have removed it between our open and our lock.
func isCurrent(f *flock.Flock) bool {
	there, err := os.Stat(f.Path())
	if err != nil {
		return false
	}
	locked, err := f.Stat()
	return err == nil && os.SameFile(there, locked)
}
