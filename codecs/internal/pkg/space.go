package pkg

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"pakdb/internal/bin"
)

const (
	headBytes = 16 << 10  // read at once; holds the summary of nearly every package
	slabBytes = 4 << 20   // a whole header up to this size is read at once
	maxTable  = 256 << 20 // bytes of one table held in memory
)

// source remembers that reading the file failed, which is no fault of the
// package and must not be taken for one.
type source struct {
	io.ReaderAt
	mu  sync.Mutex
	err error
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
	}
	return n, err
}

func (s *source) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// space is the range of addresses that offsets in the package mean: the file
// itself, or what its chunks decompress to.
type space struct {
	r     io.ReaderAt
	size  int64
	limit int64  // bytes of one table held in memory
	head  []byte // the first bytes, already read
}

// newSpace returns the space over r. Tables may take maxTable bytes, and no
// more than a fixed multiple of the stored file, which bounds what a bomb of
// compressed blocks can cost; real tables shrink about fourfold.
func newSpace(r io.ReaderAt, size, stored int64) *space {
	return &space{r: r, size: size, limit: min(maxTable, 32*stored+headBytes)}
}

// window returns up to n bytes at off: fewer at the end of the space only.
// The slice is shared and must not be written to.
func (s *space) window(off, n int64) ([]byte, error) {
	if err := bin.Range(off, 0, s.size); err != nil {
		return nil, err
	}
	n = min(n, s.size-off)
	if off+n <= int64(len(s.head)) {
		return s.head[off : off+n : off+n], nil
	}
	return bin.Section(s.r, off, n, s.size, s.limit)
}

// load makes the first n bytes resident, so that tables in them cost no
// further reads.
func (s *space) load(n int64) error {
	n = min(n, s.size, s.limit, slabBytes)
	if n <= int64(len(s.head)) {
		return nil
	}
	buf, err := bin.Section(s.r, 0, n, s.size, s.limit)
	if err != nil {
		return err
	}
	s.head = buf
	return nil
}

// span is where a table lies. hint is how many bytes it is expected to take.
type extent struct{ off, hint int64 }

// scan parses a structure of unknown length at sp.off: it calls read with a
// decoder over the expected bytes, and again with four times as many when they
// were too few. read must start anew each time. The end is where it stopped.
func (s *space) scan(ctx context.Context, l *layout, order binary.ByteOrder, sp extent, read func(*decoder)) (end int64, err error) {
	for n := max(sp.hint, 64); ; n *= 4 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		buf, err := s.window(sp.off, n)
		if err != nil {
			return 0, err
		}
		d := decoder{l: l, buf: buf}
		d.Reset(buf, sp.off, order)
		read(&d)
		if errors.Is(d.Err(), bin.ErrShort) && sp.off+int64(len(buf)) < s.size {
			continue
		}
		return d.Off(), d.Err()
	}
}
