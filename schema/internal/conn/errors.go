package conn

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The ways in which a file is not a usable catalog.
var (
	ErrNotCatalog = errors.New("not a pakdb catalog")
	ErrEmpty      = errors.New("catalog holds nothing yet")
	ErrForeign    = errors.New("catalog was changed by another program")
	ErrDamaged    = errors.New("catalog is damaged")
	ErrUnfinished = errors.New("a process ended while it wrote to the catalog, and its transaction cannot be completed from here")
	ErrTooNew     = errors.New("catalog was written by a newer pakdb")
	ErrTooOld     = errors.New("catalog was written by an older pakdb")
	ErrBusy       = errors.New("another process is writing to the catalog")
	ErrGone       = errors.New("catalog was removed or replaced while it was written to")
	ErrReadOnly   = errors.New("catalog cannot be written to")
	ErrNoRoom     = errors.New("no room on the disk")
	ErrDisk       = errors.New("the disk failed")
	ErrCannotOpen = errors.New("catalog cannot be opened")
	ErrNoBuild    = errors.New("no such build")
)

// Classify adds one of the errors above to an error of SQLite. An
// error that has a class already, or none, is returned as it is.
func Classify(err error) error {
	class := classes(Code(err))
	if Code(err) == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "unsupported file format") {
		class = ErrDamaged // of the header: what wrote the format number is what reads it
	}
	if class == ErrCannotOpen && !errors.Is(err, syscall.EMFILE) && usedUp() {
		return fmt.Errorf("%w: %w", syscall.EMFILE, err)
	}
	if class == nil || errors.Is(err, class) || errors.Is(err, syscall.EMFILE) || errors.Is(err, ErrUnfinished) || errors.Is(err, ErrNotCatalog) {
		return err
	}
	return fmt.Errorf("%w: %w", class, err)
}

// usedUp reports whether the process can hardly open another file. SQLite does not say so,
// and closes what it opened of its files when one fails: three for each connection.
func usedUp() bool {
	for range 4 {
		r, w, err := os.Pipe()
		if err != nil {
			return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
		}
		defer func() { _ = errors.Join(r.Close(), w.Close()) }()
	}
	return false
}

// Code returns SQLite's extended result code, 0 for an error of someone else.
func Code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code()
}

// Primary returns the code without what specialises it.
func Primary(code int) int { return code & 0xff }

func classes(code int) error {
	if code == sqlite3.SQLITE_IOERR_NOMEM {
		return nil // of memory, and not of the disk
	}
	switch Primary(code) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrBusy
	case sqlite3.SQLITE_READONLY:
		return ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT:
		// The keys of all that is written were looked up before: a row that is in the
		// way lies on a page that did not show it.
		return ErrDamaged
	case sqlite3.SQLITE_FULL:
		return ErrNoRoom
	case sqlite3.SQLITE_IOERR:
		return ErrDisk
	case sqlite3.SQLITE_CANTOPEN:
		return ErrCannotOpen
	}
	return nil
}

// WriteError classifies an error of a file beside the catalog, or of the catalog's
// own where it is about to be written.
func WriteError(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", ErrNoRoom, err)
	}
	return err
}
