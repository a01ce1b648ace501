package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// File is a file that is written to. All that changes it asks the guard.
type File struct {
	*os.File
	guard Guard
	named string // what errors call it, "" for the name it has
}

// name puts the name that people know in place of a temporary one.
func (f *File) name(err error) error {
	var at *fs.PathError
	if f.named != "" && errors.As(err, &at) && at.Path == f.Name() { // no error of a reader
		return &fs.PathError{Op: at.Op, Path: f.named, Err: at.Err}
	}
	return err
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.write(p, f.File.Write)
	return n, f.name(err)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
	return n, f.name(err)
}

// WriteString implements io.StringWriter.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.guard == nil {
		n, err := f.File.ReadFrom(r)
		return n, f.name(err)
	}
	return io.Copy(struct{ io.Writer }{f}, r)
}

func (f *File) write(p []byte, do func([]byte) (int, error)) (n int, err error) {
	ok, err := f.guard.ask(Op{Kind: OpWrite, Path: f.Name(), Size: len(p)})
	if ok {
		return do(p)
	}
	if err == nil {
		return len(p), nil
	}
	if torn, ok := err.(*Torn); ok {
		err = torn.Err
		n, _ = do(p[:min(torn.N, len(p))])
	}
	return n, &fs.PathError{Op: string(OpWrite), Path: f.Name(), Err: err}
}

func (f *File) do(kind Kind, do func() error) error {
	ok, err := f.guard.ask(Op{Kind: kind, Path: f.Name()})
	if err != nil {
		return &fs.PathError{Op: string(kind), Path: f.Name(), Err: err}
	}
	if !ok {
		return nil
	}
	return do()
}

// Truncate sets the size of the file.
func (f *File) Truncate(size int64) error {
	return f.name(f.do(OpTruncate, func() error { return f.File.Truncate(size) }))
}

// Chmod sets the permissions of the file.
func (f *File) Chmod(mode fs.FileMode) error {
	return f.do(OpChmod, func() error { return f.File.Chmod(mode) })
}

// Sync waits until all that was written is on the disk.
func (f *File) Sync() error { return f.name(f.do(OpSync, f.File.Sync)) }

// Mode returns the permissions of a file, or 0 on Windows, where files have none.
func Mode(st fs.FileInfo) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0
	}
	return st.Mode().Perm()
}

// WithExec returns permissions by which all that may read a file may run it, or none.
func WithExec(mode fs.FileMode, exec bool) fs.FileMode {
	if !exec {
		return mode &^ 0o111
	}
	return mode | mode&0o444>>2
}

// IsExec reports whether permissions are those of an executable file: its owner may run
// it.
func IsExec(mode fs.FileMode) bool { return mode&0o100 != 0 }

// SetExec makes a file executable, or not.
func (d *Dir) SetExec(name string, exec bool) error {
	st, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if mode := WithExec(st.Mode().Perm(), exec); mode != st.Mode().Perm() {
		return d.Chmod(name, mode)
	}
	return nil
}
