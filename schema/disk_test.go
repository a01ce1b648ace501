package schema_test

import (
	"os"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// A disk that fails, or that can be watched, below every database that a test opens.

// diskOp is what a call does to a file.
type diskOp string

// The calls that change a file or a folder. Reads and locks are passed through.
const (
	diskCreate   diskOp = "create" // of a file that was not there
	diskWrite    diskOp = "write"
	diskSync     diskOp = "sync"
	diskTruncate diskOp = "truncate"
	diskDelete   diskOp = "delete"
)

// diskCall is a call that SQLite is about to make.
type diskCall struct {
	N      int // from 1, since the last Watch
	Op     diskOp
	File   string // full path
	Offset int64  // of a write; the new size for diskTruncate
	Data   []byte // of a write; valid during the call
}

// diskFault is what becomes of a call. The zero diskFault lets it pass.
type diskFault struct {
	Code int32 // the result code that SQLite gets, 0 for the true one
	Torn bool  // the first half of a write reaches the file before Code is returned
}

// The result codes of a disk that fails.
const (
	diskFull        int32 = sqlite3.SQLITE_FULL
	diskError       int32 = sqlite3.SQLITE_IOERR
	diskWriteError  int32 = sqlite3.SQLITE_IOERR_WRITE
	diskSyncError   int32 = sqlite3.SQLITE_IOERR_FSYNC
	diskDeleteError int32 = sqlite3.SQLITE_IOERR_DELETE
	diskCannotOpen  int32 = sqlite3.SQLITE_CANTOPEN
)

// faultyDisk stands between SQLite and its own file system.
type faultyDisk struct {
	tls  *libc.TLS
	base uintptr // SQLite's own
	own  uintptr
	name uintptr

	methods uintptr
	keep    []any // Go functions that C memory points to

	mu    sync.Mutex
	n     int
	hook  func(diskCall) diskFault
	files map[uintptr]string
}

// installDisk makes a new faultyDisk the file system of all databases that are opened until
// the test ends. Tests that use one must not run in parallel.
func installDisk(t testing.TB) *faultyDisk {
	t.Helper()
	d := &faultyDisk{tls: libc.NewTLS(), files: map[uintptr]string{}}
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
func (d *faultyDisk) Watch(hook func(diskCall) diskFault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n, d.hook = 0, hook
}

// call asks the hook, then does what the call is for, unless it is to fail.
// torn writes half of the data.
func (d *faultyDisk) call(c diskCall, do, torn func() int32) int32 {
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

// SQLite's structures hold C function pointers, which in its translation to Go
// are the words of Go function values.
func pointer[F any](d *faultyDisk, f F) uintptr {
	d.keep = append(d.keep, f)
	return *(*uintptr)(unsafe.Pointer(&f))
}

func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

type (
	openFunc  = func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32
	pathFunc  = func(*libc.TLS, uintptr, uintptr, int32) int32
	fileFunc  = func(*libc.TLS, uintptr) int32
	flagFunc  = func(*libc.TLS, uintptr, int32) int32
	sizeFunc  = func(*libc.TLS, uintptr, int64) int32
	rwFunc    = func(*libc.TLS, uintptr, uintptr, int32, int64) int32
	outFunc   = func(*libc.TLS, uintptr, uintptr) int32
	ctlFunc   = func(*libc.TLS, uintptr, int32, uintptr) int32
	shmFunc   = func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32
	lockFunc  = func(*libc.TLS, uintptr, int32, int32, int32) int32
	fenceFunc = func(*libc.TLS, uintptr)
)

// head is what a file of ours has before the true one.
const head = 16

// real returns the true file and its methods.
func real(file uintptr) (uintptr, *sqlite3.Tsqlite3_io_methods) {
	f := file + head
	return f, at[sqlite3.Tsqlite3_io_methods](at[sqlite3.Tsqlite3_file](f).FpMethods)
}

// build copies SQLite's own file system and puts the calls that change anything in
// place of its own.
func (d *faultyDisk) build() {
	d.own = libc.Xmalloc(d.tls, sizeOf[sqlite3.Tsqlite3_vfs]())
	d.methods = libc.Xmalloc(d.tls, sizeOf[sqlite3.Tsqlite3_io_methods]())
	d.name, _ = libc.CString("vfstest")
	vfs := at[sqlite3.Tsqlite3_vfs](d.own)
	*vfs = *at[sqlite3.Tsqlite3_vfs](d.base)
	vfs.FzName, vfs.FpNext = d.name, 0
	vfs.FszOsFile += head
	vfs.FxOpen = pointer[openFunc](d, d.open)
	vfs.FxDelete = pointer[pathFunc](d, d.delete)
	*at[sqlite3.Tsqlite3_io_methods](d.methods) = sqlite3.Tsqlite3_io_methods{
		FiVersion: 2, // shared memory, but no memory-mapped reading
		FxClose:   pointer[fileFunc](d, d.close), FxWrite: pointer[rwFunc](d, d.write),
		FxTruncate: pointer[sizeFunc](d, d.truncate), FxSync: pointer[flagFunc](d, d.sync),
		FxRead: pointer[rwFunc](d, func(tls *libc.TLS, p, buf uintptr, n int32, off int64) int32 {
			f, m := real(p)
			return function[rwFunc](m.FxRead)(tls, f, buf, n, off)
		}),
		FxFileSize: pointer[outFunc](d, func(tls *libc.TLS, p, size uintptr) int32 {
			f, m := real(p)
			return function[outFunc](m.FxFileSize)(tls, f, size)
		}),
		FxLock: pointer[flagFunc](d, func(tls *libc.TLS, p uintptr, level int32) int32 {
			f, m := real(p)
			return function[flagFunc](m.FxLock)(tls, f, level)
		}),
		FxUnlock: pointer[flagFunc](d, func(tls *libc.TLS, p uintptr, level int32) int32 {
			f, m := real(p)
			return function[flagFunc](m.FxUnlock)(tls, f, level)
		}),
		FxCheckReservedLock: pointer[outFunc](d, func(tls *libc.TLS, p, out uintptr) int32 {
			f, m := real(p)
			return function[outFunc](m.FxCheckReservedLock)(tls, f, out)
		}),
		FxFileControl: pointer[ctlFunc](d, func(tls *libc.TLS, p uintptr, op int32, arg uintptr) int32 {
			f, m := real(p)
			return function[ctlFunc](m.FxFileControl)(tls, f, op, arg)
		}),
		FxSectorSize: pointer[fileFunc](d, func(tls *libc.TLS, p uintptr) int32 {
			f, m := real(p)
			return function[fileFunc](m.FxSectorSize)(tls, f)
		}),
		FxDeviceCharacteristics: pointer[fileFunc](d, func(tls *libc.TLS, p uintptr) int32 {
			f, m := real(p)
			return function[fileFunc](m.FxDeviceCharacteristics)(tls, f)
		}),
	}
	d.buildShared(at[sqlite3.Tsqlite3_io_methods](d.methods))
}

// buildShared passes the calls of a write-ahead log's index through.
func (d *faultyDisk) buildShared(m *sqlite3.Tsqlite3_io_methods) {
	m.FxShmMap = pointer[shmFunc](d, func(tls *libc.TLS, p uintptr, page, size, extend int32, out uintptr) int32 {
		f, m := real(p)
		return function[shmFunc](m.FxShmMap)(tls, f, page, size, extend, out)
	})
	m.FxShmLock = pointer[lockFunc](d, func(tls *libc.TLS, p uintptr, offset, n, flags int32) int32 {
		f, m := real(p)
		return function[lockFunc](m.FxShmLock)(tls, f, offset, n, flags)
	})
	m.FxShmBarrier = pointer[fenceFunc](d, func(tls *libc.TLS, p uintptr) {
		f, m := real(p)
		function[fenceFunc](m.FxShmBarrier)(tls, f)
	})
	m.FxShmUnmap = pointer[flagFunc](d, func(tls *libc.TLS, p uintptr, remove int32) int32 {
		f, m := real(p)
		return function[flagFunc](m.FxShmUnmap)(tls, f, remove)
	})
}

func (d *faultyDisk) open(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	at[sqlite3.Tsqlite3_file](file).FpMethods = 0
	do := func() int32 {
		return function[openFunc](at[sqlite3.Tsqlite3_vfs](d.base).FxOpen)(tls, d.base, name, file+head, flags, outFlags)
	}
	path := ""
	if name != 0 {
		path = libc.GoString(name)
	}
	var rc int32
	if path == "" || flags&sqlite3.SQLITE_OPEN_CREATE == 0 || exists(path) {
		rc = do()
	} else {
		rc = d.call(diskCall{Op: diskCreate, File: path}, do, nil)
	}
	if rc == sqlite3.SQLITE_OK {
		at[sqlite3.Tsqlite3_file](file).FpMethods = d.methods
		d.mu.Lock()
		d.files[file] = path
		d.mu.Unlock()
	}
	return rc
}

func (d *faultyDisk) delete(tls *libc.TLS, _, name uintptr, syncDir int32) int32 {
	return d.call(diskCall{Op: diskDelete, File: libc.GoString(name)}, func() int32 {
		return function[pathFunc](at[sqlite3.Tsqlite3_vfs](d.base).FxDelete)(tls, d.base, name, syncDir)
	}, nil)
}

func (d *faultyDisk) close(tls *libc.TLS, file uintptr) int32 {
	d.mu.Lock()
	delete(d.files, file)
	d.mu.Unlock()
	f, m := real(file)
	return function[fileFunc](m.FxClose)(tls, f)
}

func (d *faultyDisk) nameOf(file uintptr) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[file]
}

func (d *faultyDisk) write(tls *libc.TLS, file, buf uintptr, n int32, off int64) int32 {
	f, m := real(file)
	do := func(n int32) int32 { return function[rwFunc](m.FxWrite)(tls, f, buf, n, off) }
	data := unsafe.Slice(at[byte](buf), n)
	return d.call(diskCall{Op: diskWrite, File: d.nameOf(file), Offset: off, Data: data},
		func() int32 { return do(n) }, func() int32 { return do(n / 2) })
}

func (d *faultyDisk) truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	f, m := real(file)
	return d.call(diskCall{Op: diskTruncate, File: d.nameOf(file), Offset: size},
		func() int32 { return function[sizeFunc](m.FxTruncate)(tls, f, size) }, nil)
}

// sync does not wait for the disk: what a test looks at is what the system has.
func (d *faultyDisk) sync(_ *libc.TLS, file uintptr, _ int32) int32 {
	return d.call(diskCall{Op: diskSync, File: d.nameOf(file)}, func() int32 { return sqlite3.SQLITE_OK }, nil)
}

func sizeOf[T any]() types.Size_t {
	var v T
	return types.Size_t(unsafe.Sizeof(v))
}
