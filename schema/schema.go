package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/write"
)

// Catalog is a catalog opened for writing. It is not safe for concurrent use.
type Catalog struct {
	writer *conn.Writer
	path   string
	file   fs.FileInfo // at path
	unlock func() error

	checked time.Time // of all pages; zero: they were not

	finder *conn.Finder // looks up what is committed while the writer is in a transaction
	known  sync.Mutex   // archives are looked up one after the other: that takes microseconds, and another connection milliseconds
}

// Open opens the catalog at path, creating it if need be. A new catalog
// appears at path when it is complete; one of another layout is refused, and one that is
// damaged, as far as [Catalog.Checked] shows. While it is open the file is in WAL mode, so
// that readers go on; [Catalog.Close] brings it back to a single file.
func Open(ctx context.Context, path string) (*Catalog, error) {
	path = file.Resolve(path) // one lock and one journal, whatever links lead to the file
	c, err := open(ctx, path)
	return c, named(path, err)
}

func open(ctx context.Context, path string) (*Catalog, error) {
	if err := file.IsUsable(ctx, path); err != nil { // before there is a lock file beside a file of someone else
		return nil, err
	}
	unlock, err := file.LockForWriting(path)
	if err != nil {
		return nil, conn.WriteError(err)
	}
	if err := file.CreateIfAbsent(ctx, path); err != nil {
		_ = unlock()
		return nil, conn.WriteError(err)
	}
	finder := conn.NewFinder(path) // it has read the schema when it has checked: 8 ms less
	checked, err := quickCheck(ctx, finder.DB, path)
	if err != nil {
		_, _ = finder.Close(), unlock()
		return nil, err
	}
	c := &Catalog{writer: conn.OpenWriter(path), path: path, unlock: unlock, checked: checked, finder: finder}
	if err = c.writer.DB.PingContext(ctx); err == nil {
		c.file, err = os.Stat(path)
	}
	if err != nil {
		_ = c.Close() // it says the same again
		return nil, err
	}
	return c, nil
}

// inPlace reports a catalog whose file is no longer at its path: SQLite writes
// on into a file without a name, and finds nothing wrong.
func (c *Catalog) inPlace() error {
	if st, err := os.Stat(c.path); err != nil || !os.SameFile(st, c.file) {
		return named(c.path, ErrGone)
	}
	return nil
}

// Close brings the catalog back to a single file and releases it. When the disk
// does not let it, the error says so, and what was written stays readable where it
// is; a reader that holds on to the file is no error, and leaves that to the next
// Close.
func (c *Catalog) Close() error {
	defer func() { _ = c.unlock() }()
	var seal time.Time
	if c.file != nil { // else it was not opened to the end
		seal = c.seal()
	}
	_ = c.finder.Close()
	folded, err := c.fold()
	if err := errors.Join(err, c.writer.DB.Close()); err != nil {
		return named(c.path, err)
	}
	if folded && !seal.IsZero() && c.inPlace() == nil {
		_ = os.Chtimes(c.path, time.Time{}, seal) // without its time the file is checked at the next opening
	}
	return nil
}

// fold copies the write-ahead log into the catalog's file and does away with it, which
// a reader that holds on to the log prevents.
func (c *Catalog) fold() (folded bool, err error) {
	var busy, pages, copied int64
	err = c.writer.DB.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied)
	if err == nil && busy == 0 {
		_, err = c.writer.DB.Exec("PRAGMA journal_mode = DELETE")
		folded = err == nil
	}
	if err = conn.Classify(err); errors.Is(err, ErrBusy) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("what is committed stays in two files, %[1]s and %[1]s-wal: %[2]w", filepath.Base(c.path), err)
	}
	return folded, nil
}

// Checked reports whether all pages of the catalog were checked when it was opened, or
// in the day before if only pakdb has written to it since. Those of one that is larger
// than [QuickSize] were not.
func (c *Catalog) Checked() bool { return !c.checked.IsZero() }

// Path returns the file's path, links resolved.
func (c *Catalog) Path() string { return c.path }

// Remove deletes builds by label, and whatever no other build needs: archives,
// contents and their facts, paths. It returns an error that names the first
// label that is not there, and then removes nothing.
func (c *Catalog) Remove(ctx context.Context, labels ...string) error {
	return c.named(c.writer.InTx(ctx, func(tx *sql.Tx) error { return write.RemoveLabels(ctx, tx, labels...) }))
}

// named adds the path of a catalog to an error, and its class to one of SQLite.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("catalog %s: %w", path, conn.Classify(err))
}

// named does so with an error of SQLite.
func (c *Catalog) named(err error) error {
	if conn.Code(err) == 0 {
		return err
	}
	return named(c.path, err)
}

// Holds reports whether the catalog knows a content.
func (c *Catalog) Holds(ctx context.Context, d Digest) (found bool, err error) {
	err = c.writer.DB.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1
		FROM x_content_key k
		JOIN x_content c ON c.content_id = k.content_id
		WHERE k.key = ? AND substr(c.hash, 1, ?) = ?)`, ContentKey(d[:]), StatedSize, d[:StatedSize]).Scan(&found)
	return found, c.named(err)
}

// Vacuum gives the space of removed rows back to the file system.
func (c *Catalog) Vacuum(ctx context.Context) error {
	_, err := c.writer.DB.ExecContext(ctx, "VACUUM")
	return c.named(err)
}

// Copy writes a copy of a catalog to a new file, as it is at one moment even if others
// write to it. The copy is of the same version.
func Copy(ctx context.Context, from, to string) error {
	from = file.Resolve(from)
	if err := file.IsStored(ctx, from); err != nil {
		return named(from, err)
	}
	db := conn.Open(from, conn.ToRead)
	defer func() { _ = db.Close() }()
	if err := checkForeign(ctx, db); err != nil {
		return named(from, err)
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy catalog %s: %w", from, conn.Classify(err))
	}
	return nil
}
