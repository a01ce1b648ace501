package retropak

import (
	"errors"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const formatName = "retropak"

// atField carries an error to the field that it concerns.
type atField struct {
	field string
	off   int64 // -1: the error below knows
	err   error
}

func (e *atField) Error() string { return e.field + ": " + e.err.Error() }
func (e *atField) Unwrap() error { return e.err }

// failure returns err as a FormatError. field and off stand unless err knows
// better.
func failure(file, entry, field string, off int64, err error) *codecs.FormatError {
	var fe *codecs.FormatError
	if errors.As(err, &fe) {
		return fe
	}
	var at *atField
	if errors.As(err, &at) {
		field, err = at.field, at.err
		if at.off >= 0 {
			off = at.off
		}
	}
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, File: file, Entry: entry, Field: field, Off: off, Err: err}
}

// short tells an error that more bytes could cure.
func short(err error) bool { return errors.Is(err, bin.ErrShort) || errors.Is(err, bin.ErrCount) }

// damaged tells an error of the file from one of the disk.
func damaged(err error) bool { return short(err) || errors.Is(err, bin.ErrLimit) }
