package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/overlay"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/indexer"
	"pakdb/internal/bin"
	"pakdb/internal/glob"
	"pakdb/internal/objects"
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/internal/safename"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// Exit codes.
const (
	ExitOK          = process.OK
	ExitProblems    = process.Findings
	ExitUsage       = process.Usage
	ExitCatalog     = process.Catalog
	ExitFailed      = process.Failed
	ExitInterrupted = process.Interrupted
	ExitPipe        = process.Pipe
)

// Classes of errors of the commands themselves.
var (
	ErrProblems  = errors.New("problems were found") // reported already
	ErrFailures  = errors.New("something failed")    // reported already
	ErrUsage     = errors.New("usage")
	ErrNoCatalog = errors.New("no catalog")
	errRefused   = errors.New("refused") // because of what was found
)

// Code returns the exit code of err. What is of no known class
// has failed: no code may say more than is known.
func Code(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, process.ErrPanic): // whatever else it is
		return ExitFailed
	case process.BrokenPipe(err):
		return ExitPipe
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, context.DeadlineExceeded):
		return ExitFailed
	case isAny(err, []error{schema.ErrNoRoom, schema.ErrDisk, syscall.EMFILE, syscall.ENFILE}): // of a catalog as well
		return ExitFailed
	case isAny(err, catalogClasses()):
		return ExitCatalog
	case isAny(err, failedClasses()), process.MachineFailed(err):
		return ExitFailed
	case isAny(err, usageClasses()):
		return ExitUsage
	case isFinding(err):
		return ExitProblems
	case process.NotThere(err):
		return ExitUsage
	}
	return ExitFailed
}

func isAny(err error, classes []error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

func catalogClasses() []error {
	return []error{schema.ErrNotCatalog, schema.ErrEmpty, schema.ErrForeign, schema.ErrDamaged, schema.ErrUnfinished, schema.ErrCannotOpen,
		schema.ErrTooNew, schema.ErrTooOld, schema.ErrOtherBuild, schema.ErrBusy, schema.ErrGone, schema.ErrReadOnly, ErrNoCatalog, query.ErrNoIndex, query.ErrCatalog}
}

// failedClasses are failures that may carry a class of something else as well.
func failedClasses() []error {
	return []error{ErrFailures, errTrouble, indexer.ErrPanic, query.ErrFailed, apply.ErrBusy}
}

func usageClasses() []error {
	return []error{ErrUsage, glob.ErrPattern, query.ErrUsage, filepath.ErrBadPattern, codecs.ErrOption, indexer.ErrNoFiles, delta.ErrNoFiles,
		schema.ErrNoBuild, show.ErrNoNode, show.ErrSeveral, diff.ErrNoFile, delta.ErrSameName, delta.ErrKey, delta.ErrPassword, store.ErrNoBuild, store.ErrNoRelease, store.ErrUnknownPart, store.ErrPartChoice, publish.ErrForgottenParts, store.ErrLocation, store.ErrLabel}
}

// isFinding reports an error about what files hold, or that they are there.
func isFinding(err error) bool {
	var format *codecs.FormatError
	var refused *regular.RefusedError
	return errors.As(err, &format) || errors.As(err, &refused) || store.Lacks(err) || apply.IsRefusal(err) || isAny(err, []error{ErrProblems, errRefused, ErrSeveral, locate.ErrSeveral, codecs.ErrDamaged, overlay.ErrTooLarge, safename.ErrUnsafe,
		codecs.ErrCorrupt, codecs.ErrTruncated, codecs.ErrLimit, codecs.ErrChecksum, codecs.ErrEncrypted, codecs.ErrWrongKey,
		codecs.ErrUnknown, codecs.ErrAmbiguous, codecs.ErrName, codecs.ErrNotFound, codecs.ErrReadOnly, codecs.ErrReadBack, codecs.ErrNonStrict,
		compress.ErrCorrupt, bin.ErrShort, bin.ErrCount, bin.ErrLimit, delta.ErrCoded, fs.ErrExist, safename.ErrExists, safename.ErrOutside, objects.ErrDigest,
		locate.ErrChanged, indexer.ErrChanged, query.ErrNoContent, query.ErrTooLarge,
		overlay.ErrExists, overlay.ErrName, overlay.ErrChanged, overlay.ErrNothing, overlay.ErrForeign, overlay.ErrDiffers,
		store.ErrCorrupt, store.ErrNoStore, store.ErrChanged, store.ErrUnsigned, store.ErrSigned, store.ErrChannel,
		update.ErrMetadata, update.ErrSignature, update.ErrRollback, update.ErrExpired, update.ErrMixed, publish.ErrKeyRole, publish.ErrThreshold})
}

// classError puts an error into a class without changing its text.
type classError struct {
	error
	class error
}

func (e *classError) Unwrap() []error { return []error{e.error, e.class} }

// Refusal puts an error into the class errRefused.
func Refusal(err error) error { return &classError{err, errRefused} }

// Usage puts an error into the class [ErrUsage].
func Usage(err error) error { return &classError{err, ErrUsage} }

// errTrouble is for diff, where 1 means that something differs.
var errTrouble = errors.New("trouble")

// Trouble returns the error of a comparison: exit code 1 says that something differs,
// so whatever else would have that code gets code 4.
func Trouble(err error) error {
	if errors.Is(err, ErrProblems) || Code(err) != ExitProblems {
		return err
	}
	return &classError{err, errTrouble}
}
