package patch

import (
	"errors"
	"io/fs"
)

var (
	// ErrNotRegular means that a folder, a pipe or the like is where a file must be.
	ErrNotRegular = errors.New("not a regular file")
	// ErrSameName means that two of the files that were given have one name.
	ErrSameName = errors.New("two files of one name")
)

// IsRefusal reports an error that says that a patch or a file is not what
// it must be: damaged, of another version, not signed, or in the way. Trying again
// does not mend it. What is left is a failure of the machine, or a file that is
// not there.
func IsRefusal(err error) bool {
	for _, class := range []error{ErrNotPatch, ErrCorrupt, ErrWrongOld, ErrResult, ErrSignature, ErrUnsigned,
		ErrNoKey, ErrJournal, ErrGone, ErrNotRegular, fs.ErrExist, errors.ErrUnsupported} {
		if errors.Is(err, class) {
			return true
		}
	}
	var cannot *notAppended
	return errors.As(err, &cannot)
}
