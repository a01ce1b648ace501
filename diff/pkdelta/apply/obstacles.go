package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"pakdb/diff/pkdelta"
)

// obstacles finds what is in the way of an update before anything is written:
// folders where files are to be, with there files that may not be changed where they
// are, and a file that is no older way back, or will not be, where this one is to be
// kept, if undo is not "".
func (s *staging) obstacles(undo string, there bool) error {
	if undo != "" {
		if pkdelta.IsOwn(undo) || slices.ContainsFunc(s.h.New, func(f pkdelta.File) bool { return strings.EqualFold(f.Name, path.Clean(undo)) }) {
			return fmt.Errorf("the way back cannot be kept in %s, which is a name that the update needs: %w", undo, fs.ErrExist)
		}
		head, err := s.head(undo)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case head != journalMagic:
			return fmt.Errorf("%s is there already, and the way back is to be kept there: %w", undo, fs.ErrExist)
		}
	}
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

// head reads as much of a file as a journal's magic has.
func (s *staging) head(name string) (string, error) {
	f, err := s.dir.Open(name)
	if err != nil {
		return "", err
	}
	b := make([]byte, len(journalMagic))
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		err = nil
	}
	return string(b[:n]), errors.Join(err, f.Close())
}
