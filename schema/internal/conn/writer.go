package conn

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync/atomic"
)

// Writer is the one connection of a catalog that writes. Its methods must be called
// from one goroutine at a time: temporary tables and transactions belong to the
// connection.
type Writer struct {
	DB         *sql.DB
	Src        *Source // temp.src of the connection
	path       string
	checkpoint *checkpointer
	failed     bool // a transaction
}

// OpenWriter opens the catalog at path for writing. The file is in WAL mode from its
// first statement on.
func OpenWriter(path string) *Writer {
	src := &Source{}
	db := openWriter(path, src)
	db.SetMaxOpenConns(1)
	return &Writer{DB: db, Src: src, path: path}
}

// StartCheckpoints has committed pages copied into the catalog from now on. Without it
// the log grows.
func (w *Writer) StartCheckpoints(path string) { w.checkpoint = newCheckpointer(path) }

// EndCheckpoints ends what [Writer.StartCheckpoints] began, if it has been called.
func (w *Writer) EndCheckpoints() {
	if w.checkpoint != nil {
		w.checkpoint.close()
	}
}

// Failed reports whether a transaction of [Writer.InTx] was rolled back.
func (w *Writer) Failed() bool { return w.failed }

// InTx runs do in a transaction, which is rolled back when do returns an error.
// Checkpoints must have been started.
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
	w.checkpoint.room()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	w.checkpoint.committed()
	return nil
}

// checkpointer copies committed pages from the write-ahead log into the catalog,
// on a connection and in a goroutine of its own, while the next batch is
// written. What it does may be interrupted at any moment: until the log is
// started over, it has what the catalog may lack.
type checkpointer struct {
	db       *sql.DB
	log      string               // its path
	requests chan chan<- struct{} // each is closed when a checkpoint is over; nil: nobody waits
	done     chan struct{}
	pages    atomic.Int64 // in the log, at the last checkpoint
}

// maxLog is how many pages the log may hold before a transaction waits for a
// checkpoint. The log is started over when a transaction begins and all of it
// has been copied, which a writer that never pauses would never let happen.
const maxLog = 64 << 20 / 4096

// smallLog is the size of a log that stays for the end of the writing, or for the time
// when there is more to copy: a connection of its own has to read the whole schema.
const smallLog = 4 << 20

func newCheckpointer(path string) *checkpointer {
	k := &checkpointer{db: openCheckpoint(path), log: path + "-wal", requests: make(chan chan<- struct{}, 1), done: make(chan struct{})}
	k.db.SetMaxOpenConns(1)
	go k.run()
	return k
}

func (k *checkpointer) run() {
	defer close(k.done)
	for done := range k.requests {
		var busy, pages, copied int64
		// Without one the log grows, and the next may do better.
		if err := k.db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &copied); err == nil {
			k.pages.Store(pages)
		}
		if done != nil {
			close(done)
		}
	}
}

// committed says that there is something to copy.
func (k *checkpointer) committed() {
	if st, err := os.Stat(k.log); err == nil && st.Size() < smallLog {
		return
	}
	select {
	case k.requests <- nil:
	default: // a checkpoint waits to begin
	}
}

// room waits until the log has room for another transaction, unless a reader
// holds on to it.
func (k *checkpointer) room() {
	if k.pages.Load() <= maxLog {
		return
	}
	done := make(chan struct{})
	k.requests <- done
	<-done
}

func (k *checkpointer) close() {
	close(k.requests)
	<-k.done
	_ = k.db.Close()
}
