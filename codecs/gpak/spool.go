package gpak

import (
	"io"

	"pakdb/internal/atomicfile"
)

// spool holds stored bytes until the table in front of them is known. It is a
// file, so that memory does not grow with the archive.
type spool struct {
	f    *atomicfile.Scratch
	size int64
}

func newSpool() (*spool, error) {
	f, err := atomicfile.NewScratch("")
	if err != nil {
		return nil, err
	}
	return &spool{f: f}, nil
}

// append returns where it put b.
func (s *spool) append(b []byte) (off int64, err error) {
	off = s.size
	_, err = s.f.WriteAt(b, off)
	s.size += int64(len(b))
	return off, err
}

// copyTo writes n bytes at off to w.
func (s *spool) copyTo(w io.Writer, off, n int64) error {
	_, err := io.Copy(w, io.NewSectionReader(s.f, off, n))
	return err
}

func (s *spool) close() error { return s.f.Close() }
