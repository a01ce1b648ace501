// Package vfstest puts a disk that fails, or that can be watched, below every
// database that a test opens. Nothing but tests imports it.
package vfstest

import (
	"os"
	"sync"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Op is what a call does to a file.
type Op string

// The calls that change a file or a folder. Reads and locks are passed through.
const (
	Create   Op = "create" // of a file that was not there
	Write    Op = "write"
	Sync     Op = "sync"
	Truncate Op = "truncate"
	Delete   Op = "delete"
)

// Call is a call that SQLite is about to make.
type Call struct {
	N      int // from 1, since the last Watch
	Op     Op
	File   string // full path
	Offset int64  // of a write; the new size for Truncate
	Data   []byte // of a write; valid during the call
}

// Fault is what becomes of a call. The zero Fault lets it pass.
type Fault struct {
	Code int32 // the result code that SQLite gets, 0 for the true one
	Torn bool  // the first half of a write reaches the file before Code is returned
}

// The result codes of a disk that fails.
const (
	Full        int32 = sqlite3.SQLITE_FULL
	IOError     int32 = sqlite3.SQLITE_IOERR
	WriteError  int32 = sqlite3.SQLITE_IOERR_WRITE
	SyncError   int32 = sqlite3.SQLITE_IOERR_FSYNC
	DeleteError int32 = sqlite3.SQLITE_IOERR_DELETE
	CannotOpen  int32 = sqlite3.SQLITE_CANTOPEN
)

// Disk stands between SQLite and its own file system.
type Disk struct {
	tls  *libc.TLS
	base uintptr // SQLite's own
	own  uintptr
	name uintptr

	methods uintptr
	keep    []any // Go functions that C memory points to

	mu    sync.Mutex
	n     int
	hook  func(Call) Fault
	files map[uintptr]string
}

// Install makes a new Disk the file system of all databases that are opened until
// the test ends. Tests that use one must not run in parallel.
func Install(t testing.TB) *Disk {
	t.Helper()
	d := &Disk{tls: libc.NewTLS(), files: map[uintptr]string{}}
	if rc := sqlite3.Xsqlite3_initialize(d.tls); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_initialize: %d", rc)
	}
	d.base = sqlite3.Xsqlite3_vfs_find(d.tls, 0)
	d.build()
	if rc := sqlite3.Xsqlite3_vfs_register(d.tls, d.own, 1); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_vfs_register: %d", rc)
	}
	t.Cleanup(func() {
		sqlite3.Xsqlite3_vfs_register(d.tls, d.base, 1)
		sqlite3.Xsqlite3_vfs_unregister(d.tls, d.own)
		// The memory stays: a connection that a test forgot may still point to it.
	})
	return d
}

// Watch has hook asked about every call from now on, one at a time; nil: nobody.
// It must not use SQLite. Calls are counted from 1 again.
func (d *Disk) Watch(hook func(Call) Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n, d.hook = 0, hook
}

// call asks the hook, then does what the call is for, unless it is to fail.
// torn writes half of the data.
func (d *Disk) call(c Call, do, torn func() int32) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hook == nil || c.File == "" {
		return do()
	}
	d.n++
	c.N = d.n
	f := d.hook(c)
	if f.Torn && torn != nil {
		torn()
	}
	if f.Code != 0 {
		return f.Code
	}
	return do()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
