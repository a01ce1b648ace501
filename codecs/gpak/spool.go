package gpak

import (
	"errors"
	"io"
	"os"
)

// spool holds stored bytes until the table in front of them is known. It is a
// file, so that memory does not grow with the archive; its name is given up at
// once where the system allows that, so that not even a crash leaves it behind.
type spool struct {
	f    *os.File
	size int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", ".pakdb-spool-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // refused on Windows; close tries again
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

func (s *spool) close() error {
	err := s.f.Close()
	if rerr := os.Remove(s.f.Name()); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
