package query

import (
	"context"
	"database/sql/driver"
	"errors"
	"pakdb/internal/rescue"
	"sync"
	"time"

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
	catalog string
	options Options

	mu       sync.Mutex
	sessions map[views.Spelling]*session // those that were wanted and not left behind
}

// Open opens the catalog at path. Its errors are of class ErrCatalog. The
// caller closes it.
func Open(ctx context.Context, catalog string, o Options) (*DB, error) {
	o.Functions = append(Functions(o.Contents), o.Functions...)
	db := &DB{catalog: catalog, options: o, sessions: map[views.Spelling]*session{}}
	_, err := db.sessionOf(ctx, views.Spelling{})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// Close closes the catalog.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var errs []error
	for spelling, s := range db.sessions {
		errs = append(errs, s.sql.Close())
		delete(db.sessions, spelling)
	}
	return errors.Join(errs...)
}

// sessionOf returns the connection whose views are spelled so.
func (db *DB) sessionOf(ctx context.Context, spelling views.Spelling) (*session, error) {
	if s := db.sessions[spelling]; s != nil {
		return s, nil
	}
	db.closePruned(spelling)
	s, err := openSession(ctx, db.catalog, db.options, spelling)
	if err != nil {
		return nil, catalogError(err)
	}
	db.sessions[spelling] = s
	return s, nil
}

// closePruned closes the connections that were made for the columns of other statements
// than that of a spelling.
func (db *DB) closePruned(wanted views.Spelling) {
	for spelling, s := range db.sessions {
		if spelling.Used != "" && wanted.Used != "" {
			_ = s.sql.Close()
			delete(db.sessions, spelling)
		}
	}
}

// Catalog returns the path that the catalog was opened by.
func (db *DB) Catalog() string { return db.catalog }

// TableFunctions returns the functions that yield rows.
func (db *DB) TableFunctions() []TableFunction { return db.options.Tables }

// Functions returns the SQL functions beside SQLite's own.
func (db *DB) Functions() []Function { return db.options.Functions }

// patience is how long a statement may take to end once its context is done.
const patience = 500 * time.Millisecond

// inside calls f with a statement that ctx ends within [patience]. SQLite looks
// between its operations whether it should end; one that takes long, such as a
// function on a text of many megabytes, is left behind with its connection, and ends
// when it ends. It cannot write to anything, and f hears no more of it.
func (db *DB) inside(ctx context.Context, spelling views.Spelling, f func(*statement) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	s, err := db.sessionOf(ctx, spelling)
	if err != nil {
		return err
	}
	run := &statement{done: make(chan struct{})}
	var result error
	go func() {
		defer close(run.done)
		result = rescue.Call(func() error { return s.run(ctx, run, f) })
	}()
	select {
	case <-run.done:
		return result
	case <-ctx.Done():
	}
	select {
	case <-run.done:
		return result
	case <-time.After(patience):
	}
	if !run.leave() { // it ended just now
		return result
	}
	delete(db.sessions, spelling)
	go func() {
		<-run.done
		_ = s.sql.Close()
	}()
	return &leftError{interrupted(ctx, ErrLeft)}
}

// ErrLeft means that a statement was to end, and that an operation of it which
// cannot be interrupted runs on, until it is done or the process ends.
var ErrLeft = errors.New("an operation that cannot be interrupted runs on, and ends by itself")

// leftError is the context's error, and ErrLeft.
type leftError struct{ error }

func (e *leftError) Unwrap() []error { return []error{e.error, ErrLeft} }

// Texts runs a query of this program's own and returns its first column, as
// text.
func (db *DB) Texts(ctx context.Context, query string, args ...driver.Value) ([]string, error) {
	var all []string
	values := make([]driver.NamedValue, len(args))
	for i, v := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	err := db.inside(ctx, views.Spelling{}, func(st *statement) error {
		return st.each(query, values, func([]string) error { return nil }, func(row []driver.Value) error {
			all = append(all, text(row[0], ""))
			return nil
		})
	})
	return all, err
}
