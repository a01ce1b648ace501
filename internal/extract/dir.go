package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"
)

// ErrExists means that a file is in the way and Options.Overwrite is off.
var ErrExists = errors.New("file exists")

// Dir is a folder that entries are written into, under names that its Names
// hand out. It is safe for concurrent use.
type Dir struct {
	Names
	root      *os.Root
	overwrite bool

	mu    sync.Mutex
	made  map[string]bool // folders that exist
	temps int
}

// Open opens the folder at dir, making it if need be. Unless overwrite is set,
// files that are already there are left alone.
func Open(dir string, overwrite bool) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, overwrite: overwrite, made: map[string]bool{}}, nil
}

// Close releases the folder.
func (d *Dir) Close() error { return d.root.Close() }

// File is a file being written. It appears under its name when Commit returns.
type File struct {
	*os.File
	dir  *Dir
	temp string
	name string
	done bool
}

// Create starts the file at a reserved path. Close without Commit removes it.
func (d *Dir) Create(name string) (*File, error) {
	if err := d.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	if !d.overwrite {
		if _, err := d.root.Lstat(name); err == nil {
			return nil, &fs.PathError{Op: "extract", Path: name, Err: ErrExists}
		}
	}
	d.mu.Lock()
	d.temps++
	temp := path.Join(path.Dir(name), fmt.Sprintf(".pakdb-%d-%d", os.Getpid(), d.temps))
	d.mu.Unlock()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{File: f, dir: d, temp: temp, name: name}, nil
}

// mkdir makes a folder once, however many files go into it.
func (d *Dir) mkdir(dir string) error {
	d.mu.Lock()
	made := d.made[dir]
	d.mu.Unlock()
	if made || dir == "." {
		return nil
	}
	if err := d.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	d.mu.Lock()
	d.made[dir] = true
	d.mu.Unlock()
	return nil
}

// Commit gives the file its name, and its modification time unless that is
// zero.
func (f *File) Commit(mod time.Time) error {
	if err := f.File.Close(); err != nil {
		return err
	}
	if !mod.IsZero() {
		if err := f.dir.root.Chtimes(f.temp, mod, mod); err != nil {
			return err
		}
	}
	if err := f.dir.root.Rename(f.temp, f.name); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Close removes the file unless it was committed.
func (f *File) Close() error {
	if f.done {
		return nil
	}
	_ = f.File.Close()
	f.done = true
	return f.dir.root.Remove(f.temp)
}
