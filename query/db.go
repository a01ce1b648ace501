package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"

	"pakdb/query/lifetime"
	"pakdb/schema/views"
)

// Options for [Open]. The zero value works.
type Options struct {
	// Functions are SQL functions beside those of this package.
	Functions []Function
	// Tables are functions that yield rows.
	Tables []TableFunction
	// Contents serves content_text and content_blob, which fail without it.
	// It is not closed by [DB.Close].
	Contents *Contents
}

// DB is a catalog opened for questions. It runs one statement at a time;
// others wait. Nothing it is asked to do can write to any file.
type DB struct {
	catalog  string
	options  Options
	sessions *sessions
	explain  explainer
	closers  []func() error
}

// Open opens the catalog at path. Its errors are of class ErrCatalog. The
// caller closes it.
func Open(ctx context.Context, catalog string, o Options) (*DB, error) {
	o.Functions = append(Functions(o.Contents), o.Functions...)
	lifetimes, closeLifetimes := lifetime.Functions(catalog)
	for _, t := range lifetimes {
		o.Tables = append(o.Tables, TableFunction{TableFunction: t, Doc: lifetimeDocs[t.Name]})
	}
	s := &sessions{catalog: catalog, options: o, open: map[views.Spelling]*session{}}
	if _, err := s.of(ctx, views.Spelling{}); err != nil {
		return nil, err
	}
	return &DB{catalog: catalog, options: o, sessions: s, explain: explainer{s}, closers: []func() error{s.close, closeLifetimes}}, nil
}

var lifetimeDocs = map[string]string{
	"path_builds":  "the first and the last build of each path, and how many have it; deleted 1: delete records count",
	"path_changes": "how often the content of a path changed from build to build, where it did, and in which builds",
}

// Close closes the catalog.
func (db *DB) Close() error {
	var errs []error
	for _, closeIt := range db.closers {
		errs = append(errs, closeIt())
	}
	return errors.Join(errs...)
}

// Catalog returns the path that the catalog was opened by.
func (db *DB) Catalog() string { return db.catalog }

// TableFunctions returns the functions that yield rows, but for those that serve
// statements that are rewritten.
func (db *DB) TableFunctions() []TableFunction {
	return slices.DeleteFunc(slices.Clone(db.options.Tables), func(t TableFunction) bool { return strings.HasPrefix(t.Name, "pakdb_") })
}

// Functions returns the SQL functions beside SQLite's own.
func (db *DB) Functions() []Function { return db.options.Functions }

// Texts runs a query of this program's own and returns its first column, as
// text.
func (db *DB) Texts(ctx context.Context, query string, args ...driver.Value) ([]string, error) {
	return db.sessions.texts(ctx, query, args...)
}

// Tables returns the names of the views, which are the stable surface, then
// those of the tables.
func (db *DB) Tables(ctx context.Context) (views, tables []string, err error) {
	return db.sessions.tables(ctx)
}

// Columns returns the columns of a table or view, none if there is no such
// thing.
func (db *DB) Columns(ctx context.Context, table string) ([]string, error) {
	return db.sessions.columns(ctx, table)
}

// SQLFunctions returns the names of all SQL functions there are.
func (db *DB) SQLFunctions(ctx context.Context) ([]string, error) { return db.sessions.functions(ctx) }
