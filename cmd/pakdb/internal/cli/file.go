package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pakdb/internal/atomicfile"
	"pakdb/query"
)

// File is an output file that appears, whole, when it is committed: until then
// it has a temporary name, and what had its name before stays.
type File struct {
	*atomicfile.File
	temp *atomicfile.Temp // nil: what was opened is written to directly
}

// CreateFile begins a file. It is an error of class ErrUsage to name the file
// of the catalog. What is no regular file, such as a device or a pipe, is
// written to directly.
func CreateFile(path, catalog string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays, its target is replaced
	}
	mode := fs.FileMode(0o666)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, query.Usagef("", "%s is a folder", path)
	case !st.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{File: &atomicfile.File{File: f}}, nil
	default:
		if own, err := os.Stat(catalog); err == nil && os.SameFile(st, own) {
			return nil, query.Usagef("choose another file", "%s is the catalog", path)
		}
		mode = st.Mode().Perm()
	}
	replaces := err == nil
	t, err := atomicfile.Create(context.Background(), path, mode)
	if err != nil {
		return nil, err
	}
	if replaces { // whatever the umask is
		if err := t.Chmod(mode); err != nil {
			return nil, errors.Join(err, t.Discard())
		}
	}
	return &File{File: t.File, temp: t}, nil
}

// Commit puts the file in its place.
func (f *File) Commit() error {
	if f.temp == nil {
		return f.Close()
	}
	return errors.Join(f.temp.Commit(), f.temp.Discard())
}

// Abort leaves things as they were.
func (f *File) Abort() {
	if f.temp == nil {
		_ = f.Close()
		return
	}
	_ = f.temp.Discard()
}
