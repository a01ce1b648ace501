package codecs

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tempFiles are the files of an archive that is being written, under temporary
// names in the folder that they will be in. As an fs.FS it shows them under
// their own names.
type tempFiles struct {
	dir, base string // of the archive's path
	mark      string
	list      []tempFile // the archive's own first
}

type tempFile struct {
	*os.File
	name string // that it will have
}

func newTempFiles(path string) *tempFiles {
	dir, base := filepath.Split(path)
	return &tempFiles{dir: dir, base: base, mark: rand.Text()}
}

// create makes a file: the archive for suffix "", else one beside it.
func (t *tempFiles) create(suffix string) (*os.File, error) {
	name := t.base
	if suffix != "" {
		name = strings.TrimSuffix(t.base, filepath.Ext(t.base)) + suffix
	}
	if filepath.Base(name) != name || t.find(name) != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	// O_EXCL of a random name, rather than os.CreateTemp, for the permissions
	// that the user's umask gives any new file.
	f, err := os.OpenFile(t.temp(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	t.list = append(t.list, tempFile{f, name})
	return f, nil
}

func (t *tempFiles) temp(name string) string {
	return filepath.Join(t.dir, ".pakdb-"+name+"-"+t.mark)
}

func (t *tempFiles) find(name string) *os.File {
	for _, f := range t.list {
		if f.name == name {
			return f.File
		}
	}
	return nil
}

// options are o with a Sibling, unless it has its own.
func (t *tempFiles) options(o *CreateOptions) *CreateOptions {
	var with CreateOptions
	if o != nil {
		with = *o
	}
	if with.Sibling == nil {
		with.Sibling = func(suffix string) (io.WriteSeeker, error) {
			f, err := t.create(suffix)
			if err != nil {
				return nil, err // not a nil *os.File in the interface
			}
			return f, nil
		}
	}
	return &with
}

// Open implements fs.FS, for reading back what was written.
func (t *tempFiles) Open(name string) (fs.File, error) {
	if t.find(name) == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(t.temp(name))
}

func (t *tempFiles) sync() error {
	for _, f := range t.list {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// commit closes the files and gives them their names, the archive's own last:
// until then the one that was there before is found, with or without the
// files that it needs.
func (t *tempFiles) commit() error {
	for _, f := range t.list {
		if err := f.Close(); err != nil {
			return err
		}
	}
	for len(t.list) > 0 {
		last := t.list[len(t.list)-1]
		if err := os.Rename(last.File.Name(), filepath.Join(t.dir, last.name)); err != nil {
			return err
		}
		t.list = t.list[:len(t.list)-1]
	}
	return syncDir(filepath.Clean(t.dir))
}

// remove takes away what has no name of its own yet.
func (t *tempFiles) remove() error {
	var errs []error
	for _, f := range t.list {
		_ = f.Close() // closed already unless something failed
		errs = append(errs, os.Remove(f.File.Name()))
	}
	t.list = nil
	return errors.Join(errs...)
}
