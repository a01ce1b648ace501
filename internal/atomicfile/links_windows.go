package atomicfile

import (
	"os"
	"syscall"
)

// HasLinks reports whether an open file has more than one name. What is written to it, all
// of these have.
func HasLinks(f *os.File) (bool, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info)
	return info.NumberOfLinks > 1, err
}
