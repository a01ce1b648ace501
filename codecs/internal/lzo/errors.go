package lzo

import (
	"errors"
	"fmt"
)

// The ways in which a stream can fail. A decoder returns each wrapped in an
// [*Error].
var (
	// ErrCorrupt means an instruction or segment that no encoder writes.
	ErrCorrupt = errors.New("corrupt")
	// ErrInputOverrun means that src ends before the stream does.
	ErrInputOverrun = errors.New("input overrun")
	// ErrOutputOverrun means that the stream holds more than dst can take.
	ErrOutputOverrun = errors.New("output overrun")
	// ErrLookbehindOverrun means a match that begins before the output.
	ErrLookbehindOverrun = errors.New("lookbehind overrun")
)

// Error tells where a stream failed. It unwraps to one of the package's
// sentinels.
type Error struct {
	Off int   // where in src the failed instruction or segment begins
	Out int   // how many bytes had been decoded
	Err error // the sentinel
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v at %#x, after %d decoded bytes", e.Err, e.Off, e.Out)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }
