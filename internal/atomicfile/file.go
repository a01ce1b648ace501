package atomicfile

import (
	"io"
	"io/fs"
	"os"
)

// File is a file that is written to. All that changes it asks the guard.
type File struct {
	*os.File
	guard Guard
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if f.guard == nil {
		return f.File.Write(p)
	}
	return f.write(p, f.File.Write)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if f.guard == nil {
		return f.File.WriteAt(p, off)
	}
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
}

// WriteString implements io.StringWriter.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.guard == nil {
		return f.File.ReadFrom(r)
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
	if torn, is := err.(*Torn); is {
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
	return f.do(OpTruncate, func() error { return f.File.Truncate(size) })
}

// Chmod sets the permissions of the file.
func (f *File) Chmod(mode fs.FileMode) error {
	return f.do(OpChmod, func() error { return f.File.Chmod(mode) })
}

// Sync waits until all that was written is on the disk.
func (f *File) Sync() error { return f.do(OpSync, f.File.Sync) }
