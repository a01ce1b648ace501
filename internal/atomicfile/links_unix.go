//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// HasLinks reports whether an open file has more than one name. What is written to it, all
// of these have.
func HasLinks(f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink > 1, nil
}
