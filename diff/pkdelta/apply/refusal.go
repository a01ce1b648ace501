package apply

import (
	"errors"
	"io/fs"

	"pakdb/diff/pkdelta"
	"pakdb/internal/regular"
)

// IsRefusal reports an error that says that a patch or a file is not what
// it must be: damaged, of another version, not signed, or in the way. Trying again
// does not mend it. What is left is a failure of the machine, or a file that is
// not there.
func IsRefusal(err error) bool {
	for _, class := range []error{pkdelta.ErrNotPatch, pkdelta.ErrCorrupt, pkdelta.ErrWrongOld, pkdelta.ErrResult, pkdelta.ErrSignature, pkdelta.ErrUnsigned,
		pkdelta.ErrNoKey, ErrJournal, ErrGone, regular.ErrNotRegular, fs.ErrExist, errors.ErrUnsupported} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}
