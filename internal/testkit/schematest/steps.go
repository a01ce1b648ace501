package schematest

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Steps counts the steps of SQLite's virtual machine, by the text of the statement. The
// same statements on the same rows take the same steps, whatever else the machine does.
type Steps struct {
	mu   sync.Mutex
	of   map[string]int64
	keep []any // functions that SQLite holds pointers to
}

// CountSteps counts the steps of all databases that are opened until the test ends. A test
// closes them before it ends, calls this once and does not run in parallel.
func CountSteps(t testing.TB) *Steps {
	t.Helper()
	tls := libc.NewTLS()
	if rc := sqlite3.Xsqlite3_initialize(tls); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_initialize: %d", rc)
	}
	s := &Steps{of: map[string]int64{}}
	finished := pointer(s, func(tls *libc.TLS, _ uint32, _, statement, _ uintptr) int32 {
		s.add(libc.GoString(sqlite3.Xsqlite3_sql(tls, statement)),
			int64(sqlite3.Xsqlite3_stmt_status(tls, statement, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 1)))
		return 0
	})
	opened := pointer(s, func(tls *libc.TLS, db, _, _ uintptr) int32 {
		return sqlite3.Xsqlite3_trace_v2(tls, db, sqlite3.SQLITE_TRACE_PROFILE, finished, 0)
	})
	if rc := sqlite3.Xsqlite3_auto_extension(tls, opened); rc != sqlite3.SQLITE_OK {
		t.Fatalf("sqlite3_auto_extension: %d", rc)
	}
	t.Cleanup(func() {
		sqlite3.Xsqlite3_cancel_auto_extension(tls, opened)
		runtime.KeepAlive(s) // what SQLite points to, which no garbage collector sees
		tls.Close()
	})
	return s
}

// pointer returns a function as SQLite, translated to Go, holds it.
func pointer[F any](s *Steps, f F) uintptr {
	s.keep = append(s.keep, f)
	return *(*uintptr)(unsafe.Pointer(&f))
}

func (s *Steps) add(statement string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[strings.Join(strings.Fields(statement), " ")] += n
}

// Take returns the steps since the last call, by statement, and begins anew.
func (s *Steps) Take() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of
	s.of = map[string]int64{}
	return of
}
