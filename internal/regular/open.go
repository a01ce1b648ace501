// Package regular opens and lists regular files. A named pipe blocks until somebody
// writes to it, and a device may do anything: neither is opened, wherever it lies.
//
// Files in reading order: nonblock_unix.go and nonblock_other.go (a flag), open.go (one
// file), walk.go (all files below a folder), refused.go (what a walk does not take).
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ErrNotRegular means that a pipe, a socket or a device is where a file must be.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file or a folder for reading. It fails with an [*fs.PathError] of
// [ErrNotRegular] for anything else, which it does not open.
func Open(path string) (*os.File, error) {
	return open(path, os.O_RDONLY, os.Stat, func(flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) })
}

// OpenIn is Open for a name in a root. flag and perm are those of [os.OpenFile].
func OpenIn(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return open(name, flag, root.Stat, func(flag int) (*os.File, error) { return root.OpenFile(name, flag, perm) })
}

// OpenRoot is [os.OpenRoot], which would wait for a pipe.
func OpenRoot(dir string) (*os.Root, error) {
	if err := Check(dir); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Check returns [ErrNotRegular] for what [Open] would refuse, for packages that open
// files by themselves. A path that leads to nothing is no error.
func Check(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return check(path, st)
}

// open looks before it opens, since opening a device may have effects, and afterwards,
// since the file may have become another one.
func open(name string, flag int, stat func(string) (fs.FileInfo, error), do func(flag int) (*os.File, error)) (*os.File, error) {
	if st, err := stat(name); err == nil {
		if err := check(name, st); err != nil {
			return nil, err
		}
	}
	f, err := do(flag | nonblock)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = check(name, st)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check returns ErrNotRegular for anything but a file or a folder.
func check(name string, st fs.FileInfo) error {
	if st.Mode().IsRegular() || st.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
}

// ReadFile returns all bytes of a file. It fails as [Open] does.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// FS returns the files of a folder; opening anything else fails with [ErrNotRegular].
func FS(dir string) fs.FS { return folder{os.DirFS(dir)} }

// FSIn returns the files of a root, as FS does.
func FSIn(root *os.Root) fs.FS { return folder{root.FS()} }

type folder struct{ fs.FS }

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	st, err := fs.Stat(f.FS, name)
	if err == nil {
		err = check(name, st)
	}
	if err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}

// Stat implements [fs.StatFS].
func (f folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// Reasons why a walk does not take a symbolic link.
var (
	ErrOutside  = errors.New("a symbolic link out of the folder")
	ErrDangling = errors.New("a symbolic link to nothing")
	ErrCircle   = errors.New("a symbolic link that leads in a circle")
	ErrMany     = fmt.Errorf("a symbolic link to a folder that %d others lead to", maxEntered)

	errLink = errors.New("a symbolic link, which is not followed here")
)

// Odd is a path below a folder that is not walked, and the reason as an error.
type Odd struct {
	Path, Name string // as in [File]
	Err        error
}

func (o *Odd) Error() string { return o.Path + ": " + o.Err.Error() }
func (o *Odd) Unwrap() error { return o.Err }

// RefusedError lists all paths below a folder that a walk refuses.
type RefusedError struct {
	Root string
	List []*Odd
}

// Error returns a line for each path.
func (e *RefusedError) Error() string {
	if len(e.List) == 1 {
		return e.List[0].Error()
	}
	lines := []string{fmt.Sprintf("%s: %d paths are refused:", e.Root, len(e.List))}
	for _, err := range e.List {
		lines = append(lines, "  "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the reasons.
func (e *RefusedError) Unwrap() (list []error) {
	for _, o := range e.List {
		list = append(list, o)
	}
	return list
}

// Hint names the flag that takes links out of the folder, if there are any.
func (e *RefusedError) Hint() string {
	if errors.Is(e, ErrOutside) {
		return "--follow-outside takes the files that links out of the folder lead to"
	}
	return ""
}
