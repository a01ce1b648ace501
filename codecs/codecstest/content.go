package codecstest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"pakdb/codecs"
)

// Item is an entry with its decoded content.
type Item struct {
	Entry *codecs.Entry
	Data  []byte
}

// Open opens src and closes the archive when the test ends.
func Open(t testing.TB, f *codecs.Format, src codecs.Source, o *codecs.Options) codecs.Archive {
	t.Helper()
	a, err := f.Open(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return a
}

// Items returns every entry with its content, in stored order.
func Items(t testing.TB, a codecs.Archive) []Item {
	t.Helper()
	var items []Item
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		data, err := ReadEntry(context.Background(), a, e)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, Item{e, data})
	}
	return items
}

// Contents returns what every entry holds, by name. A name that repeats fails
// the test: use [Items] there.
func Contents(t testing.TB, a codecs.Archive) map[string][]byte {
	t.Helper()
	m := map[string][]byte{}
	for _, it := range Items(t, a) {
		if _, twice := m[it.Entry.Name]; twice {
			t.Fatalf("name %q stands twice", it.Entry.Name)
		}
		m[it.Entry.Name] = it.Data
	}
	return m
}

// ReadEntry returns the decoded content of e, which must be e.Size bytes.
func ReadEntry(ctx context.Context, a codecs.Archive, e *codecs.Entry) ([]byte, error) {
	r, err := a.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	// One byte more than declared, so that a reader without an end is seen.
	n, err := io.Copy(&b, io.LimitReader(r, e.Size+1))
	err = errors.Join(err, r.Close())
	if err == nil && n != e.Size {
		err = fmt.Errorf("entry %d %q: read %d bytes, Size says %d", e.Ordinal, e.Name, n, e.Size)
	}
	return b.Bytes(), err
}

// Write builds an archive of items in memory, with the names, types, ids and
// times of their entries.
func Write(t testing.TB, f *codecs.Format, o *codecs.CreateOptions, items []Item) []byte {
	t.Helper()
	b, err := write(f, o, items)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(f *codecs.Format, o *codecs.CreateOptions, items []Item) ([]byte, error) {
	var out Buffer
	w, err := f.Create(&out, o)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// Buffer is an io.WriteSeeker in memory. The zero value is empty.
type Buffer struct {
	b   []byte
	pos int64
}

// Bytes returns what was written; it is valid until the next Write.
func (w *Buffer) Bytes() []byte { return w.b }

// Write writes at the current position and extends the buffer as needed.
func (w *Buffer) Write(p []byte) (int, error) {
	if gap := w.pos - int64(len(w.b)); gap > 0 {
		w.b = append(w.b, make([]byte, gap)...)
	}
	n := copy(w.b[w.pos:], p)
	w.b = append(w.b, p[n:]...)
	w.pos += int64(len(p))
	return len(p), nil
}

// Seek sets the position of the next Write.
func (w *Buffer) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += w.pos
	case io.SeekEnd:
		off += int64(len(w.b))
	}
	if off < 0 {
		return 0, errors.New("seek before the start")
	}
	w.pos = off
	return off, nil
}

// CheckJSON reads documents of JSON to their end. It returns an error when one is
// malformed, and when an object repeats a member, with the name of that.
func CheckJSON(r io.Reader) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	var open []map[string]bool // members of each open object so far; nil for an array
	name := false              // whether the next token of the object is a name
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("offset %d: %w", d.InputOffset(), err)
		}
		inner := len(open) > 0 && open[len(open)-1] != nil
		switch t {
		case json.Delim('{'):
			open, name = append(open, map[string]bool{}), true
			continue
		case json.Delim('['):
			open = append(open, nil)
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			name = true // where that is in an object, a name follows
			continue
		}
		if !inner {
			continue
		}
		if name {
			members := open[len(open)-1]
			if text := t.(string); members[text] {
				return fmt.Errorf("offset %d: member %q is repeated", d.InputOffset(), text)
			} else {
				members[text] = true
			}
		}
		name = !name
	}
}
