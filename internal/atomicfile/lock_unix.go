//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"pakdb/internal/regular"
)

// lock locks a file until it is closed, which the end of the process does too. ok:
// it is locked now. busy: another one has locked it. Neither: this file system has
// no locks.
func lock(f *os.File) (ok, busy bool) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}

// hold keeps others from removing a file that is being written. It reports false
// for one that is about to be removed.
func hold(f *os.File) bool {
	_, busy := lock(f)
	return !busy
}

// keep holds a file beyond its being closed, until what it returns is closed: the lock is
// that of both. The file itself must be closed before it is renamed, since some file
// systems report only then that it was not written.
func keep(f *os.File) io.Closer {
	if again, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0); err == nil {
		return os.NewFile(uintptr(again), f.Name())
	}
	return nil
}

// unused calls remove if nobody holds the file at path.
func unused(path string, remove func() error) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	if ok, _ := lock(f); ok {
		err = remove() // while it is locked, so that nobody begins with it
	}
	return errors.Join(err, f.Close())
}
