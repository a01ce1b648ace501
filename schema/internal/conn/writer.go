package conn

import (
	"context"
	"database/sql"
	"errors"
)

// Writer is the one connection of a catalog that writes. Its methods must be called
// from one goroutine at a time: temporary tables and transactions belong to the
// connection.
type Writer struct {
	DB     *sql.DB
	Src    *Source // temp.src of the connection
	path   string
	failed bool // a transaction
}

// OpenWriter opens the catalog at path for writing. The file is in WAL mode from its
// first statement on.
func OpenWriter(path string) *Writer {
	src := &Source{}
	db := openWriter(path, src)
	db.SetMaxOpenConns(1)
	return &Writer{DB: db, Src: src, path: path}
}

// Failed reports whether a transaction of [Writer.InTx] was rolled back.
func (w *Writer) Failed() bool { return w.failed }

// InTx runs do in a transaction, which is rolled back when do returns an error.
func (w *Writer) InTx(ctx context.Context, do func(*sql.Tx) error) (err error) {
	return w.inTx(ctx, w.DB, do)
}

// Index makes indexes, on a connection of its own that sorts in temporary files: in memory
// a million rows take 60 MB. No transaction is open.
func (w *Writer) Index(ctx context.Context, statements ...string) error {
	db := openIndexer(w.path)
	err := w.inTx(ctx, db, func(tx *sql.Tx) error { return ExecAll(ctx, tx, statements...) })
	return errors.Join(err, db.Close())
}

func (w *Writer) inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) (err error) {
	defer func() { w.failed = w.failed || err != nil }()
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
