package update

import (
	"errors"
	"syscall"
)

// What Windows says of files that are open: a sharing or a lock violation. A file that
// is run says that access is denied.
const (
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// IsHeld implements [System].
func (system) IsHeld(err error) bool {
	return errors.Is(err, sharingViolation) || errors.Is(err, lockViolation) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}
