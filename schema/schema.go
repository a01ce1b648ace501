// Package schema is the catalog: one SQLite file that holds what pakdb knows
// about builds. It is the only package that knows the SQLite driver of the
// catalog, and it knows nothing of archive formats.
//
// [Open] makes or migrates a catalog for writing; a [Build] collects one build
// and becomes visible all at once. [OpenReadOnly] serves queries and cannot
// write, whatever SQL it is given.
//
// Tables may change by migration; the views (views/*.sql, documented in
// SCHEMA.md) are the stable surface.
package schema

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ApplicationID marks a SQLite file as a pakdb catalog: "PAKD".
const ApplicationID = 0x50414b44

//go:embed migrations/*.sql
var migrations embed.FS

// The users' stable surface. The views are dropped and made anew whenever their
// text changes; columns are only ever added. The comment before each is its
// summary in SCHEMA.md.
//
//go:embed views/*.sql
var viewFiles embed.FS

//go:embed views.txt
var document string

// Document returns what SCHEMA.md says of the views: a heading, a summary and a row for
// each column, in Markdown.
func Document() string { return document }

//go:embed symbols.sql
var symbols string

//go:embed symbols_named.sql
var namedSymbols string

//go:embed chunk_names.sql
var chunkNames string

//go:embed links.sql
var links string

//go:embed problem_counts.sql
var problemCounts string

// Catalog is a catalog opened for writing. It is not safe for concurrent use.
type Catalog struct {
	db   *sql.DB
	src  *rowSource
	path string
	file fs.FileInfo // at path
	lock *writeLock

	checked bool // as Checked returns it

	reader     *sql.DB // looks up known archives while db is in a transaction
	known      *sql.Stmt
	finder     *finder
	checkpoint *checkpointer
}

// Open opens the catalog at path, creating it if need be and migrating it
// forward. A new catalog appears at path when it is complete; one that is damaged is
// refused, as far as [Catalog.Checked] tells. While it is open the
// file is in WAL mode, so that readers go on; [Catalog.Close] brings it back to a
// single file.
func Open(ctx context.Context, path string) (*Catalog, error) {
	path = resolve(path) // one lock and one journal, whatever links lead to the file
	c, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", path, classify(err))
	}
	return c, nil
}

func open(ctx context.Context, path string) (*Catalog, error) {
	if _, err := inspect(ctx, path); err != nil { // before there is a lock file beside a file of someone else
		return nil, err
	}
	lock, err := lockForWriting(path)
	if err != nil {
		return nil, writeError(err)
	}
	if err := createIfAbsent(ctx, path); err != nil {
		lock.release()
		return nil, writeError(err)
	}
	checked, err := quickCheck(ctx, path)
	if err != nil {
		lock.release()
		return nil, err
	}
	src := &rowSource{}
	db := sql.OpenDB(writeConnector(path, src))
	db.SetMaxOpenConns(1) // temp tables and transactions belong to one connection
	c := &Catalog{db: db, src: src, path: path, lock: lock, checked: checked}
	if err := c.prepare(ctx); err != nil {
		_ = c.Close() // it says the same again
		return nil, err
	}
	return c, nil
}

func (c *Catalog) prepare(ctx context.Context) error {
	if err := migrate(ctx, c.db); err != nil {
		return err
	}
	c.finder = newFinder(c.path)
	c.checkpoint = newCheckpointer(c.path)
	c.reader = sql.OpenDB(readConnector(c.path))
	var err error
	if c.known, err = c.reader.PrepareContext(ctx, knownSQL); err != nil {
		return err
	}
	c.file, err = os.Stat(c.path)
	return err
}

// inPlace reports a catalog whose file is no longer at its path: SQLite writes
// on into a file without a name, and finds nothing wrong.
func (c *Catalog) inPlace() error {
	if st, err := os.Stat(c.path); err != nil || !os.SameFile(st, c.file) {
		return fmt.Errorf("catalog %s: %w", c.path, ErrGone)
	}
	return nil
}

// Close brings the catalog back to a single file and releases it. When the disk
// does not let it, the error says so, and what was written stays readable where it
// is; a reader that holds on to the file is no error, and leaves that to the next
// Close.
func (c *Catalog) Close() error {
	defer c.lock.release()
	if c.reader != nil {
		_ = c.reader.Close()
		_ = c.finder.db.Close()
		c.checkpoint.close()
	}
	if err := errors.Join(c.fold(), c.db.Close()); err != nil {
		return fmt.Errorf("catalog %s: %w", c.path, classify(err))
	}
	return nil
}

// fold copies the write-ahead log into the catalog's file and does away with it.
func (c *Catalog) fold() error {
	var held, pages, copied int64
	err := c.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&held, &pages, &copied)
	if err == nil && held == 0 {
		_, err = c.db.Exec("PRAGMA journal_mode = DELETE")
	}
	if err = classify(err); errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("what is committed stays in two files, %[1]s and %[1]s-wal: %[2]w", filepath.Base(c.path), err)
	}
	return nil
}

// Checked reports whether all pages of the catalog were checked when it was opened.
// Those of one that is larger than [QuickSize] were not.
func (c *Catalog) Checked() bool { return c.checked }

// Path returns the file's path, links resolved.
func (c *Catalog) Path() string { return c.path }
