// Package extract writes entries of archives into a folder, and nowhere else.
//
// Names inside archives are hostile until proven otherwise. [Names] makes safe
// paths of them by package safename; [Dir] confines the result to its folder by
// os.Root as well, so that symbolic links do not lead out of it either.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"syscall"
	"time"

	"pakdb/internal/atomicfile"
)

// ErrExists means that a file is in the way and Options.Overwrite is off.
var ErrExists = errors.New("file exists")

// ErrOutside means that a link which lies in the folder leads out of it.
var ErrOutside = errors.New("a link leads out of the folder")

// outside puts what an os.Root refuses into the class ErrOutside. It has no class
// of its own; all that the system refuses has a number.
func outside(err error) error {
	var number syscall.Errno
	if err == nil || errors.As(err, &number) || errors.Is(err, fs.ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrOutside, err)
}

// Dir is a folder that entries are written into, under names that its Names
// hand out. It is safe for concurrent use.
type Dir struct {
	Names
	dir       *atomicfile.Dir
	overwrite bool

	mu   sync.Mutex
	made map[string]bool // folders that exist
}

// Open opens the folder at dir, making it if need be. Unless overwrite is set,
// files that are already there are left alone.
func Open(ctx context.Context, dir string, overwrite bool) (*Dir, error) {
	d, err := atomicfile.Make(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Dir{dir: d, overwrite: overwrite, made: map[string]bool{}}, nil
}

// Close releases the folder.
func (d *Dir) Close() error { return d.dir.Close() }

// File is a file being written. It appears under its name when Commit returns.
type File struct{ temp *atomicfile.Temp }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) { return f.temp.Write(p) }

// Create starts the file at a reserved path. Close without Commit removes it.
func (d *Dir) Create(name string) (*File, error) {
	if err := d.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	if !d.overwrite {
		if _, err := d.dir.Lstat(name); err == nil {
			return nil, &fs.PathError{Op: "extract", Path: name, Err: ErrExists}
		}
	}
	f, err := d.dir.Create(name, 0o666)
	if err != nil {
		return nil, outside(err)
	}
	return &File{f}, nil
}

// mkdir makes a folder once, however many files go into it. What a killed process
// left there goes, before anyone writes to it: a file that is closed, and about to get
// its name, may look like that.
func (d *Dir) mkdir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made[dir] {
		return nil
	}
	if err := d.dir.MkdirAll(dir); err != nil {
		return outside(err)
	}
	d.dir.Sweep(dir, "")
	d.made[dir] = true
	return nil
}

// Commit gives the file its name, and its modification time unless that is
// zero. It is not synced: what is extracted can be extracted again.
func (f *File) Commit(mod time.Time) error {
	if err := f.temp.Close(); err != nil {
		return err
	}
	if !mod.IsZero() {
		if err := f.temp.SetTime(mod); err != nil {
			return err
		}
	}
	return f.temp.Place()
}

// Close removes the file unless it was committed.
func (f *File) Close() error { return f.temp.Discard() }
