package schema

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// connector opens connections on a Driver of its own, so that the functions and
// modules of one catalog never reach another database of the process.
type connector struct {
	driver *sqlite.Driver
	dsn    string
	err    error
	setUp  func(driver.Conn) error // of each connection; nil for nothing
}

func (c connector) Connect(context.Context) (driver.Conn, error) {
	if c.err != nil {
		return nil, c.err
	}
	conn, err := c.driver.Open(c.dsn)
	if err != nil || c.setUp == nil {
		return conn, err
	}
	if err := c.setUp(conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func (c connector) Driver() driver.Driver { return c.driver }

// writeConnector: WAL lets readers go on; with synchronous=NORMAL a crash of
// the machine may lose the last transactions but never damages the file.
// Checkpoints are the checkpointer's.
func writeConnector(path string, src *rowSource) connector {
	d := &sqlite.Driver{}
	err := errors.Join(d.RegisterModule("pakdb_rows", src), registerKeys(d))
	return connector{driver: d, err: err, setUp: makeSource, dsn: fileURI(path, "_busy_timeout=10000&_txlock=immediate"+
		"&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=wal_autocheckpoint(0)&_pragma=cache_size(-32768)"+
		"&_pragma=temp_store(memory)&_pragma=foreign_keys(0)&_dqs=0")}
}

// createConnector is for a file that nobody else knows: one that is not completed
// is deleted.
func createConnector(path string) connector {
	d := &sqlite.Driver{}
	return connector{driver: d, err: registerKeys(d), dsn: fileURI(path, "_txlock=immediate"+
		"&_pragma=journal_mode(memory)&_pragma=synchronous(full)&_pragma=foreign_keys(0)&_dqs=0")}
}

// completeConnector is for what a process left that was killed. It makes no file.
func completeConnector(path string) connector {
	return connector{driver: &sqlite.Driver{}, dsn: fileURI(path, "mode=rw&_busy_timeout=10000&_pragma=synchronous(full)&_dqs=0")}
}

// checkConnector is for [Check].
func checkConnector(path string) connector {
	d := &sqlite.Driver{}
	return connector{driver: d, err: registerKeys(d), dsn: fileURI(path, "mode=ro&_busy_timeout=10000"+
		"&_pragma=cell_size_check(1)&_pragma=temp_store(memory)&_pragma=cache_size(-32768)&_dqs=0")}
}

// checkpointConnector is for the checkpointer.
func checkpointConnector(path string) connector {
	return connector{driver: &sqlite.Driver{}, dsn: fileURI(path, "_pragma=synchronous(normal)&_pragma=cache_size(0)")}
}

// findConnector is for the finder.
func findConnector(path string, src *rowSource) connector {
	d := &sqlite.Driver{}
	err := d.RegisterModule("pakdb_rows", src)
	return connector{driver: d, err: err, setUp: makeSource, dsn: fileURI(path, "mode=ro&_busy_timeout=10000"+
		"&_pragma=temp_store(memory)&_pragma=cache_size(-32768)&_dqs=0")}
}

// makeSource gives a connection its temp.src.
func makeSource(c driver.Conn) error {
	_, err := c.(driver.ExecerContext).ExecContext(context.Background(), "CREATE VIRTUAL TABLE temp.src USING pakdb_rows", nil)
	return err
}

func registerKeys(d *sqlite.Driver) error {
	return errors.Join(registerKey(d, "key_of_path", PathKey), registerKey(d, "key_of_name", NameKey),
		registerKey(d, "key_of_content", ContentKey), registerKey(d, "key_of_sum", sumKey))
}

// registerKey makes a function of SQL from one that computes keys.
func registerKey[T string | []byte](d *sqlite.Driver, name string, key func(T) int64) error {
	return d.RegisterDeterministicScalarFunction(name, 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		v, ok := args[0].(T)
		if !ok {
			return nil, fmt.Errorf("%s: of %T", name, args[0])
		}
		return key(v), nil
	})
}

// readConnector opens for plain reading inside this process; queries of users
// go through OpenReadOnly.
func readConnector(path string) connector {
	return connector{driver: &sqlite.Driver{}, dsn: fileURI(path, "mode=ro&_busy_timeout=10000&_dqs=0")}
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
