package stored

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotRegular means that a pipe, a device or the like is where a file must be.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file that is read at any offset. What is neither a regular file nor a
// folder is an [*fs.PathError] of [ErrNotRegular], and is not opened: a named pipe
// would block until somebody writes to it.
func Open(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
