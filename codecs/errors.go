package codecs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// The classes of format errors. [errors.ErrUnsupported] is one more.
var (
	ErrCorrupt   = errors.New("corrupt")                 // contradicts the format, or itself
	ErrTruncated = errors.New("truncated")               // ends before its own tables say
	ErrLimit     = errors.New("larger than the limit")   // may be well-formed, refused by Limits
	ErrChecksum  = errors.New("checksum mismatch")       // bytes differ from what the archive declares
	ErrEncrypted = errors.New("encrypted, and no key")   // a key would help
	ErrWrongKey  = errors.New("wrong key")               // the key at hand does not decrypt it
	ErrUnknown   = errors.New("not a known format")      // no format recognises the file
	ErrAmbiguous = errors.New("several formats match")   // two formats claim the same bytes
	ErrName      = errors.New("name cannot be a path")   // unsafe to extract as it is
	ErrNotFound  = errors.New("no such entry")           // asked for by the user
	ErrReadOnly  = errors.New("format is read-only")     // has no writer
	ErrReadBack  = errors.New("written file differs")    // the writer's own check failed
	ErrNonStrict = errors.New("departs from the format") // readable, but not as the format wants it
)

// FormatError tells what is wrong with a file, and where.
//
//	game.sip: gpak: entry "A/B.curve": size at 0x1f40: corrupt: 70000 > 65536
//
// It unwraps to Err, which wraps a sentinel of this package or
// [errors.ErrUnsupported].
type FormatError struct {
	Format string // Format.Name or Inspector.Name
	File   string // base name of the file
	Entry  string // path or ordinal of the entry, "" when the container is meant
	Field  string // the format's word for the field
	Off    int64  // absolute offset of the field, -1 when there is none
	Err    error
}

func (e *FormatError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	b.WriteString(e.Format)
	if e.Entry != "" {
		fmt.Fprintf(&b, ": entry %q", e.Entry)
	}
	if e.Field != "" {
		b.WriteString(": " + e.Field)
	}
	if e.Off >= 0 {
		fmt.Fprintf(&b, " at 0x%x", e.Off)
	}
	return b.String() + ": " + e.Err.Error()
}

func (e *FormatError) Unwrap() error { return e.Err }

// Errorf returns an error that wraps class and carries a formatted detail:
//
//	Errorf(ErrCorrupt, "%d > %d", size, limit)
func Errorf(class error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", class, fmt.Sprintf(format, args...))
}

// IsFinding reports whether err says what is wrong with a file. All others are of the
// machine, such as a disk that cannot be read, or of a context that has ended.
func IsFinding(err error) bool {
	var machine *fs.PathError
	if err == nil || errors.As(err, &machine) || isCancelled(err) {
		return false
	}
	var at *FormatError
	var read *bin.Error
	return errors.As(err, &at) || errors.As(err, &read) || slices.ContainsFunc(classes[:], func(class error) bool { return errors.Is(err, class) })
}

var classes = [...]error{ErrCorrupt, ErrTruncated, ErrLimit, ErrChecksum, ErrEncrypted, ErrWrongKey, ErrUnknown, ErrNonStrict, errors.ErrUnsupported}

// Classify turns the errors of the lower rooms into this package's classes:
// a short read is ErrTruncated, an impossible count or a bad block ErrCorrupt.
// Other errors are returned as they are. off is the offset that the lower error
// carries, or fallback.
func Classify(err error, fallback int64) (classified error, off int64) {
	off = fallback
	var at *bin.Error
	if errors.As(err, &at) {
		off = at.Off
	}
	switch {
	case err == nil:
		return nil, off
	case errors.Is(err, bin.ErrShort):
		return Errorf(ErrTruncated, "%s", detail(at)), off
	case errors.Is(err, bin.ErrCount):
		return Errorf(ErrCorrupt, "count %d, but only %d bytes remain", at.Need, at.Have), off
	case errors.Is(err, bin.ErrLimit):
		return Errorf(ErrLimit, "%d > %d bytes", at.Need, at.Have), off
	case errors.Is(err, compress.ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err), off
	}
	return err, off
}

func detail(at *bin.Error) string {
	return fmt.Sprintf("need %d bytes, have %d", at.Need, at.Have)
}
