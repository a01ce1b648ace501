package inside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

var (
	// ErrNotRegular means that a folder, a pipe or the like is where a file must be.
	ErrNotRegular = regular.ErrNotRegular
	// ErrSameName means that two of the files that were given have one name.
	ErrSameName = errors.New("two files of one name")
)

// Files are opened inputs. Close closes them.
type Files struct {
	Inputs []pkdelta.Input
	Open   []*os.File
}

// ErrNoFiles means that there are no files in a folder. It is a [fs.ErrNotExist].
var ErrNoFiles = fmt.Errorf("%w: no files there", fs.ErrNotExist)

// OpenFiles opens files, and all files below folders. A file is called by its
// last name, one below a folder by its path from there. Two of a name are an
// error, and so is [ErrNoFiles]. Files whose names begin with ".pakdb-" are
// left out: they are not finished.
func OpenFiles(paths []string) (*Files, error) {
	f := &Files{}
	var err error
	for _, p := range paths {
		var st fs.FileInfo
		if st, err = os.Stat(p); err == nil && st.IsDir() {
			err = f.addDir(p)
		} else if err == nil {
			err = f.add(p, filepath.Base(p))
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = f.checkNames()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Files) addDir(root string) error {
	// With a separator behind it, a root that is a symbolic link is what that leads to.
	return filepath.WalkDir(root+string(filepath.Separator), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || atomicfile.IsTemp(d.Name()) {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		return f.add(p, filepath.ToSlash(rel))
	})
}

func (f *Files) add(p, name string) error {
	file, err := regular.Open(p)
	if err != nil {
		return err
	}
	f.Open = append(f.Open, file)
	st, err := file.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", p, ErrNotRegular)
	}
	f.Inputs = append(f.Inputs, pkdelta.Input{Name: name, Source: codecs.Source{
		ReaderAt: file, Name: filepath.Base(p), Size: st.Size(), Dir: regular.FS(filepath.Dir(p)),
	}})
	return nil
}

func (f *Files) checkNames() error {
	if len(f.Inputs) == 0 {
		return ErrNoFiles
	}
	seen := map[string]bool{}
	for _, in := range f.Inputs {
		if key := strings.ToLower(in.Name); seen[key] {
			return fmt.Errorf("%w: %q; name the folder above them instead", ErrSameName, in.Name)
		} else {
			seen[key] = true
		}
	}
	return nil
}

// Path returns the path of input i.
func (f *Files) Path(i int) string { return f.Open[i].Name() }

// Close closes all files.
func (f *Files) Close() error {
	var errs []error
	for _, file := range f.Open {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
