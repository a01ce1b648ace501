package inflate

import (
	"errors"
	"fmt"
)

// The ways in which a stream can fail. A decoder returns each wrapped in an
// [*Error].
var (
	// ErrCorrupt means bits that no encoder writes.
	ErrCorrupt = errors.New("corrupt")
	// ErrTruncated means that src ends before the stream does.
	ErrTruncated = errors.New("truncated")
	// ErrTooLong means that the stream holds more than dst can take.
	ErrTooLong = errors.New("too long")
	// ErrTooShort means that the stream ends before dst is full.
	ErrTooShort = errors.New("too short")
	// ErrChecksum means that what was decoded is not what was encoded.
	ErrChecksum = errors.New("wrong checksum")
)

// Error tells where a stream failed. It unwraps to one of the package's
// sentinels.
type Error struct {
	Off  int    // the byte of src with the first bit that had not been used
	Out  int    // how many bytes had been decoded
	What string // the part of the stream that is wrong
	Err  error  // the sentinel
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s at %#x, after %d decoded bytes", e.Err, e.What, e.Off, e.Out)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }
