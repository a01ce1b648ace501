package atomicfile

import (
	"errors"
	"os"

	"github.com/gofrs/flock"

	"pakdb/internal/regular"
)

// ErrLocked means that another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

// LockFile makes and locks the file at path, which release removes. It fails with [ErrLocked]
// while another process holds the lock; the system releases that when the process dies.
func LockFile(path string) (release func() error, err error) {
	for {
		f := flock.New(path)
		if err := regular.Check(path); err != nil {
			return nil, err
		}
		ok, err := f.TryLock()
		if err == nil && !ok {
			err = ErrLocked
		}
		if err != nil {
			return nil, err
		}
		// Its last holder may have removed it between our open and our lock.
		there, serr := os.Stat(path)
		locked, herr := f.Stat()
		if serr == nil && herr == nil && os.SameFile(there, locked) {
			return func() error {
				_ = os.Remove(path) // while it is held, so that nobody locks a file without a name
				return f.Unlock()
			}, nil
		}
		if err := f.Unlock(); err != nil {
			return nil, err
		}
	}
}
