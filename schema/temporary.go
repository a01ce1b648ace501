package schema

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// TemporaryShare is how many bytes of temporary files statements may have for a byte of memory.
// A build of a million entries takes 150 MB when all of it is sorted by path.
const TemporaryShare = 8

// SQLite writes rows that it sorts or keeps to temporary files when they take more than a few
// megabytes. The files have no names, so they end with the process. Nothing in SQLite bounds
// them while a statement runs: it counts what a sorter wrote when that is closed. So connections
// for reading have a VFS, the one of the system but that it counts bytes of temporary files.
const countingName = "pakdb"

// Bytes in temporary files of all statements.
var (
	temporaryHeld  atomic.Int64
	temporaryLimit atomic.Int64 // 0: none
)

var (
	systemVFS        uintptr // *sqlite3.Tsqlite3_vfs
	countingVFS      sqlite3.Tsqlite3_vfs
	temporaryMethods sqlite3.Tsqlite3_io_methods // set when the first temporary file is opened
	setMethods       sync.Once
)

// temporaryFile is what the VFS keeps after the system's data of a file.
type temporaryFile struct {
	system uintptr // *sqlite3.Tsqlite3_io_methods
	size   int64   // as it was counted
}

// countTemporary registers the VFS.
var countTemporary = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	systemVFS = sqlite3.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(countingName)
	if err != nil || systemVFS == 0 {
		return errors.New("no memory")
	}
	countingVFS = *at[sqlite3.Tsqlite3_vfs](systemVFS)
	countingVFS.FzName, countingVFS.FxOpen = name, pointer(openFile)
	countingVFS.FszOsFile += int32(unsafe.Sizeof(temporaryFile{})) + 8 // for alignment
	if rc := sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&countingVFS)), 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("temporary files cannot be counted (%d)", rc)
	}
	return nil
})

// openFile is xOpen of the VFS. A file that is deleted when it is closed is a temporary one.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	open := function[func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32](at[sqlite3.Tsqlite3_vfs](systemVFS).FxOpen)
	rc := open(tls, systemVFS, name, file, flags, out)
	if rc != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_DELETEONCLOSE == 0 {
		return rc
	}
	f := at[sqlite3.Tsqlite3_file](file)
	*temporaryOf(file) = temporaryFile{system: f.FpMethods}
	setMethods.Do(func() {
		temporaryMethods = *at[sqlite3.Tsqlite3_io_methods](f.FpMethods)
		temporaryMethods.FxWrite, temporaryMethods.FxClose = pointer(writeTemporary), pointer(closeTemporary)
	})
	f.FpMethods = uintptr(unsafe.Pointer(&temporaryMethods))
	return rc
}

func writeTemporary(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	t := temporaryOf(file)
	if more := offset + int64(n) - t.size; more > 0 {
		limit := temporaryLimit.Load()
		if temporaryHeld.Add(more) > limit && limit > 0 {
			temporaryHeld.Add(-more)
			return sqlite3.SQLITE_IOERR_NOMEM // the error of a statement that needs too much memory
		}
		t.size += more
	}
	write := at[sqlite3.Tsqlite3_io_methods](t.system).FxWrite
	return function[func(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32](write)(tls, file, data, n, offset)
}

func closeTemporary(tls *libc.TLS, file uintptr) int32 {
	t := temporaryOf(file)
	temporaryHeld.Add(-t.size)
	return function[func(tls *libc.TLS, file uintptr) int32](at[sqlite3.Tsqlite3_io_methods](t.system).FxClose)(tls, file)
}

func temporaryOf(file uintptr) *temporaryFile {
	return at[temporaryFile]((file + uintptr(at[sqlite3.Tsqlite3_vfs](systemVFS).FszOsFile) + 7) &^ 7)
}

// at returns what is at an address of SQLite's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointer returns a function as SQLite holds it.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// function returns a function that SQLite holds.
func function[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) }
