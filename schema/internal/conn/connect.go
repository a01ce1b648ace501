package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"

	"pakdb/internal/family"
	"pakdb/internal/search"
	"pakdb/schema/internal/record"
)

// Connector opens connections on a Driver of its own, so that the functions and
// modules of one catalog never reach another database of the process.
type Connector struct {
	On    *sqlite.Driver
	DSN   string                  // as [FileURI] makes it
	Err   error                   // of what was registered on the driver; no connection is opened then
	SetUp func(driver.Conn) error // of each connection; nil for nothing
}

// Connect opens a connection and sets it up.
func (c Connector) Connect(context.Context) (driver.Conn, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	conn, err := c.On.Open(c.DSN)
	if err != nil || c.SetUp == nil {
		return conn, err
	}
	if err := c.SetUp(conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// Driver returns the driver that the connections are opened on.
func (c Connector) Driver() driver.Driver { return c.On }

// Options of [Open].
const (
	ToMake     = "_txlock=immediate&_pragma=foreign_keys(0)&_pragma=synchronous(full)"
	ToComplete = "mode=rw&_pragma=synchronous(full)" // what a killed process left: SQLite rolls a journal back or copies a log
	ToRead     = "mode=ro"                           // inside this process: queries of users go through schema.OpenReadOnly
	ToCheck    = "mode=ro&_pragma=cell_size_check(1)&_pragma=temp_store(memory)&_pragma=cache_size(-32768)"

	// WAL lets readers go on; with synchronous=NORMAL a crash of the machine may lose the last
	// transactions but never damages the file. The log is copied into the file when it has 32 MB:
	// what many transactions change, as the indexes of random ids, is copied once.
	writing = "_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=wal_autocheckpoint(8192)&_pragma=cache_size(-8192)"
)

// Open opens the database at path.
func Open(path, options string) *sql.DB { return open(path, options, nil) }

// open opens connections with the functions that compute keys. src is temp.src of each, nil for none.
func open(path, options string, src *Source) *sql.DB {
	d := &sqlite.Driver{}
	c := Connector{On: d, DSN: FileURI(path, options+"&_busy_timeout=10000&_dqs=0"), Err: registerFunctions(d)}
	if src != nil {
		c.Err, c.SetUp = errors.Join(c.Err, d.RegisterModule("pakdb_rows", src)), makeSource
	}
	return sql.OpenDB(c)
}

// makeSource gives a connection its temp.src.
func makeSource(c driver.Conn) error {
	_, err := c.(driver.ExecerContext).ExecContext(context.Background(), "CREATE VIRTUAL TABLE temp.src USING pakdb_rows", nil)
	return err
}

func registerFunctions(d *sqlite.Driver) error {
	return errors.Join(register(d, "key_of_path", record.PathKey), register(d, "key_of_name", family.NameKey),
		register(d, "key_of_content", record.ContentKey), register(d, "key_of_sum", record.SumKey),
		register(d, "search_words", search.Index))
}

// register makes a function of SQL, of which of must not keep its argument: it is in memory of
// SQLite, because the driver copies texts up to their first NUL alone.
func register[T string | []byte, R any](d *sqlite.Driver, name string, of func(T) R) error {
	return d.RegisterFunction(name, &sqlite.FunctionImpl{NArgs: 1, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			v, ok := args[0].(T)
			if !ok {
				return nil, fmt.Errorf("%s: of %T", name, args[0])
			}
			return of(v), nil
		}})
}

// FileURI returns path as a file: URI: only there does SQLite honour options
// such as mode=ro.
func FileURI(path string, options string) string {
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

// Writer is the one connection of a catalog that writes. Its methods must be called
// from one goroutine at a time: temporary tables and transactions belong to the
// connection.
type Writer struct {
	DB     *sql.DB
	Src    *Source // temp.src of the connection
	Failed bool    // a transaction was rolled back
	path   string
}

// OpenWriter opens the catalog at path for writing. The file is in WAL mode from its
// first statement on.
func OpenWriter(path string) *Writer {
	src := &Source{}
	db := open(path, writing+"&_pragma=temp_store(memory)&_pragma=foreign_keys(0)", src)
	db.SetMaxOpenConns(1)
	return &Writer{DB: db, Src: src, path: path}
}

// InTx runs do in a transaction, which is rolled back when do returns an error.
func (w *Writer) InTx(ctx context.Context, do func(*sql.Tx) error) (err error) {
	return w.inTx(ctx, w.DB, do)
}

// Index runs do in a transaction of a connection of its own, which sorts in temporary files: in
// memory a million rows take 60 MB. The statements are those of the connection. No transaction is
// open.
func (w *Writer) Index(ctx context.Context, do func(*sql.Tx, *Statements) error) (err error) {
	db := Open(w.path, writing)
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	s, err := statementsOf(ctx, db)
	if err != nil {
		return err
	}
	return w.inTx(ctx, db, func(tx *sql.Tx) error { return errors.Join(do(tx, s), s.Close()) })
}

func (w *Writer) inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) (err error) {
	defer func() { w.Failed = w.Failed || err != nil }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Finder looks up what the catalog holds, on a connection of its own, while
// another connection writes. It sees what is committed.
type Finder struct {
	DB  *sql.DB // for other reading
	src *Source // temp.src of each of its connections
}

// NewFinder looks up the catalog at path, on as many connections as are used at a time: whichever
// goroutine may read by DB. They stay open: each of them has to read the whole schema.
func NewFinder(path string) *Finder {
	src := &Source{}
	db := open(path, ToRead+"&_pragma=temp_store(memory)&_pragma=cache_size(-8192)", src)
	db.SetMaxIdleConns(8)
	return &Finder{DB: db, src: src}
}

// Each runs a query with temp.src showing n rows, as EachRow does.
func (f *Finder) Each(ctx context.Context, query string, n int, value func(row, col int) driver.Value, row func([]driver.Value)) error {
	if n == 0 {
		return nil
	}
	f.src.Set(n, value)
	return EachRow(ctx, f.DB, query, nil, row)
}

// Hold keeps the catalog as it is now for all look-ups that follow, whatever others write to it, and
// returns statements that see the same. It has one connection from then on.
func (f *Finder) Hold(ctx context.Context) (s *Statements, err error) {
	f.DB.SetMaxOpenConns(1)
	if _, err := f.DB.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	if err := EachRow(ctx, f.DB, "SELECT count(*) FROM sqlite_schema", nil, func([]driver.Value) {}); err != nil {
		return nil, err
	}
	return statementsOf(ctx, f.DB)
}

// Close closes the connection.
func (f *Finder) Close() error { return f.DB.Close() }

// Source is the virtual table temp.src through which batches enter the
// catalog: INSERT ... SELECT FROM src pulls rows out of Go memory without
// binding parameters, several times faster than prepared inserts.
//
// Its columns are untyped; what they mean depends on the statement that runs.
type Source struct {
	rows  int
	value func(row, col int) driver.Value
}

// Set makes the next statements see n rows. value is called during them only.
func (s *Source) Set(n int, value func(row, col int) driver.Value) {
	s.rows, s.value = n, value
}

// Create makes temp.src; there is nothing but the columns to declare.
func (s *Source) Create(c vtab.Context, args []string) (vtab.Table, error) {
	return s.Connect(c, args)
}

// Connect declares the columns.
func (s *Source) Connect(c vtab.Context, _ []string) (vtab.Table, error) {
	return s, c.Declare("CREATE TABLE src (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)")
}

// BestIndex has no plan but to read all rows.
func (s *Source) BestIndex(*vtab.IndexInfo) error { return nil }

// Open returns a cursor before the first row.
func (s *Source) Open() (vtab.Cursor, error) { return &sourceCursor{src: s}, nil }

// Disconnect does nothing: the rows are of the Source.
func (s *Source) Disconnect() error { return nil }

// Destroy does nothing, as Disconnect.
func (s *Source) Destroy() error { return nil }

type sourceCursor struct {
	src *Source
	row int
}

func (c *sourceCursor) Filter(int, string, []vtab.Value) error {
	c.row = 0
	return nil
}

func (c *sourceCursor) Next() error                        { c.row++; return nil }
func (c *sourceCursor) Eof() bool                          { return c.row >= c.src.rows }
func (c *sourceCursor) Column(col int) (vtab.Value, error) { return c.src.value(c.row, col), nil }
func (c *sourceCursor) Rowid() (int64, error)              { return int64(c.row), nil }
func (c *sourceCursor) Close() error                       { return nil }
