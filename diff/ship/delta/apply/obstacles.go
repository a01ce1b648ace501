package apply

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// obstacles finds what is in the way of an update and will not be removed, before anything
// is written: files where folders of new files will be, folders with other files where new
// files will be, symbolic links to folders, pipes; and, with there, files that may not be
// changed where they are.
func (s *staging) obstacles(there bool) error {
	gone := map[string]bool{}
	for _, a := range s.removes {
		gone[a.name] = true
	}
	seen := map[string]bool{}
	for _, f := range s.h.New {
		if err := s.folders(path.Dir(f.Name), f.Name, gone, seen); err != nil {
			return err
		}
		st, err := s.dir.Lstat(f.Name)
		switch {
		case atomicfile.IsAbsent(err):
			continue
		case err != nil:
			return err
		case st.IsDir():
			err = s.onlyGone(f.Name, gone)
		case st.Mode().Type()&^fs.ModeSymlink != 0:
			err = inTheWay(f.Name, "a pipe or a device", f.Name, regular.ErrNotRegular)
		case there && st.Mode().IsRegular():
			err = s.mayWrite(f.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inTheWay is the error for what somebody has to move first.
func inTheWay(name, what, file string, class error) error {
	if name == file {
		return fmt.Errorf("%s is %s, and the patch makes a file of that name: move it elsewhere: %w", delta.Printable(name), what, class)
	}
	return fmt.Errorf("%s is %s, and in the way of %s, which the patch makes: move it elsewhere: %w", delta.Printable(name), what, delta.Printable(file), class)
}

// folders checks the folders of a new file.
func (s *staging) folders(dir, file string, gone, seen map[string]bool) error {
	if dir == "." || seen[dir] {
		return nil
	}
	seen[dir] = true
	if err := s.folders(path.Dir(dir), file, gone, seen); err != nil {
		return err
	}
	st, err := s.dir.Lstat(dir)
	switch {
	case atomicfile.IsAbsent(err):
		return nil
	case err != nil || st.IsDir():
		return err
	case gone[dir]:
		s.blocked = append(s.blocked, dir)
		return nil
	case st.Mode()&fs.ModeSymlink != 0:
		return inTheWay(dir, "a symbolic link", file, fs.ErrExist)
	}
	return inTheWay(dir, "a file that stays", file, fs.ErrExist)
}

// onlyGone requires that a folder has no files but those that go.
func (s *staging) onlyGone(dir string, gone map[string]bool) error {
	return fs.WalkDir(s.dir.Root().FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !gone[name] {
			err = inTheWay(name, "a file that stays", dir, fs.ErrExist)
		}
		return err
	})
}

// mayWrite requires that a file may be changed where it is.
func (s *staging) mayWrite(name string) error {
	file, err := s.dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("%s is to be changed where it is: %w", delta.Printable(name), err)
	}
	return file.Close()
}

// lstat describes a file that no symbolic link leads to.
func lstat(dir *atomicfile.Dir, name string) (fs.FileInfo, error) {
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if st, err := dir.Lstat(up); err != nil || !st.IsDir() {
			return nil, &fs.PathError{Op: "lstat", Path: filepath.FromSlash(name), Err: fs.ErrNotExist}
		}
	}
	return dir.Lstat(name)
}
