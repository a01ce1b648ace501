package codecstest

import (
	"context"
	"io"
	"sync"
	"testing"

	"pakdb/codecs"
)

// Range is the bytes [Off, Off+Len) of a file.
type Range struct{ Off, Len int64 }

// Coverage is a source that remembers which of its bytes were read.
type Coverage struct {
	src  codecs.Source
	mu   sync.Mutex
	seen []bool
}

// NewCoverage wraps src.
func NewCoverage(src codecs.Source) *Coverage {
	return &Coverage{src: src, seen: make([]bool, src.Size)}
}

// Source returns the source to read from.
func (c *Coverage) Source() codecs.Source {
	src := c.src
	src.ReaderAt = c
	return src
}

// ReadAt reads and remembers.
func (c *Coverage) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.src.ReadAt(p, off)
	c.Mark(Range{off, int64(n)})
	return n, err
}

// Mark counts r as read: padding, for example.
func (c *Coverage) Mark(r Range) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := max(r.Off, 0); i < min(r.Off+r.Len, int64(len(c.seen))); i++ {
		c.seen[i] = true
	}
}

// Unread returns what was never read, in order.
func (c *Coverage) Unread() []Range {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gaps []Range
	for i, seen := range c.seen {
		switch last := len(gaps) - 1; {
		case seen:
		case last >= 0 && gaps[last].Off+gaps[last].Len == int64(i):
			gaps[last].Len++
		default:
			gaps = append(gaps, Range{int64(i), 1})
		}
	}
	return gaps
}

// ByteCoverage lists, reads and verifies all of src and fails for every byte
// that was neither read nor is declared padding: a field that the reader does
// not know.
func ByteCoverage(t testing.TB, f *codecs.Format, src codecs.Source, o *codecs.Options, padding ...Range) {
	t.Helper()
	c := NewCoverage(src)
	a := Open(t, f, c.Source(), o)
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		_, err := ReadEntry(context.Background(), a, e)
		if excused(err) {
			err = readRaw(a, e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if v, ok := a.(codecs.Verifier); ok {
		if err := v.Verify(context.Background(), func(*codecs.FormatError) {}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range padding {
		c.Mark(r)
	}
	for _, gap := range c.Unread() {
		t.Errorf("%s: %d bytes at 0x%x were never read", src.Name, gap.Len, gap.Off)
	}
}

func readRaw(a codecs.Archive, e *codecs.Entry) error {
	raw, err := a.OpenRaw(e)
	if err == nil {
		_, err = io.Copy(io.Discard, raw)
	}
	return err
}
