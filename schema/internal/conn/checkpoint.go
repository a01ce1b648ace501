package conn

import (
	"database/sql"
	"os"
	"sync/atomic"
)

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
