package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// SplitPath cuts a path after its last slash.
func SplitPath(path string) (prefix, name string) { return record.SplitPath(path) }

// Ext returns the extension of a file name in lower case, without the dot:
// "uasset". A name that only starts with a dot has none.
func Ext(name string) string { return record.Ext(name) }

// PathKey returns the key of a path in table path_key: the first 8 bytes of its
// BLAKE3, little-endian, signed.
func PathKey(path string) int64 { return record.PathKey(path) }

// NameKey returns the key of a text in table name_key, and in the symbols and
// references that go by names: the first 8 bytes of the BLAKE3 of the
// lower-cased text, little-endian, signed.
func NameKey(name string) int64 { return record.NameKey(name) }

// ContentKey returns the key of a content in table content_key: the first 8
// bytes of its hash, little-endian, signed. The hash may be cut short to
// [StatedSize] bytes; 0 for what is none.
func ContentKey(hash []byte) int64 { return record.ContentKey(hash) }

// FirstTexts returns the first column of the rows of a query, which are texts. db is a
// database or a transaction.
func FirstTexts(ctx context.Context, db conn.Querier, query string, args ...any) ([]string, error) {
	return conn.FirstTexts(ctx, db, query, args...)
}

// EachRow runs a query and calls row for each of its rows; the values belong to
// row until it returns. It goes past database/sql, whose conversions cost more
// than SQLite does.
func EachRow(ctx context.Context, db *sql.DB, query string, args []driver.Value, row func([]driver.Value)) error {
	return conn.EachRow(ctx, db, query, args, row)
}

// Statements runs queries on a connection of its own and compiles each of them once. It
// is for one goroutine at a time, and a query must not be run for the rows of another.
type Statements = conn.Statements

// NewStatements returns the queries of a database. The caller closes it.
func NewStatements(db *sql.DB) *Statements { return conn.NewStatements(db) }
