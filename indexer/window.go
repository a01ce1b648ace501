package indexer

import (
	"io"
	"slices"
	"sync"

	"pakdb/codecs"
)

// windows is the file of an archive with small entries, of which the bytes of chunks
// in work are held: a system call for each entry took a twelfth of the CPU of a scan.
// Reading is safe for concurrent use.
type windows struct {
	io.ReaderAt
	mu   sync.RWMutex
	open []*window
}

// window is a part of a file.
type window struct {
	off int64
	b   []byte
}

// ReadAt implements io.ReaderAt.
func (s *windows) ReadAt(p []byte, off int64) (int, error) {
	if s.copyFrom(p, off) {
		return len(p), nil
	}
	return s.ReaderAt.ReadAt(p, off)
}

func (s *windows) copyFrom(p []byte, off int64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, w := range s.open {
		if at := off - w.off; at >= 0 && at+int64(len(p)) <= int64(len(w.b)) {
			copy(p, w.b[at:])
			return true
		}
	}
	return false
}

const (
	maxWindow    = 1 << 20
	beforeWindow = 256 // what formats have in front of a payload
	minInWindow  = 8   // entries for which it is worth while
)

var windowBuffers = sync.Pool{New: func() any { return new([]byte) }}

// hold reads the bytes of the entries at once, if they are small and lie close to
// each other, and holds them until release is called. What cannot be read is not
// held: the next caller gets the error.
func (s *windows) hold(items []item) (release func()) {
	start, end, ok := windowOf(items)
	if s == nil || !ok {
		return func() {}
	}
	buf := windowBuffers.Get().(*[]byte)
	if cap(*buf) < int(end-start) {
		*buf = make([]byte, end-start)
	}
	n, _ := s.ReaderAt.ReadAt((*buf)[:end-start], start)
	w := &window{start, (*buf)[:n]}
	s.mu.Lock()
	s.open = append(s.open, w)
	s.mu.Unlock()
	return func() {
		s.mu.Lock() // nobody copies from it now
		s.open = slices.DeleteFunc(s.open, func(other *window) bool { return other == w })
		s.mu.Unlock()
		windowBuffers.Put(buf)
	}
}

// windowOf returns where the stored bytes of entries begin and end. ok is false when
// they are few, or not close to each other.
func windowOf(items []item) (start, end int64, ok bool) {
	n, stored := 0, int64(0)
	for _, it := range items {
		e := it.entry
		if it.err != nil || e == nil || e.Offset < 0 || e.Stored <= 0 || e.Flags&(codecs.Nested|codecs.Deleted) != 0 {
			continue
		}
		if e.Stored > maxWindow || e.Offset > 1<<62 {
			return 0, 0, false
		}
		if n == 0 || e.Offset < start {
			start = e.Offset
		}
		end = max(end, e.Offset+e.Stored)
		stored += e.Stored
		n++
	}
	start = max(start-beforeWindow, 0)
	return start, end, n >= minInWindow && end-start <= min(maxWindow, 4*stored)
}
