package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"pakdb/internal/family"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/rows"
	"pakdb/schema/internal/write"
)

// What a scan hands to the catalog. The fields are documented in
// schema/internal/record.
type (
	// Digest is a BLAKE3-256 hash.
	Digest = record.Digest
	// Archive is one scanned file.
	Archive = record.Archive
	// Entry is one stored file of an archive.
	Entry = record.Entry
	// Sample is some of the entries of an archive.
	Sample = record.Sample[record.Outline]
	// Outline identifies an entry before it is read.
	Outline = record.Outline
	// Edition is the one that an archive continues.
	Edition = write.Before
	// Same is a row of the edition before.
	Same = record.Same
	// Facts are the findings of an inspector in a content.
	Facts = record.Facts
	// Symbol says what an id or a name means.
	Symbol = record.Symbol
	// Ref is a reference to an id or a name.
	Ref = record.Ref
	// PackageDigest says whether two Unreal packages differ in more than noise.
	PackageDigest = record.PackageDigest
	// Problem is a finding about an archive, an entry or a content.
	Problem = record.Problem
	// Package is the Unreal package whose exports a content holds.
	Package = record.Package
	// Values are the values of the exports in a content.
	Values = record.Values
	// Mapping is a file of mappings that the catalog keeps.
	Mapping = record.Mapping
	// Name is a public name of an entry, in formats that keep names apart.
	Name = record.Name
	// Mount places an archive in a build.
	Mount = record.Mount
	// Scanned is what a search for known ids found in a content.
	Scanned = record.Scanned
)

// Generality returns how little the inspector of facts says, 0 the least. Of those that
// read one content, the facts of the least general one are kept.
func Generality(inspector string) int { return record.Generality(inspector) }

// StatedSize is how many bytes of a content's hash are known when an archive
// states it and nobody has read the content: a BLAKE3-160. The rest of it follows
// with the first scan that reads.
const StatedSize = record.StatedSize

// RowBits gives the distance of the rows of a new lineage, 1<<RowBits, so that what later
// editions put between two of them has room.
const RowBits = record.RowBits

// The ways in which a file is not a usable catalog.
var (
	ErrNotCatalog = conn.ErrNotCatalog
	ErrEmpty      = conn.ErrEmpty
	ErrForeign    = conn.ErrForeign
	ErrDamaged    = conn.ErrDamaged
	ErrUnfinished = conn.ErrUnfinished
	ErrTooNew     = conn.ErrTooNew
	ErrTooOld     = conn.ErrTooOld
	ErrBusy       = conn.ErrBusy
	ErrGone       = conn.ErrGone
	ErrReadOnly   = conn.ErrReadOnly
	ErrNoRoom     = conn.ErrNoRoom
	ErrDisk       = conn.ErrDisk
	ErrCannotOpen = conn.ErrCannotOpen
	ErrNoBuild    = conn.ErrNoBuild
)

// Classify adds one of the errors above to an error of SQLite that comes from a
// catalog, for callers that read through the *sql.DB of [OpenReadOnly].
func Classify(err error) error { return conn.Classify(err) }

// Version is the layout of the catalogs that this pakdb reads and writes. Those of others
// are refused.
const Version = layout.Version

// IsCatalog reports whether the first bytes of a file say that it is a catalog of pakdb.
func IsCatalog(path string) bool { return file.IsOurs(path) }

// Ext returns the extension of a file name in lower case, without the dot:
// "uasset". A name that only starts with a dot has none.
func Ext(name string) string { return record.Ext(name) }

// PathKey returns the key of a path in table path_key: the first 8 bytes of its
// BLAKE3, little-endian, signed.
func PathKey(path string) int64 { return record.PathKey(path) }

// NameKey returns the key of a text in table name_key, and in the symbols and
// references that go by names: the first 8 bytes of the BLAKE3 of the
// lower-cased text, little-endian, signed.
func NameKey(name string) int64 { return family.NameKey(name) }

// ContentKey returns the key of a content in table content_key: the first 8
// bytes of its hash, little-endian, signed. The hash may be cut short to
// [StatedSize] bytes; 0 for what is none.
func ContentKey(hash []byte) int64 { return record.ContentKey(hash) }

// Each runs a query and calls row for each of its rows, up to the first error of it.
func Each(ctx context.Context, db conn.Querier, row func(*sql.Rows) error, query string, args ...any) error {
	return conn.Each(ctx, db, row, query, args...)
}

// All returns the rows of a query; columns returns where the columns of a row go.
func All[T any](ctx context.Context, db conn.Querier, columns func(row *T) []any, query string, args ...any) ([]T, error) {
	return conn.All(ctx, db, columns, query, args...)
}

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

// Stored is an entry as it is stored, by the ids of tables; 0 is NULL.
type Stored = rows.Stored

// EachStored calls each for the entries of some archives of a build, by their ordinals, in stored
// order. It reads them without SQL, at a tenth of the views' cost. The error wraps [ErrDamaged]
// where the tables are not as a scan writes them.
func EachStored(ctx context.Context, db *sql.DB, build string, archives []int64, each func(*Stored) error) error {
	return rows.EachStored(ctx, db, build, archives, each)
}

// EachBetween calls each for the rows of a lineage that only one of two editions has, in stored
// order; later says that it is the last one.
type EachBetween = rows.EachBetween

// Between calls do with an [EachBetween]. The error wraps [ErrDamaged] as that of [EachStored]
// does.
func Between(ctx context.Context, db *sql.DB, do func(EachBetween) error) error {
	return rows.Between(ctx, db, do)
}

// Locate calls do with a function that returns the offset of an entry by its archive and row, -1
// for none. do must be short.
func Locate(ctx context.Context, db *sql.DB, do func(at func(archive, row int64) (int64, error)) error) error {
	return rows.Locate(ctx, db, do)
}
