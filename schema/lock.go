package schema

import (
	"os"

	"github.com/gofrs/flock"
)

// writeLock keeps two writers apart for as long as a catalog is open: ids are
// handed out in memory, and an unfinished build of another process must not be
// taken for debris. The operating system releases it when the process dies.
type writeLock struct{ f *flock.Flock }

func lockForWriting(catalog string) (*writeLock, error) {
	for {
		f := flock.New(catalog + ".lock")
		ok, err := f.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, ErrBusy
		}
		if isCurrent(f) {
			return &writeLock{f}, nil
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
	held, err := f.Stat()
	return err == nil && os.SameFile(there, held)
}

func (l *writeLock) release() {
	_ = os.Remove(l.f.Path()) // while it is held, so that nobody locks a file without a name
	_ = l.f.Unlock()
}
