package atomicfile

import (
	"io"
	"os"
	"syscall"
)

// hold does nothing: unused finds out whether a file is open.
func hold(*os.File) bool { return true }

// keep does nothing: a file that is open cannot be renamed here.
func keep(*os.File) io.Closer { return nil }

// unused calls remove if nobody has the file at path open: else it cannot be
// opened for oneself alone.
func unused(path string, remove func() error) error {
	p, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	h, err := syscall.CreateFile(p, syscall.GENERIC_READ, 0, nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return err
	}
	if err := syscall.CloseHandle(h); err != nil {
		return err
	}
	return remove()
}
