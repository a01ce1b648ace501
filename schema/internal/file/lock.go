package file

import (
	"os"

	"github.com/gofrs/flock"

	"pakdb/internal/regular"
	"pakdb/schema/internal/conn"
)

// Lock keeps two writers apart for as long as a catalog is open: ids are
// handed out in memory, and an unfinished build of another process must not be
// taken for debris. The operating system releases it when the process dies.
type Lock struct{ f *flock.Flock }

// LockForWriting takes the lock beside a catalog. It fails with [conn.ErrBusy] while
// another process has it.
func LockForWriting(catalog string) (*Lock, error) {
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
			return &Lock{f}, nil
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

// Release gives the lock up and removes its file.
func (l *Lock) Release() {
	_ = os.Remove(l.f.Path()) // while it is held, so that nobody locks a file without a name
	_ = l.f.Unlock()
}
