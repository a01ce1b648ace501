package retropak

import (
	"bytes"
	"io"
	"os"
)

// spoolMemory is how much data is kept in memory before a temporary file is
// made.
const spoolMemory = 32 << 20

// spool keeps the data of a pak while its tables, which come first and whose
// size is known last, are not written yet.
type spool struct {
	mem  bytes.Buffer
	file *os.File
	size int64
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.mem.Len()+len(p) > spoolMemory {
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

func (s *spool) spill() (err error) {
	if s.file, err = os.CreateTemp("", "pakdb-retropak-*"); err != nil {
		return err
	}
	// Where the system allows it the file has no name from here on, so that
	// nothing is left of a Writer that nobody closed. Close removes it elsewhere.
	_ = os.Remove(s.file.Name())
	_, err = s.mem.WriteTo(s.file)
	s.mem = bytes.Buffer{}
	return err
}

// WriteTo writes everything to w.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	if s.file == nil {
		return s.mem.WriteTo(w)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return io.Copy(w, s.file)
}

// Close frees the memory and removes the file.
func (s *spool) Close() error {
	s.mem = bytes.Buffer{}
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	_ = os.Remove(s.file.Name())
	s.file = nil
	return err
}
