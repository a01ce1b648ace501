package schema

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// MaxValue is the longest text or blob, and the longest row, that a statement of a
// user may make. What makes one cannot be interrupted meanwhile: this one takes a
// fraction of a second.
const MaxValue = 96 << 20

// maxPattern is the longest pattern of LIKE and GLOB. Both compare each place of the
// text with each of the pattern at worst.
const maxPattern = 1000

// ValueLimit is [MaxValue], or a tenth of what [LimitMemory] allows if that is less: what
// reads a value and writes it as text holds up to nine copies.
func ValueLimit() int {
	tls := libc.NewTLS()
	defer tls.Close()
	if limit := sqlite3.Xsqlite3_hard_heap_limit64(tls, -1); limit > 0 {
		return int(min(MaxValue, limit/10))
	}
	return MaxValue
}

// Bound sets limits on a connection for statements of users: [ValueLimit], and the
// length of patterns. They last as long as the connection.
func Bound(c *sql.Conn) error {
	for id, limit := range map[int]int{
		sqlite3.SQLITE_LIMIT_LENGTH:              ValueLimit(),
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: maxPattern,
	} {
		if _, err := sqlite.Limit(c, id, limit); err != nil {
			return err
		}
	}
	return nil
}

// LimitMemory bounds what SQLite takes from the system, in bytes, and its temporary files, to
// [TemporaryShare] times as much; 0 takes the limits away. A statement that needs more fails. The
// limits are of the whole process, so they must not last while the process writes to a catalog.
// It fails when the first call comes after a database was opened.
func LimitMemory(bytes int64) error {
	temporaryLimit.Store(TemporaryShare * bytes)
	return limitHeap(sqlite3.Xsqlite3_hard_heap_limit64, bytes) // 0 is none, and less than 0 would only ask
}

func limitHeap(limit func(*libc.TLS, int64) int64, bytes int64) error {
	if err := countMemory(); err != nil {
		return err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	limit(tls, bytes)
	return nil
}

// LimitCaches bounds the pages that all connections keep, in bytes, with all else that SQLite
// takes: above it a cache takes back one of its own pages for each that it reads. A statement
// that needs more memory gets it. It fails as [LimitMemory] does.
func LimitCaches(bytes int64) error {
	return limitHeap(sqlite3.Xsqlite3_soft_heap_limit64, bytes)
}

// countMemory has SQLite count what it takes, which the driver is built not to do,
// for it costs a little: without that a limit is accepted and has no effect.
var countMemory = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	on := libc.NewVaList(int32(1))
	if on == 0 {
		return errors.New("no memory")
	}
	defer libc.Xfree(tls, on)
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, on); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("the memory of SQL cannot be limited: SQLite has been started (%d)", rc)
	}
	// SQLite is to count the memory that its allocator uses up for what is asked: rows of
	// 1,100 bytes take 2,048 each, so that it took 1.9 times the limit.
	if err := change(tls, sqlite3.SQLITE_CONFIG_GETMALLOC, sqlite3.SQLITE_CONFIG_MALLOC, func(m *sqlite3.Tsqlite3_mem_methods) {
		m.FxRoundup = pointer(roundUp)
	}); err != nil {
		return err
	}
	return change(tls, sqlite3.SQLITE_CONFIG_GETPCACHE2, sqlite3.SQLITE_CONFIG_PCACHE2, func(m *sqlite3.Tsqlite3_pcache_methods2) {
		setCache = function[func(tls *libc.TLS, cache uintptr, pages int32)](m.FxCachesize)
		m.FxCachesize = pointer(sizeCache)
	})
})

// change gets methods of SQLite, which copies them, and sets them changed.
func change[M any](tls *libc.TLS, get, set int32, to func(*M)) error {
	methods := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*new(M))))
	defer libc.Xfree(tls, methods)
	list := libc.NewVaList(methods)
	defer libc.Xfree(tls, list)
	if methods == 0 || list == 0 {
		return errors.New("no memory")
	}
	rc := sqlite3.Xsqlite3_config(tls, get, list)
	if rc == sqlite3.SQLITE_OK {
		to(at[M](methods))
		rc = sqlite3.Xsqlite3_config(tls, set, list)
	}
	if rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("the memory of SQL cannot be limited: methods %d cannot be replaced (%d)", set, rc)
	}
	return nil
}

var setCache func(tls *libc.TLS, cache uintptr, pages int32)

// sizeCache gives caches of SQLite's default size, 2 MB, 64 MB. Tables that a statement makes for
// DISTINCT, IN and UNION have them, and no pragma sets these: a million random texts took twice
// as long. When memory gets short, SQLite makes caches smaller by itself.
func sizeCache(tls *libc.TLS, cache uintptr, pages int32) {
	if pages < 500 {
		pages = 64 << 20 / 4096
	}
	setCache(tls, cache, pages)
}

// roundUp returns the size that modernc.org/memory makes of n bytes, without the header
// that SQLite writes before them: a power of two up to a page of the system, whole pages
// beyond.
func roundUp(_ *libc.TLS, n int32) int32 {
	const header, page = 8, 4096
	full := int64(n) + header
	if full <= page {
		full = max(16, int64(1)<<bits.Len64(uint64(full-1)))
	} else {
		full = (full + page - 1) &^ (page - 1)
	}
	return int32(min(full-header, math.MaxInt32&^7))
}

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
