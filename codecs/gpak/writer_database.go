package gpak

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/atomicfile"
)

// layout is what differs between the SQLite versions, as the known files have
// it.
type layout struct {
	number   float64
	note     string
	key      string // type of column i
	pageSize int
}

func layoutOf(version string) layout {
	if version == version15 {
		return layout{1.5, "Added back index for names for non-maxload optimization", "INTEGER", 1024}
	}
	return layout{1.6, "Added lz4 compression for stored data to speed up shipping client load time", "INTEGER PRIMARY KEY", 4096}
}

// databaseWriter builds the database in a folder of its own and copies it out
// at the end: SQLite cannot write to an io.Writer.
type databaseWriter struct {
	intake
	out    io.Writer
	dir    *atomicfile.ScratchDir
	db     *sql.DB
	tx     *sql.Tx
	insert *sql.Stmt
}

const databaseFile = "pak.sip"

func newDatabaseWriter(out io.Writer, version string, m compress.Method) (codecs.Writer, error) {
	dir, err := atomicfile.NewScratchDir("sip")
	if err != nil {
		return nil, err
	}
	w := &databaseWriter{intake: newIntake(m, maxSQLiteContent), out: out, dir: dir}
	if err := w.begin(layoutOf(version)); err != nil {
		return nil, errors.Join(fmt.Errorf("gpak: create database: %w", err), w.Abort())
	}
	return w, nil
}

// begin creates the tables. Nobody else sees the file before it is complete,
// so it needs neither journal nor locks.
func (w *databaseWriter) begin(l layout) error {
	connector, err := sqlite.NewConnector(fileURI(filepath.Join(w.dir.Path(), databaseFile)) +
		"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		return err
	}
	w.db = sql.OpenDB(connector)
	w.db.SetMaxOpenConns(1)
	if _, err := w.db.Exec(fmt.Sprintf(`PRAGMA page_size = %d`, l.pageSize)); err != nil {
		return err
	}
	if w.tx, err = w.db.Begin(); err != nil {
		return err
	}
	_, err = w.tx.Exec(`CREATE TABLE data_tbl (i ` + l.key + `, n TEXT UNIQUE COLLATE NOCASE, b BLOB, l INTEGER, s INTEGER);
CREATE TABLE ver (v REAL, s TEXT)`)
	if err != nil {
		return err
	}
	if _, err := w.tx.Exec(`INSERT INTO ver (v, s) VALUES (?, ?)`, l.number, l.note); err != nil {
		return err
	}
	w.insert, err = w.tx.Prepare(`INSERT INTO data_tbl (i, n, b, l, s) VALUES (?, ?, ?, ?, ?)`)
	return err
}

// fileURI names a file so that no character of its path is taken for SQLite's.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/...
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

// Add stores an entry, compressed in version 1.6.
func (w *databaseWriter) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	s, err := w.add(ctx, e, r)
	return w.keep(ctx, s, err)
}

// AddRaw stores an entry's bytes as they are.
func (w *databaseWriter) AddRaw(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	s, err := w.addRaw(ctx, e, r)
	return w.keep(ctx, s, err)
}

func (w *databaseWriter) keep(ctx context.Context, s *stored, err error) error {
	if err != nil {
		return err
	}
	defer w.release()
	blob := s.data
	if blob == nil {
		blob = []byte{} // nil would be stored as NULL
	}
	if _, err := w.insert.ExecContext(ctx, int64(s.hash), s.path, blob, s.size, s.mod); err != nil {
		return w.fail(&codecs.FormatError{Format: name, Entry: s.path, Field: dataTable, Off: -1, Err: err})
	}
	return nil
}

// Close completes the database and copies it out.
func (w *databaseWriter) Close() error {
	if w.db == nil {
		return w.failed
	}
	err := w.failed
	if err == nil {
		err = w.finish()
	}
	return errors.Join(err, w.Abort())
}

// finish rebuilds the file with VACUUM, so that it is as small as it can be and
// does not depend on the page splits that the order of entries caused.
func (w *databaseWriter) finish() error {
	if err := w.tx.Commit(); err != nil {
		return err
	}
	if _, err := w.db.Exec(`VACUUM`); err != nil {
		return err
	}
	if err := w.db.Close(); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(w.dir.Path(), databaseFile))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(w.out, f)
	return err
}

// Abort removes the folder.
func (w *databaseWriter) Abort() error {
	if w.dir == nil {
		return nil
	}
	var err error
	if w.db != nil {
		err = w.db.Close()
	}
	err = errors.Join(err, w.dir.Close())
	w.db, w.dir, w.failed = nil, nil, cmp.Or(w.failed, errClosed)
	return err
}
