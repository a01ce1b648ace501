package safename

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

// errFolder means that a file is in the way of a folder, which no option replaces.
var errFolder = fmt.Errorf("%w, and a folder is needed there", fs.ErrExist)

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
	open map[string]*folder
	turn int64 // counts uses of folders
}

// folder is an open folder that files are written into.
type folder struct {
	*atomicfile.Dir
	users int   // files that are not closed
	used  int64 // the turn of its last use
}

// maxOpen is how many folders stay open that nobody writes to. Opening one for each
// operation on each file took three quarters of the calls of the system.
const maxOpen = 32

// OpenDir opens the folder at dir, making it if need be. Unless overwrite is set,
// files that are already there are left alone.
func OpenDir(ctx context.Context, dir string, overwrite bool) (*Dir, error) {
	d, err := atomicfile.Make(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Dir{dir: d, overwrite: overwrite, made: map[string]bool{}, open: map[string]*folder{}}, nil
}

// Close releases the folder. All files are closed before.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, f := range d.open {
		errs = append(errs, f.Close())
	}
	clear(d.open)
	return errors.Join(append(errs, d.dir.Close())...)
}

// File is a file being written. It appears under its name when Commit returns.
type File struct {
	temp *atomicfile.Temp
	dir  *Dir
	in   *folder // nil: released
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) { return f.temp.Write(p) }

// Create starts the file at a reserved path. Close without Commit removes it; after
// Commit it is to be closed as well.
func (d *Dir) Create(name string) (*File, error) {
	in, err := d.enter(path.Dir(name))
	if err != nil {
		return nil, err
	}
	temp, err := d.create(in, name)
	if err != nil {
		d.leave(in)
		return nil, err
	}
	return &File{temp, d, in}, nil
}

func (d *Dir) create(in *folder, name string) (*atomicfile.Temp, error) {
	base := path.Base(name)
	if !d.overwrite {
		if _, err := in.Lstat(base); err == nil {
			return nil, &fs.PathError{Op: "extract", Path: name, Err: ErrExists}
		}
	}
	f, err := in.Dir.Create(base, 0o666)
	return f, outside(err)
}

// enter returns a folder of files, for one file more. It is made once, however many
// files go into it. What a killed process left there goes, before anyone writes to it:
// a file that is closed, and about to get its name, may look like that.
func (d *Dir) enter(dir string) (*folder, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.made[dir] {
		err := d.dir.MkdirAll(dir)
		if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) {
			return nil, &fs.PathError{Op: "extract", Path: dir, Err: errFolder}
		}
		if err != nil {
			return nil, outside(err)
		}
		d.dir.Sweep(dir, "")
		d.made[dir] = true
	}
	in := d.open[dir]
	if in == nil {
		if err := d.closeOne(); err != nil {
			return nil, err
		}
		sub, err := d.dir.Sub(dir)
		if err != nil {
			return nil, outside(err)
		}
		in = &folder{Dir: sub}
		d.open[dir] = in
	}
	d.turn++
	in.users, in.used = in.users+1, d.turn
	return in, nil
}

// leave counts one file less in a folder.
func (d *Dir) leave(in *folder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in.users--
}

// closeOne makes room for another folder: the one that was not used for longest is
// closed, unless there are few, or all have files.
func (d *Dir) closeOne() error {
	if len(d.open) < maxOpen {
		return nil
	}
	oldest := ""
	for name, in := range d.open {
		if in.users == 0 && (oldest == "" || in.used < d.open[oldest].used) {
			oldest = name
		}
	}
	if oldest == "" {
		return nil
	}
	in := d.open[oldest]
	delete(d.open, oldest)
	return in.Close()
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

// Close removes the file unless it was committed. More than once does no harm.
func (f *File) Close() error {
	err := f.temp.Discard()
	if f.in != nil {
		f.dir.leave(f.in)
		f.in = nil
	}
	return err
}
