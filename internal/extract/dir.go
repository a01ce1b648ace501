package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// ErrExists means that a file is in the way and Options.Overwrite is off.
var ErrExists = errors.New("file exists")

// Dir is a folder that entries are written into. It is safe for concurrent use.
type Dir struct {
	root      *os.Root
	overwrite bool

	mu    sync.Mutex
	taken map[string]bool // lower-cased paths handed out
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
	return &Dir{root: root, overwrite: overwrite, taken: map[string]bool{}, made: map[string]bool{}}, nil
}

// Close releases the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Reserve returns the path under which the entry of that name is written. Names
// that a case-insensitive file system would take for one get "~2", "~3" before
// the extension. Call it in a fixed order to get the same paths every time.
func (d *Dir) Reserve(entry string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := Name(entry)
	ext := path.Ext(name)
	for n := 2; d.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s~%d%s", strings.TrimSuffix(Name(entry), ext), n, ext)
	}
	d.taken[strings.ToLower(name)] = true
	return name
}

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
