package schema

import (
	"context"
	"database/sql/driver"

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
// the machine may lose the last transactions but never damages the file. The
// cache holds the parts of the key tables that a batch touches.
func writeConnector(path string, src *rowSource) connector {
	d := &sqlite.Driver{}
	err := d.RegisterModule("pakdb_rows", src)
	return connector{driver: d, err: err, dsn: fileURI(path, "_busy_timeout=10000&_txlock=immediate"+
		"&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=cache_size(-65536)"+
		"&_pragma=temp_store(memory)&_pragma=foreign_keys(0)&_dqs=0")}
}

// readConnector opens for plain reading inside this process; queries of users
// go through OpenReadOnly.
func readConnector(path string) connector {
	return connector{driver: &sqlite.Driver{}, dsn: fileURI(path, "mode=ro&_busy_timeout=10000&_dqs=0")}
}
