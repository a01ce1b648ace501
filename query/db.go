package query

import (
	"context"
	"database/sql/driver"
	"errors"
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
	s := &sessions{catalog: catalog, options: o}
	if _, err := s.session(ctx); err != nil {
		return nil, err
	}
	return &DB{catalog: catalog, options: o, sessions: s, explain: explainer{s}, closers: []func() error{s.close}}, nil
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

// TableFunctions returns the functions that yield rows.
func (db *DB) TableFunctions() []TableFunction { return db.options.Tables }

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
