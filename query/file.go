package query

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is an output file that appears, whole, when it is committed: until then
// it has a temporary name, and what had its name before stays.
type File struct {
	*os.File
	path string // "": what was opened is written to directly
}

// CreateFile begins a file. It is an error of class ErrUsage to name the file
// of the catalog. What is no regular file, such as a device or a pipe, is
// written to directly.
func CreateFile(path, catalog string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays, its target is replaced
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createTemp(path, 0o666, false)
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, Usagef("", "%s is a folder", path)
	case !st.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &File{File: f}, err
	}
	if own, err := os.Stat(catalog); err == nil && os.SameFile(st, own) {
		return nil, Usagef("choose another file", "%s is the catalog", path)
	}
	return createTemp(path, st.Mode().Perm(), true)
}

// createTemp makes a file beside path, with the mode of the one it replaces.
func createTemp(path string, mode os.FileMode, replaces bool) (*File, error) {
	for i := 0; ; i++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".pakdb-%d-%d", os.Getpid(), i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && i < 10_000 {
			continue
		}
		if err == nil && replaces {
			err = f.Chmod(mode)
		}
		return &File{File: f, path: path}, err
	}
}

// Commit puts the file in its place.
func (f *File) Commit() error {
	if f.path == "" {
		return f.Close()
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}

// Abort leaves things as they were.
func (f *File) Abort() {
	_ = f.Close()
	if f.path != "" {
		_ = os.Remove(f.Name())
	}
}
