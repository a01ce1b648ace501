package codecs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pakdb/internal/atomicfile"
)

// tempFiles are the files of an archive that is being written, under temporary
// names in the folder that they will be in. As an fs.FS it shows them under
// their own names.
type tempFiles struct {
	dir  *atomicfile.Dir // of the archive's path
	base string
	list []tempFile // the archive's own first
}

type tempFile struct {
	file *atomicfile.Temp
	name string // that it will have
}

func newTempFiles(ctx context.Context, path string) (*tempFiles, error) {
	dir, err := atomicfile.Open(ctx, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return &tempFiles{dir: dir, base: filepath.Base(path)}, nil
}

// create makes a file: the archive for suffix "", else one beside it.
func (t *tempFiles) create(suffix string) (*atomicfile.File, error) {
	name := t.base
	if suffix != "" {
		name = strings.TrimSuffix(t.base, filepath.Ext(t.base)) + suffix
	}
	if filepath.Base(name) != name || t.find(name) != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	t.dir.Sweep(".", name)
	f, err := t.dir.Create(name, 0o666)
	if err != nil {
		return nil, err
	}
	t.list = append(t.list, tempFile{f, name})
	return f.File, nil
}

func (t *tempFiles) find(name string) *atomicfile.Temp {
	for _, f := range t.list {
		if f.name == name {
			return f.file
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
	f := t.find(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(f.TempPath())
}

func (t *tempFiles) sync() error {
	for _, f := range t.list {
		if err := f.file.Sync(); err != nil {
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
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	for len(t.list) > 0 {
		if err := t.list[len(t.list)-1].file.Place(); err != nil {
			return err
		}
		t.list = t.list[:len(t.list)-1]
	}
	return t.dir.Sync()
}

// remove takes away what has no name of its own yet. The folder is closed then.
func (t *tempFiles) remove() error {
	var errs []error
	for _, f := range t.list {
		errs = append(errs, f.file.Discard())
	}
	t.list = nil
	if t.dir != nil {
		errs = append(errs, t.dir.Close())
		t.dir = nil
	}
	return errors.Join(errs...)
}
