package codecs

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// FormatError is a fault of a file, and its place.
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

// IsFinding reports whether err is about a fault of a file. All others are of the
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

// Repeated gathers errors that many entries of one archive have for one cause, so
// that the cause is reported once with the number of entries: a key that is missing
// or wrong, or something that is not supported, such as a method without a
// decoder. The zero value is ready. It must not be used by several goroutines at
// once.
type Repeated struct{ causes []*repeatedCause }

type repeatedCause struct {
	key     string
	first   error
	entry   *Entry // of first; nil: the archive as a whole
	entries map[string]struct{}
}

// Takes reports whether err, about e or with a nil e about the archive as a whole,
// has a cause that is gathered, and keeps it for [Repeated.All] then.
func (r *Repeated) Takes(e *Entry, err error) bool {
	key, label := repeatedKey(err), entryLabel(e, err)
	if key == "" {
		return false
	}
	c := r.find(key)
	if c == nil {
		c = &repeatedCause{key: key, first: err, entry: e, entries: map[string]struct{}{}}
		r.causes = append(r.causes, c)
	}
	if label == "" && c.aboutEntry() { // says more than an entry that has the same cause
		c.first, c.entry = err, nil
	}
	if label != "" {
		c.entries[label] = struct{}{}
	}
	return true
}

// repeatedKey is what errors of one cause have in common, "" for errors that are
// reported one by one.
func repeatedKey(err error) string {
	switch fe := (*FormatError)(nil); {
	case errors.Is(err, ErrEncrypted):
		return "no key"
	case errors.Is(err, ErrWrongKey):
		return "wrong key"
	case errors.Is(err, errors.ErrUnsupported) && errors.As(err, &fe):
		return fe.Field + ": " + fe.Err.Error()
	}
	return ""
}

// entryLabel distinguishes entries; "" is the archive as a whole.
func entryLabel(e *Entry, err error) string {
	if e != nil {
		return fmt.Sprintf("#%d", e.Ordinal)
	}
	var fe *FormatError
	if errors.As(err, &fe) {
		return fe.Entry
	}
	return ""
}

func (r *Repeated) find(key string) *repeatedCause {
	for _, c := range r.causes {
		if c.key == key {
			return c
		}
	}
	return nil
}

func (c *repeatedCause) aboutEntry() bool { return entryLabel(c.entry, c.first) != "" }

// All returns one error for each cause, in the order of their appearance. That of
// a single entry comes as it was taken, with the entry. Others come without an
// entry, and say how many there are.
func (r *Repeated) All() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, c := range r.causes {
			if e, err := c.summary(); !yield(e, err) {
				return
			}
		}
	}
}

// summary returns one error for all entries of the cause; the entry if there is one
// alone.
func (c *repeatedCause) summary() (*Entry, error) {
	n := len(c.entries)
	if n == 0 || n == 1 && c.aboutEntry() {
		return c.entry, c.first
	}
	detail := fmt.Sprintf("%d entries", n)
	if n == 1 {
		detail = "1 entry"
	}
	var fe *FormatError
	if !errors.As(c.first, &fe) {
		return nil, fmt.Errorf("%w (%s)", c.first, detail)
	}
	whole := *fe
	if c.aboutEntry() {
		name := fe.Entry
		if name == "" && c.entry != nil {
			name = c.entry.Name
		}
		if whole.Entry, whole.Off = "", -1; name != "" {
			detail += fmt.Sprintf(", the first is %q", name)
		}
	}
	whole.Err = fmt.Errorf("%w (%s)", fe.Err, detail)
	return nil, &whole
}
