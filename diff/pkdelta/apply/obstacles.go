package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"pakdb/diff/pkdelta"
)

// obstacles finds what is in the way of an update before anything is written:
// folders where files are to be, and, with there, files that may not be changed where
// they are.
func (s *staging) obstacles(there bool) error {
	for _, f := range s.h.New {
		st, err := s.dir.Lstat(f.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case st.IsDir():
			return fmt.Errorf("%s is a folder, and the patch makes a file of that name: %w", pkdelta.Printable(f.Name), fs.ErrExist)
		case !there:
			continue // another file takes its place
		}
		file, err := s.dir.OpenFile(f.Name, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("%s is to be changed where it is: %w", pkdelta.Printable(f.Name), err)
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
