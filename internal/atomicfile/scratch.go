package atomicfile

import (
	"errors"
	"os"
)

// Scratch is a file for what does not fit into memory. It has no name, where the
// system allows that, so that nothing of it is left whenever the process ends.
type Scratch struct {
	*os.File
	named bool
}

// NewScratch makes one in a folder, "" being the system's for temporary files. The
// caller closes it.
func NewScratch(dir string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, Prefix+"scratch-*")
	if err != nil {
		return nil, err
	}
	return &Scratch{File: f, named: os.Remove(f.Name()) != nil}, nil
}

// Close closes the file, which is gone then.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if s.named && !errors.Is(err, os.ErrClosed) {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}
