// Package file manages the file of a catalog: what lies at its path, its lock, its
// first bytes, and what a killed process left beside it.
//
//	path --> Resolve --> IsUsable --> LockForWriting --> CreateIfAbsent --> conn.OpenWriter
//	              `----> IsStored --> conn.Open
package file

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// IsUsable returns an error with a class where a catalog at path could be neither opened
// nor made, nil otherwise. What a killed process left is completed first.
func IsUsable(ctx context.Context, path string) error {
	_, err := inspect(ctx, path)
	return err
}

// IsStored returns why there is no catalog to be read at path, nil if there is.
func IsStored(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	stored, err := inspect(ctx, path)
	if err == nil && !stored {
		err = conn.ErrEmpty
	}
	return err
}

// inspect reports whether a file is a catalog of this layout. None is stored yet where there is no
// file, one of no bytes, or a database without tables, whose maker died before the first commit.
// It looks at the file without changing it, except that it completes what a
// process left that was killed while it wrote to a catalog: SQLite rolls a journal
// back for a process that may write, and refuses to read before that is done. Its errors
// have a class.
func inspect(ctx context.Context, path string) (stored bool, err error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !st.Mode().IsRegular():
		return false, fmt.Errorf("%w: not a regular file", conn.ErrNotCatalog)
	case st.Size() == 0:
		return false, nil
	}
	head, err := readHead(path) // SQLite would say no more than that it cannot
	if err != nil {
		return false, err
	}
	for deadline := time.Now().Add(waitForOthers); ; {
		stored, err := probe(ctx, path, head)
		if !leftBehind(path, err) {
			return stored, err
		}
		if err = complete(ctx, path, head, st, err); err == nil {
			continue
		}
		if !errors.Is(err, conn.ErrBusy) || time.Now().After(deadline) {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(20 * time.Millisecond): // somebody else may be completing it
		}
	}
}

// waitForOthers is how long one process waits for a lock that another one holds.
const waitForOthers = 10 * time.Second

// header is the part of a SQLite file that says what it is.
type header [100]byte

func readHead(path string) (h header, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return h, err
	}
	_, err = io.ReadFull(f, h[:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // short: not a database, as SQLite will say
	}
	return h, errors.Join(err, f.Close())
}

// isOurs: the bytes lag behind a journal, so that they prove a catalog, but not
// that there is none.
func (h header) isOurs() bool {
	return string(h[:16]) == "SQLite format 3\x00" && binary.BigEndian.Uint32(h[68:]) == layout.ApplicationID
}

// IsOurs reports whether the bytes of a file say that it is a catalog.
func IsOurs(path string) bool {
	head, err := readHead(path)
	return err == nil && head.isOurs()
}

func (h header) pageSize() int64 {
	if n := int64(binary.BigEndian.Uint16(h[16:])); n != 1 {
		return n
	}
	return 1 << 16
}

// probe asks a read-only connection rather than the file's header, which lags
// after a write-ahead log.
func probe(ctx context.Context, path string, head header) (stored bool, err error) {
	db := conn.Open(path, conn.ToRead)
	defer func() { _ = db.Close() }()
	var id, version, tables int64
	// The pragmas do not read the schema, which takes 8 ms.
	err = db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	}
	if err == nil && id == 0 {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	}
	if err != nil {
		return false, probeError(head, err)
	}
	switch {
	case id == 0 && tables == 0 && version == 0:
		return false, nil
	case id != layout.ApplicationID:
		return false, fmt.Errorf("%w: a SQLite database of another program (application_id %#x)", conn.ErrNotCatalog, uint32(id))
	}
	return true, layout.CheckVersion(version)
}

// probeError distinguishes a damaged catalog from another file.
func probeError(head header, err error) error {
	switch conn.Primary(conn.Code(err)) {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		if !head.isOurs() {
			return fmt.Errorf("%w: %w", conn.ErrNotCatalog, err)
		}
	}
	return conn.Classify(err)
}

// leftBehind reports an error of a reader that a journal causes: SQLite has to
// write before it can read. Where there is neither journal nor log it has another
// cause.
func leftBehind(path string, err error) bool {
	switch conn.Primary(conn.Code(err)) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return isThere(path+"-journal") || isThere(path+"-wal")
	}
	return false
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// complete lets SQLite roll back, or copy into the catalog, what a process left.
// It returns conn.ErrBusy while another process writes, and conn.ErrUnfinished, with the
// cause, where this one may not write.
func complete(ctx context.Context, path string, head header, st fs.FileInfo, cause error) error {
	// No database of someone else is written to, even to do what SQLite would do for anybody. A file
	// of one page has no tables, and may be what the maker of a catalog left.
	if !head.isOurs() && st.Size() > max(head.pageSize(), 512) && journalOf(path) > 1 {
		return fmt.Errorf("%w: %w", conn.ErrNotCatalog, cause)
	}
	unlock, err := LockForWriting(path)
	if errors.Is(err, conn.ErrBusy) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", conn.ErrUnfinished, err)
	}
	defer func() { _ = unlock() }()
	db := conn.Open(path, conn.ToComplete)
	var tables int64
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if err == nil {
		_, _ = db.ExecContext(ctx, "PRAGMA journal_mode = DELETE") // one file again; a reader may prevent it
	}
	err = errors.Join(err, db.Close())
	switch conn.Primary(conn.Code(err)) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: %w", conn.ErrUnfinished, err)
	}
	return conn.Classify(err)
}

// journalOf returns how many pages a database had before what its journal rolls
// back, a large number if there is none.
func journalOf(path string) uint32 {
	head, err := readHead(path + "-journal")
	if err != nil || string(head[:8]) != "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" {
		return 1<<32 - 1
	}
	return binary.BigEndian.Uint32(head[16:])
}

// Resolve returns the file that a path leads to through links, also where that is
// not there yet: the lock and the journals lie beside it.
func Resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	for range 40 { // more is a loop
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

// creating is what a new catalog has after its name until it is complete.
const creating = ".creating"

// largestPage is the largest page of SQLite, so the largest database without tables.
const largestPage = 1 << 16

// CreateIfAbsent makes an empty catalog where there is no file, one of no bytes, or a
// database without tables.
// It has another name until all tables are there and on the disk, so that a process
// that dies leaves either no catalog or a whole one. The caller holds the lock.
func CreateIfAbsent(ctx context.Context, path string) error {
	st, err := os.Stat(path)
	if err == nil && st.Size() > largestPage {
		return nil
	}
	if err == nil && st.Size() > 0 {
		if stored, err := inspect(ctx, path); err != nil || stored {
			return err
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp := path + creating
	if err := removeAll(temp, temp+"-journal"); err != nil { // of one that died
		return err
	}
	db := conn.Open(temp, conn.ToMake)
	err = errors.Join(layout.Fill(ctx, db), db.Close())
	if err == nil && st != nil {
		err = takeMode(temp, path, st)
	}
	if err == nil {
		// Of a database that is gone. SQLite, too, deletes them when it makes a new one.
		err = removeAll(path+"-journal", path+"-wal", path+"-shm")
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, removeAll(temp, temp+"-journal"))
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// takeMode gives temp the mode of the file that it is to replace, if that may be
// written to.
func takeMode(temp, path string, st fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Chmod(temp, st.Mode().Perm()))
}

// removeAll removes files that may be there.
func removeAll(paths ...string) error {
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// syncFolder puts the names of a folder on the disk, where the system lets it.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// LockForWriting keeps two writers apart for as long as a catalog is open: ids are
// handed out in memory, and an unfinished build of another process must not be
// taken for debris. It fails with [conn.ErrBusy] while another process has the lock beside
// the catalog. The operating system releases that when the process dies.
func LockForWriting(catalog string) (unlock func() error, err error) {
	unlock, err = atomicfile.LockFile(catalog + ".lock")
	if errors.Is(err, atomicfile.ErrLocked) {
		err = conn.ErrBusy
	}
	return unlock, err
}
