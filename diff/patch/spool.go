package patch

import (
	"io"
	"os"

	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// spoolMemory is how much a spool holds in memory, unless all of it will go to its
// file in the end, and spoolPage how much of that is one piece.
const (
	spoolMemory = 16 << 20
	spoolPage   = 256 << 10
)

// part is bytes that virtual files consist of: a file, or a spool. Parts are
// told apart by their addresses.
type part struct {
	io.ReaderAt
	file *os.File // that it is, if it is known
}

// spool keeps what was made until it is known where it goes: in memory, or past
// spoolMemory in a file, from its byte head on.
type spool struct {
	*part
	size   int64
	limit  int64    // of what is in memory
	mem    [][]byte // pages, all but the last full
	head   []byte   // what the file starts with
	create func() (spoolFile, error)
	f      spoolFile
}

// spoolFile is one of a folder, or one without a name.
type spoolFile interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
}

// newSpool returns an empty spool. Once it outgrows memory it moves to the file
// that create returns, behind head.
func newSpool(head string, create func() (spoolFile, error)) *spool {
	s := &spool{head: []byte(head), create: create, limit: spoolMemory}
	s.part = &part{ReaderAt: (*spoolReader)(s)}
	return s
}

// tempSpool spills into a file without a name.
func tempSpool() *spool {
	return newSpool("", func() (spoolFile, error) {
		f, err := atomicfile.NewScratch("")
		if err != nil {
			return nil, err
		}
		return f, nil
	})
}

// spoolReader reads a spool; the spool's own ReadAt is its part's.
type spoolReader spool

func (r *spoolReader) ReadAt(p []byte, off int64) (int, error) {
	s := (*spool)(r)
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.size-off))
	if s.f == nil {
		s.inPages(p[:n], off, func(p, page []byte) { copy(p, page) })
	} else if err := stored.ReadAt(s.f, p[:n], int64(len(s.head))+off); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// store appends, and returns where.
func (s *spool) store(p []byte) (int64, error) {
	off := s.size
	if s.f == nil && s.size+int64(len(p)) > s.limit {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.f == nil {
		s.keep(p)
	} else if _, err := s.f.WriteAt(p, int64(len(s.head))+off); err != nil {
		return 0, err
	}
	s.size += int64(len(p))
	return off, nil
}

// patch replaces what was stored.
func (s *spool) patch(p []byte, off int64) error {
	if s.f == nil {
		s.inPages(p, off, func(p, page []byte) { copy(page, p) })
		return nil
	}
	_, err := s.f.WriteAt(p, int64(len(s.head))+off)
	return err
}

// spill moves everything into the file.
func (s *spool) spill() (err error) {
	if s.f != nil {
		return nil
	}
	f, err := s.create()
	if err != nil {
		return err
	}
	s.f = f
	_, err = f.Write(s.head)
	for _, page := range s.mem {
		if err == nil {
			_, err = f.Write(page)
		}
	}
	s.mem = nil
	return err
}

// keep appends to the pages.
func (s *spool) keep(p []byte) {
	for len(p) > 0 {
		k := len(s.mem) - 1
		if k < 0 || len(s.mem[k]) == spoolPage {
			s.mem = append(s.mem, make([]byte, 0, spoolPage))
			k++
		}
		n := min(len(p), spoolPage-len(s.mem[k]))
		s.mem[k] = append(s.mem[k], p[:n]...)
		p = p[n:]
	}
}

// inPages passes on the parts of pages that p, which begins at off, is over.
func (s *spool) inPages(p []byte, off int64, do func(p, page []byte)) {
	for len(p) > 0 {
		page := s.mem[off/spoolPage][off%spoolPage:]
		n := min(len(p), len(page))
		do(p[:n], page[:n])
		p, off = p[n:], off+int64(n)
	}
}

// Close closes the file. Whoever created it removes it, unless it has no name.
func (s *spool) Close() error {
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	s.f, s.size = nil, 0
	return err
}
