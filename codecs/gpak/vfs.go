package gpak

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"

	"pakdb/codecs"
)

// maxConns is how many goroutines read one database at once; each connection
// has its own page cache.
const maxConns = 4

// database is a SQLite database that is read out of a Source and nothing else.
type database struct {
	*sql.DB
	vfs  *vfs.FS
	disk *sourceFS
}

// openSource gives SQLite a read-only file system that holds the source under
// one name: no journal, WAL or temporary file can be found or made beside the
// user's file, and the path is not even known here. immutable keeps a database
// in WAL mode readable without its -wal and -shm.
func openSource(src codecs.Source) (*database, error) {
	disk := &sourceFS{src: src}
	name, registered, err := vfs.New(disk)
	if err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector("file:" + sourceName + "?mode=ro&immutable=1&vfs=" + name +
		"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, registered.Close())
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	return &database{DB: db, vfs: registered, disk: disk}, nil
}

// Close closes the connections, then takes the file system back.
func (d *database) Close() error { return errors.Join(d.DB.Close(), d.vfs.Close()) }

// classify turns SQLite's errors into the classes of codecs. A failing disk is
// reported as itself, whatever SQLite made of it.
func (d *database) classify(err error) error {
	if disk := d.disk.failure.Load(); disk != nil && err != nil {
		return *disk
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	switch code := se.Code(); {
	case code&0xff == sqlite3.SQLITE_NOMEM, code&0xff == sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %w", codecs.ErrLimit, err)
	case code == sqlite3.SQLITE_IOERR_SHORT_READ:
		return fmt.Errorf("%w: %w", codecs.ErrTruncated, err)
	}
	return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
}

const sourceName = "pak"

// sourceFS is a file system of one file.
type sourceFS struct {
	src     codecs.Source
	failure atomic.Pointer[error] // first failed read of the source
}

// Open opens the one file. Every connection has its own.
func (s *sourceFS) Open(name string) (fs.File, error) {
	if name != sourceName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &sourceFile{SectionReader: io.NewSectionReader(s.src, 0, s.src.Size), fs: s}, nil
}

type sourceFile struct {
	*io.SectionReader
	fs *sourceFS
}

func (f *sourceFile) Read(p []byte) (int, error) {
	n, err := f.SectionReader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.fs.failure.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (f *sourceFile) Stat() (fs.FileInfo, error) { return sourceInfo{f.Size()}, nil }
func (f *sourceFile) Close() error               { return nil }

type sourceInfo struct{ size int64 }

func (i sourceInfo) Name() string       { return sourceName }
func (i sourceInfo) Size() int64        { return i.size }
func (i sourceInfo) Mode() fs.FileMode  { return 0o444 }
func (i sourceInfo) ModTime() time.Time { return time.Time{} }
func (i sourceInfo) IsDir() bool        { return false }
func (i sourceInfo) Sys() any           { return nil }
