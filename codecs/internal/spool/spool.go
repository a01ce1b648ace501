// Package spool has parts of files at hand without holding all of them: a [Spool] keeps
// output that must be known in whole before it can be placed, a [Region] reads an index
// page by page, and [Ahead] decodes blocks ahead of a reader.
package spool

import (
	"bytes"
	"io"

	"pakdb/internal/atomicfile"
)

// memory is how much is kept in memory before a temporary file is made.
const memory = 4 << 20

// Spool takes bytes and gives them back, in memory or, when there are many, by
// a temporary file. The zero value is empty. It is not safe for concurrent use.
type Spool struct {
	mem  bytes.Buffer
	file *atomicfile.Scratch
	size int64
}

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && s.mem.Len()+len(p) > memory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	var w io.Writer = &s.mem
	if s.file != nil {
		w = s.file
	}
	n, err := w.Write(p)
	s.size += int64(n)
	return n, err
}

func (s *Spool) spill() (err error) {
	if s.file, err = atomicfile.NewScratch(""); err != nil {
		return err
	}
	_, err = s.mem.WriteTo(s.file)
	s.mem = bytes.Buffer{}
	return err
}

// Size returns how many bytes were written since the last Reset.
func (s *Spool) Size() int64 { return s.size }

// Memory returns how many bytes of memory it holds, which Reset keeps.
func (s *Spool) Memory() int64 { return int64(s.mem.Cap()) }

// ReadAt implements io.ReaderAt. Several calls may run at once, as long as
// nothing is written.
func (s *Spool) ReadAt(p []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, off)
	}
	return bytes.NewReader(s.mem.Bytes()).ReadAt(p, off)
}

// WriteTo writes everything to w and empties s.
func (s *Spool) WriteTo(w io.Writer) (n int64, err error) {
	if s.file == nil {
		s.size = 0
		return s.mem.WriteTo(w)
	}
	if _, err = s.file.Seek(0, io.SeekStart); err == nil {
		n, err = io.Copy(w, s.file)
	}
	if rerr := s.Reset(); err == nil {
		err = rerr
	}
	return n, err
}

// Reset empties s for the next use, and removes the file.
func (s *Spool) Reset() error {
	s.mem.Reset()
	s.size = 0
	f := s.file
	if f == nil {
		return nil
	}
	s.file = nil
	return f.Close()
}
