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
// folders where files are to be, files that may not be changed where they are,
// and a file that is no older way back, or will not be, where this one is to be
// kept.
func (a *applier) obstacles() error {
	if a.o.Undo != "" {
		if pkdelta.IsOwn(a.o.Undo) || slices.ContainsFunc(a.H.New, func(f pkdelta.File) bool { return strings.EqualFold(f.Name, path.Clean(a.o.Undo)) }) {
			return fmt.Errorf("the way back cannot be kept in %s, which is a name that the update needs: %w", a.o.Undo, fs.ErrExist)
		}
		head, err := a.head(a.o.Undo)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case head != journalMagic:
			return fmt.Errorf("%s is there already, and the way back is to be kept there: %w", a.o.Undo, fs.ErrExist)
		}
	}
	for _, f := range a.H.New {
		st, err := a.dir.Lstat(f.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case st.IsDir():
			return fmt.Errorf("%s is a folder, and the patch makes a file of that name: %w", pkdelta.Printable(f.Name), fs.ErrExist)
		case a.o.Mode == NewFiles:
			continue // another file takes its place
		}
		file, err := a.dir.OpenFile(f.Name, os.O_RDWR, 0)
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
func (a *applier) head(name string) (string, error) {
	f, err := a.dir.Open(name)
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
