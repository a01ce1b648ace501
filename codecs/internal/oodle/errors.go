package oodle

import (
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by every error about a stream that breaks the format: damaged, truncated, not Oodle at all, or
// made for another decoded size than len(dst).
var ErrCorrupt = errors.New("corrupt")

// Error says where decoding stopped and why. Err wraps [ErrCorrupt], or [errors.ErrUnsupported] when the stream may be
// sound but uses a codec or a feature that this package does not know.
type Error struct {
	Codec  string // "Kraken", ...; empty while the codec is not known yet
	Field  string // the part of the stream, named as in FORMAT.md: "quantum.size", "commands.huffman.lengths"
	Offset int    // bytes into src of the part, or of the place in it where it went wrong
	Raw    int    // decoded bytes before the chunk that holds the part
	Err    error
}

// Error formats the codec, the field, the offset in src, the position in dst and the cause.
func (e *Error) Error() string {
	codec := e.Codec
	if codec == "" {
		codec = "stream"
	}
	return fmt.Sprintf("oodle: %s %s at %#x (raw %#x): %v", codec, e.Field, e.Offset, e.Raw, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (d *Decoder) fail(off int, field string, err error) error {
	if d.part != "" {
		field = d.part + "." + field
	}
	return &Error{Codec: d.codec.String(), Field: field, Offset: off, Raw: d.raw, Err: err}
}

func (d *Decoder) corrupt(off int, field string) error { return d.fail(off, field, ErrCorrupt) }

func (d *Decoder) unsupported(off int, field, what string) error {
	return d.fail(off, field, fmt.Errorf("%w: %s", errors.ErrUnsupported, what))
}
