package gpak

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// sqlitePak is a pak of the SQLite kinds. Its rows without their blobs are in
// memory, as a KAPG's table is; each blob is fetched by rowid when asked for.
type sqlitePak struct {
	file
	version string
	method  compress.Method
	rows    []row
	tail    error // what ended the table before its end

	mu   sync.RWMutex // held shared by queries, so that Close waits for them
	db   *database
	load *sql.Stmt // nil once closed
}

func openDatabase(ctx context.Context, f file) (codecs.Archive, error) {
	if ok, err := hasPakTables(f.src); err != nil {
		return nil, f.fail("", "schema", 0, err)
	} else if !ok {
		return nil, f.fail("", "schema", -1, codecs.Errorf(codecs.ErrUnknown, "no tables %s and %s", dataTable, versionTable))
	}
	db, err := openSource(f.src)
	if err != nil {
		return nil, f.fail("", "database", -1, err)
	}
	a := &sqlitePak{file: f, db: db}
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// start reads everything but the blobs. Names cannot make it run code or loop:
// data_tbl must be a plain table with plain columns.
func (a *sqlitePak) start(ctx context.Context) error {
	if err := a.readVersion(ctx); err != nil {
		return err
	}
	if err := a.checkTable(ctx); err != nil {
		return err
	}
	err := a.readRows(ctx)
	switch {
	case err == nil:
	case len(a.rows) == 0 || ctx.Err() != nil || errors.Is(err, codecs.ErrLimit):
		return err
	default:
		a.tail = err
	}
	if a.load, err = a.db.PrepareContext(ctx, `SELECT b FROM data_tbl WHERE rowid = ?`); err != nil {
		return a.failSQL(ctx, "", "b", err)
	}
	return nil
}

// failSQL reports an error of SQLite; that of a context is passed on as it is.
func (a *sqlitePak) failSQL(ctx context.Context, entry, field string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.fail(entry, field, -1, a.db.classify(err))
}

func (a *sqlitePak) readVersion(ctx context.Context) error {
	var v any
	err := a.db.QueryRowContext(ctx, `SELECT v FROM ver LIMIT 1`).Scan(&v)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return a.fail("", "ver.v", -1, codecs.Errorf(codecs.ErrCorrupt, "no row"))
	case err != nil:
		return a.failSQL(ctx, "", "ver.v", err)
	}
	number, ok := v.(float64)
	// The peers hold the number as a 32-bit float, so equality is not asked for.
	switch {
	case ok && math.Abs(number-1.5) < 1e-3:
		a.version, a.method = version15, compress.None
	case ok && math.Abs(number-1.6) < 1e-3:
		a.version, a.method = version16, compress.LZ4
	default:
		return a.fail("", "ver.v", -1, codecs.Errorf(errors.ErrUnsupported, "SQLite version %v; 1.5 and 1.6 are known", v))
	}
	return nil
}

// checkTable requires data_tbl to be a table: a view or a generated column can
// yield rows and contents without end from a few bytes.
func (a *sqlitePak) checkTable(ctx context.Context) error {
	var kind string
	var withoutRowid bool
	err := a.db.QueryRowContext(ctx, `SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND lower(name) = 'data_tbl'`).
		Scan(&kind, &withoutRowid)
	if err != nil {
		return a.failSQL(ctx, "", dataTable, err)
	}
	if kind != "table" || withoutRowid {
		return a.fail("", dataTable, -1, codecs.Errorf(codecs.ErrCorrupt, "is not a table with rowids, but: %s", kind))
	}
	var plain, odd int
	err = a.db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE lower(name) IN ('i', 'n', 'b', 'l', 's') AND hidden = 0),
		count(*) FILTER (WHERE lower(name) = 'rowid' OR hidden <> 0) FROM pragma_table_xinfo('data_tbl')`).Scan(&plain, &odd)
	if err != nil {
		return a.failSQL(ctx, "", dataTable, err)
	}
	if plain != 5 || odd != 0 {
		return a.fail("", dataTable, -1, codecs.Errorf(codecs.ErrCorrupt, "has not the columns i, n, b, l, s"))
	}
	return nil
}

// Info describes the pak.
func (a *sqlitePak) Info() codecs.Info {
	n := len(a.rows)
	if a.tail != nil {
		n = -1
	}
	return codecs.Info{Format: name, Version: "SQLite " + a.version, EntryCount: n, Warnings: a.warnings}
}

// Entries yields the rows in the order of their rowids.
func (a *sqlitePak) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i := range a.rows {
			if !yield(a.entry(i)) {
				return
			}
		}
		if a.tail != nil {
			yield(nil, a.tail)
		}
	}
}

func (a *sqlitePak) entry(i int) (*codecs.Entry, error) {
	r := &a.rows[i]
	e := &codecs.Entry{Ordinal: i, Name: r.path, PathHash: codecs.ID64(uint64(r.hash)), Offset: -1,
		Method: a.method, Mod: modTime(r.mod)}
	if r.err != nil {
		return e, r.err
	}
	e.Stored, e.Size = r.stored, r.size
	return e, nil
}

// Open reads the entry's blob, and decodes it in version 1.6.
func (a *sqlitePak) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := a.lookup(e)
	if err != nil {
		return nil, err
	}
	own := codecs.Entry{Name: r.path, Offset: -1, Stored: r.stored, Size: r.size}
	if err := a.checkSize(&own, a.method); err != nil {
		return nil, err
	}
	b, err := a.blob(ctx, r)
	if err != nil {
		return nil, err
	}
	if a.method == compress.None {
		return io.NopCloser(bytes.NewReader(b)), nil
	}
	return a.decode(&own, "b", b)
}

// OpenRaw returns the entry's blob.
func (a *sqlitePak) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	r, err := a.lookup(e)
	if err != nil {
		return nil, err
	}
	b, err := a.blob(context.Background(), r)
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))), err
}

func (a *sqlitePak) lookup(e *codecs.Entry) (*row, error) {
	if e.Ordinal < 0 || e.Ordinal >= len(a.rows) {
		return nil, a.fail(e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d of %d", e.Ordinal, len(a.rows)))
	}
	r := &a.rows[e.Ordinal]
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

func (a *sqlitePak) blob(ctx context.Context, r *row) ([]byte, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if r.stored > a.limits.Entry {
		return nil, a.fail(r.path, "b", -1, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", r.stored, a.limits.Entry))
	}
	if a.load == nil {
		return nil, a.fail(r.path, "b", -1, fs.ErrClosed)
	}
	var b []byte
	if err := a.load.QueryRowContext(ctx, r.rowid).Scan(&b); err != nil {
		return nil, a.failRow(ctx, r, err)
	}
	if int64(len(b)) != r.stored {
		return nil, a.fail(r.path, "b", -1, codecs.Errorf(codecs.ErrCorrupt, "%d bytes, listed with %d", len(b), r.stored))
	}
	return b, nil
}

// failRow is for a row that was listed: a tree that does not lead back to it is
// damaged.
func (a *sqlitePak) failRow(ctx context.Context, r *row, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return a.fail(r.path, "b", -1, codecs.Errorf(codecs.ErrCorrupt, "row %d is listed but not found", r.rowid))
	}
	return a.failSQL(ctx, r.path, "b", err)
}

// Close closes the database. Readers that Open returned stay readable.
func (a *sqlitePak) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.db == nil {
		return nil
	}
	var err error
	if a.load != nil {
		err = a.load.Close()
	}
	err = errors.Join(err, a.db.Close())
	a.load, a.db = nil, nil
	return err
}
