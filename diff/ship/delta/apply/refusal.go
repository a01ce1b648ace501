package apply

import (
	"errors"
	"io/fs"

	"pakdb/diff/ship/delta"
	"pakdb/internal/regular"
)

// IsRefusal reports an error that says that a patch or a file is not what
// it must be: damaged, of another version, not signed, or in the way. Trying again
// does not mend it. What is left is a failure of the machine, or a file that is
// not there.
func IsRefusal(err error) bool {
	for _, class := range []error{delta.ErrNotPatch, delta.ErrCorrupt, delta.ErrWrongOld, delta.ErrResult, delta.ErrSignature, delta.ErrUnsigned,
		delta.ErrNoKey, ErrJournal, ErrGone, regular.ErrNotRegular, fs.ErrExist, errors.ErrUnsupported} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}
