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
	"net/url"
	"os"
	"path/filepath"
	"strings"
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

// The ways in which a file is not a usable catalog.
var (
	ErrNotCatalog = errors.New("not a pakdb catalog")
	ErrTooNew     = errors.New("catalog was written by a newer pakdb")
	ErrTooOld     = errors.New("catalog was written by an older pakdb")
	ErrBusy       = errors.New("another process is writing to the catalog")
	ErrGone       = errors.New("catalog was removed or replaced while it was written to")
	ErrReadOnly   = errors.New("catalog cannot be written to")
	ErrNoBuild    = errors.New("no such build")
)

// Catalog is a catalog opened for writing. It is not safe for concurrent use.
type Catalog struct {
	db   *sql.DB
	src  *rowSource
	path string
	file fs.FileInfo // at path
	lock *writeLock

	reader     *sql.DB // looks up known archives while db is in a transaction
	known      *sql.Stmt
	finder     *finder
	checkpoint *checkpointer
}

// Open opens the catalog at path, creating it if need be and migrating it
// forward. While it is open the file is in WAL mode, so that readers go on;
// [Catalog.Close] brings it back to a single file.
func Open(ctx context.Context, path string) (*Catalog, error) {
	if err := refuseForeign(path); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // one lock, whatever links lead to the file
	}
	lock, err := lockForWriting(path)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", path, readOnly(err))
	}
	src := &rowSource{}
	db := sql.OpenDB(writeConnector(path, src))
	db.SetMaxOpenConns(1) // temp tables and transactions belong to one connection
	c := &Catalog{db: db, src: src, path: path, lock: lock}
	if err := c.prepare(ctx); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("catalog %s: %w", path, readOnly(busy(err)))
	}
	return c, nil
}

// refuseForeign keeps Open from turning a file of someone else into a catalog:
// SQLite would take an empty file, and fail late on any other. It asks a
// read-only connection rather than the file's header, which lags behind a
// write-ahead log.
func refuseForeign(path string) error {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && st.Size() == 0) {
		return nil
	}
	if err == nil {
		err = readable(path) // SQLite would say no more than that it cannot
	}
	if err != nil {
		return fmt.Errorf("catalog %s: %w", path, err)
	}
	db := sql.OpenDB(readConnector(path))
	defer func() { _ = db.Close() }()
	var id, tables int64
	err = errors.Join(db.QueryRow("PRAGMA application_id").Scan(&id),
		db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables))
	// A run that died before its first commit leaves a database of nothing.
	if empty := id == 0 && tables == 0; err != nil || id != ApplicationID && !empty {
		return fmt.Errorf("catalog %s: %w", path, ErrNotCatalog)
	}
	return nil
}

func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
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

// Close brings the catalog back to a single file and releases it.
func (c *Catalog) Close() error {
	defer c.lock.release()
	if c.reader != nil {
		_ = c.reader.Close()
		_ = c.finder.db.Close()
		c.checkpoint.close()
	}
	// A reader may hold the file; then the -wal file stays until the next time.
	_, _ = c.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	_, _ = c.db.Exec("PRAGMA journal_mode = DELETE")
	return c.db.Close()
}

// Path returns the file's path, links resolved.
func (c *Catalog) Path() string { return c.path }

// migrate brings the database to the newest version in one transaction per
// script, then makes the views anew.
func migrate(ctx context.Context, db *sql.DB) error {
	scripts, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := userVersion(ctx, db)
	if err != nil {
		return err
	}
	if version > len(scripts) {
		return fmt.Errorf("%w: version %d, this one knows %d", ErrTooNew, version, len(scripts))
	}
	if version == len(scripts) && viewsAreCurrent(ctx, db) {
		return nil
	}
	for i := version; i < len(scripts); i++ {
		script, err := migrations.ReadFile(scripts[i])
		if err != nil {
			return err
		}
		if err := apply(ctx, db, string(script), i+1); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(scripts[i]), err)
		}
	}
	views, err := viewScript()
	if err != nil {
		return err
	}
	return apply(ctx, db, dropViews(ctx, db)+views, len(scripts))
}

// viewScript is all views, in the order of the files' names.
func viewScript() (string, error) {
	files, err := fs.Glob(viewFiles, "views/*.sql")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range files {
		text, err := viewFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func apply(ctx context.Context, db *sql.DB, script string, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return err
	}
	marks := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, ApplicationID)
	if _, err := tx.ExecContext(ctx, marks); err != nil {
		return err
	}
	return tx.Commit()
}

func userVersion(ctx context.Context, db *sql.DB) (int, error) {
	var v int
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// viewsAreCurrent compares the text of the views, so that a change of theirs
// needs no version of its own.
func viewsAreCurrent(ctx context.Context, db *sql.DB) bool {
	stored, err := viewTexts(ctx, db)
	if err != nil {
		return false
	}
	views, err := viewScript()
	if err != nil {
		return false
	}
	rest := views
	for _, text := range stored {
		if !strings.Contains(views, text+";") {
			return false
		}
		rest = strings.Replace(rest, text+";", "", 1)
	}
	return !strings.Contains(rest, "CREATE VIEW")
}

func viewTexts(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	texts := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		texts[name] = text
	}
	return texts, rows.Err()
}

func dropViews(ctx context.Context, db *sql.DB) string {
	texts, _ := viewTexts(ctx, db)
	var b strings.Builder
	for name := range texts {
		fmt.Fprintf(&b, "DROP VIEW %q;\n", name)
	}
	return b.String()
}

// fileURI returns path as a file: URI: only there does SQLite honour options
// such as mode=ro.
func fileURI(path string, options string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x becomes file:///C:/x
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: options}
	return u.String()
}

func busy(err error) error {
	if err != nil && (strings.Contains(err.Error(), "SQLITE_BUSY") || strings.Contains(err.Error(), "database is locked")) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

func readOnly(err error) error {
	if err != nil && (errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "readonly database")) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}
