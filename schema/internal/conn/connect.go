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

// open opens connections with the functions that compute keys. src is temp.src of each, nil for none.
func open(dsn string, src *Source) *sql.DB {
	d := &sqlite.Driver{}
	c := Connector{On: d, DSN: dsn, Err: registerFunctions(d)}
	if src != nil {
		c.Err, c.SetUp = errors.Join(c.Err, d.RegisterModule("pakdb_rows", src)), makeSource
	}
	return sql.OpenDB(c)
}

// writing are the options of connections that write: WAL lets readers go on; with
// synchronous=NORMAL a crash of the machine may lose the last transactions but never damages the
// file. The log is copied into the file when it has 32 MB: what many transactions change, as the
// indexes of random ids, is copied once.
const writing = "_busy_timeout=10000&_txlock=immediate&_dqs=0&_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
	"&_pragma=wal_autocheckpoint(8192)&_pragma=cache_size(-8192)"

// OpenNew makes a database at path.
func OpenNew(path string) *sql.DB {
	return open(FileURI(path, "_txlock=immediate&_dqs=0&_pragma=foreign_keys(0)&_pragma=synchronous(full)"), nil)
}

// OpenToComplete opens a catalog that a killed process left, so that SQLite rolls a
// journal back or copies a log. It makes no file.
func OpenToComplete(path string) *sql.DB {
	return open(FileURI(path, "mode=rw&_busy_timeout=10000&_pragma=synchronous(full)&_dqs=0"), nil)
}

// OpenToCheck opens a catalog for reading all of it.
func OpenToCheck(path string) *sql.DB {
	return open(FileURI(path, "mode=ro&_busy_timeout=10000&_pragma=cell_size_check(1)&_pragma=temp_store(memory)&_pragma=cache_size(-32768)&_dqs=0"), nil)
}

// makeSource gives a connection its temp.src.
func makeSource(c driver.Conn) error {
	_, err := c.(driver.ExecerContext).ExecContext(context.Background(), "CREATE VIRTUAL TABLE temp.src USING pakdb_rows", nil)
	return err
}

func registerFunctions(d *sqlite.Driver) error {
	return errors.Join(register(d, "key_of_path", record.PathKey), register(d, "key_of_name", record.NameKey),
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

// OpenReader opens for plain reading inside this process; queries of users
// go through schema.OpenReadOnly.
func OpenReader(path string) *sql.DB {
	return open(FileURI(path, "mode=ro&_busy_timeout=10000&_dqs=0"), nil)
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
