package indexer

import (
	"io"
	"slices"
	"sync"

	"pakdb/codecs"
)

// spans is the file of an archive with small entries, of which the bytes of chunks
// in work are held: a system call for each entry took a twelfth of the CPU of a scan.
// Reading is safe for concurrent use.
type spans struct {
	io.ReaderAt
	mu   sync.RWMutex
	held []*span
}

// span is a part of a file.
type span struct {
	off int64
	b   []byte
}

// ReadAt implements io.ReaderAt.
func (s *spans) ReadAt(p []byte, off int64) (int, error) {
	if s.copyHeld(p, off) {
		return len(p), nil
	}
	return s.ReaderAt.ReadAt(p, off)
}

func (s *spans) copyHeld(p []byte, off int64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, h := range s.held {
		if at := off - h.off; at >= 0 && at+int64(len(p)) <= int64(len(h.b)) {
			copy(p, h.b[at:])
			return true
		}
	}
	return false
}

const (
	maxSpan    = 1 << 20
	beforeSpan = 256 // what formats have in front of a payload
	minSpanned = 8   // entries for which it is worth while
)

var spanBuffers = sync.Pool{New: func() any { return new([]byte) }}

// hold reads the bytes of the entries at once, if they are small and lie close to
// each other, and holds them until release is called. What cannot be read is not
// held: whoever asks for it gets the error.
func (s *spans) hold(items []item) (release func()) {
	start, end, ok := spanOf(items)
	if s == nil || !ok {
		return func() {}
	}
	buf := spanBuffers.Get().(*[]byte)
	if cap(*buf) < int(end-start) {
		*buf = make([]byte, end-start)
	}
	n, _ := s.ReaderAt.ReadAt((*buf)[:end-start], start)
	h := &span{start, (*buf)[:n]}
	s.mu.Lock()
	s.held = append(s.held, h)
	s.mu.Unlock()
	return func() {
		s.mu.Lock() // nobody copies from it now
		s.held = slices.DeleteFunc(s.held, func(other *span) bool { return other == h })
		s.mu.Unlock()
		spanBuffers.Put(buf)
	}
}

// spanOf returns where the stored bytes of entries begin and end. ok is false when
// they are few, or not close to each other.
func spanOf(items []item) (start, end int64, ok bool) {
	n, stored := 0, int64(0)
	for _, it := range items {
		e := it.entry
		if it.err != nil || e == nil || e.Offset < 0 || e.Stored <= 0 || e.Flags&(codecs.Nested|codecs.Deleted) != 0 {
			continue
		}
		if e.Stored > maxSpan || e.Offset > 1<<62 {
			return 0, 0, false
		}
		if n == 0 || e.Offset < start {
			start = e.Offset
		}
		end = max(end, e.Offset+e.Stored)
		stored += e.Stored
		n++
	}
	start = max(start-beforeSpan, 0)
	return start, end, n >= minSpanned && end-start <= min(maxSpan, 4*stored)
}
