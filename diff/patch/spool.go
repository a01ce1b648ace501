package patch

import (
	"errors"
	"io"
	"os"
)

// spoolMemory is how much a spool holds in memory.
const spoolMemory = 16 << 20

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
	mem    []byte
	head   []byte // what the file starts with
	create func() (*os.File, error)
	f      *os.File
}

func newSpool(head string, create func() (*os.File, error)) *spool {
	s := &spool{head: []byte(head), create: create}
	s.part = &part{ReaderAt: (*spoolReader)(s)}
	return s
}

// tempSpool spills into a file that has no name for long.
func tempSpool() *spool {
	return newSpool("", func() (*os.File, error) { return os.CreateTemp("", tempPrefix+"spool-*") })
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
		copy(p[:n], s.mem[off:])
	} else if err := readAt(s.f, p[:n], int64(len(s.head))+off); err != nil {
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
	if s.f == nil && s.size+int64(len(p)) > spoolMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.f == nil {
		s.mem = append(s.mem, p...)
	} else if _, err := s.f.WriteAt(p, int64(len(s.head))+off); err != nil {
		return 0, err
	}
	s.size += int64(len(p))
	return off, nil
}

// patch replaces what was stored.
func (s *spool) patch(p []byte, off int64) error {
	if s.f == nil {
		copy(s.mem[off:], p)
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
	_, err = f.WriteAt(append(s.head[:len(s.head):len(s.head)], s.mem...), 0)
	s.mem = nil
	return err
}

// close closes the file. Whoever created it removes it, unless it is a temporary
// one.
func (s *spool) close() error {
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	if len(s.head) == 0 {
		err = errors.Join(err, os.Remove(s.f.Name()))
	}
	s.f, s.size = nil, 0
	return err
}
