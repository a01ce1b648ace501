package indexer

import (
	"io"
	"io/fs"
	"sync"

	"pakdb/internal/process"
)

// failures remembers the first failure of the machine during a scan: too few handles, no
// permission, a disk that does not read. It says nothing about an archive, whatever a
// reader makes of it on the way, so it ends the scan. So does a catalog that fails.
type failures struct {
	mu    sync.Mutex
	first error
}

// note returns err, and remembers it if it is such a failure.
func (f *failures) note(err error) error {
	if err != nil && process.MachineFailed(err) {
		return f.keep(err)
	}
	return err
}

// keep returns err, and remembers it: it is of the catalog, and not of a file.
func (f *failures) keep(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil {
		f.first = err
	}
	return err
}

// err returns the first failure, nil for none.
func (f *failures) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// noted is a file of a scan. It notes failures of reading.
type noted struct {
	io.ReaderAt
	size int64
	in   *failures
}

func (r noted) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if err != nil && off >= 0 && off < r.size { // systems refuse offsets that no file has
		_ = r.in.note(err)
	}
	return n, err
}

// notedFS is a folder of a scan. It notes failures of opening files and of reading them.
type notedFS struct {
	fs.FS
	in *failures
}

func (d notedFS) Stat(name string) (fs.FileInfo, error) {
	st, err := fs.Stat(d.FS, name)
	return st, d.in.note(err)
}

func (d notedFS) Open(name string) (fs.File, error) {
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, d.in.note(err)
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return f, nil
	}
	st, err := f.Stat()
	if err != nil {
		return f, nil
	}
	return notedFile{f, noted{r, st.Size(), d.in}}, nil
}

type notedFile struct {
	fs.File
	noted
}

func (f notedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.in.note(err)
}
