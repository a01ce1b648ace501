package program

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

// Part is bytes that virtual files consist of: a file, or a spool. Parts are
// told apart by their addresses.
type Part struct {
	io.ReaderAt
	File *os.File // that it is, if it is known
}

// Spool keeps what was made until it is known where it goes: in memory, or past
// spoolMemory in a file, from its byte head on.
type Spool struct {
	*Part
	Size   int64
	Limit  int64    // of what is in memory
	mem    [][]byte // pages, all but the last full
	Head   []byte   // what the file starts with
	Create func() (SpoolFile, error)
	F      SpoolFile
}

// SpoolFile is one of a folder, or one without a name.
type SpoolFile interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
}

// NewSpool returns an empty spool. Once it outgrows memory it moves to the file
// that create returns, behind head.
func NewSpool(head string, create func() (SpoolFile, error)) *Spool {
	s := &Spool{Head: []byte(head), Create: create, Limit: spoolMemory}
	s.Part = &Part{ReaderAt: (*spoolReader)(s)}
	return s
}

// TempSpool spills into a file without a name.
func TempSpool() *Spool {
	return NewSpool("", func() (SpoolFile, error) {
		f, err := atomicfile.NewScratch("")
		if err != nil {
			return nil, err
		}
		return f, nil
	})
}

// spoolReader reads a spool; the spool's own ReadAt is its part's.
type spoolReader Spool

func (r *spoolReader) ReadAt(p []byte, off int64) (int, error) {
	s := (*Spool)(r)
	if off < 0 || off >= s.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.Size-off))
	if s.F == nil {
		s.inPages(p[:n], off, func(p, page []byte) { copy(p, page) })
	} else if err := stored.ReadAt(s.F, p[:n], int64(len(s.Head))+off); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Store appends, and returns where.
func (s *Spool) Store(p []byte) (int64, error) {
	off := s.Size
	if s.F == nil && s.Size+int64(len(p)) > s.Limit {
		if err := s.Spill(); err != nil {
			return 0, err
		}
	}
	if s.F == nil {
		s.keep(p)
	} else if _, err := s.F.WriteAt(p, int64(len(s.Head))+off); err != nil {
		return 0, err
	}
	s.Size += int64(len(p))
	return off, nil
}

// patch replaces what was stored.
func (s *Spool) patch(p []byte, off int64) error {
	if s.F == nil {
		s.inPages(p, off, func(p, page []byte) { copy(page, p) })
		return nil
	}
	_, err := s.F.WriteAt(p, int64(len(s.Head))+off)
	return err
}

// Spill moves everything into the file.
func (s *Spool) Spill() (err error) {
	if s.F != nil {
		return nil
	}
	f, err := s.Create()
	if err != nil {
		return err
	}
	s.F = f
	_, err = f.Write(s.Head)
	for _, page := range s.mem {
		if err == nil {
			_, err = f.Write(page)
		}
	}
	s.mem = nil
	return err
}

// keep appends to the pages.
func (s *Spool) keep(p []byte) {
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
func (s *Spool) inPages(p []byte, off int64, do func(p, page []byte)) {
	for len(p) > 0 {
		page := s.mem[off/spoolPage][off%spoolPage:]
		n := min(len(p), len(page))
		do(p[:n], page[:n])
		p, off = p[n:], off+int64(n)
	}
}

// Close closes the file. Whoever created it removes it, unless it has no name.
func (s *Spool) Close() error {
	if s.F == nil {
		return nil
	}
	err := s.F.Close()
	s.F, s.Size = nil, 0
	return err
}
