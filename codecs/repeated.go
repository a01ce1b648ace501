package codecs

import (
	"errors"
	"fmt"
	"iter"
)

// Repeated gathers errors that many entries of one archive have for one cause, so
// that the cause is told once with the number of entries: a key that is missing
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
// told one by one.
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

// entryLabel tells entries apart; "" is the archive as a whole.
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
