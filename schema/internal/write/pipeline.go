package write

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"pakdb/internal/process"
	"pakdb/internal/search"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
)

// Pipeline writes the batches of a build, in order. One goroutine gives out ids, a batch
// ahead of the one that owns the database meanwhile.
//
//	send --> queue --> intern --> ready --> write: a transaction for all that wait
type Pipeline struct {
	On    *conn.Writer
	Label string // of the build, for errors

	interner *interner
	rows     *writer

	queue  chan *Batch // nil: it has ended
	done   chan struct{}
	err    error // of the goroutines; read after done, or through failed
	failed chan struct{}
	free   chan []Row // of batches that are in the catalog, cleared

	cancelled func() error // returns an error once the context of the build is done
}

// Prepare reads which ids and words the catalog has. finder looks up what is committed.
func (p *Pipeline) Prepare(ctx context.Context, finder *conn.Finder, tx *sql.Tx) (err error) {
	if p.interner, err = newInterner(ctx, finder, tx); err != nil {
		return err
	}
	p.rows, err = newWriter(ctx, p.On.Src, tx)
	return err
}

// Start starts the goroutines.
func (p *Pipeline) Start(ctx context.Context) {
	p.queue, p.done, p.failed, p.cancelled = make(chan *Batch), make(chan struct{}), make(chan struct{}), ctx.Err
	ready := make(chan *Batch)
	p.free = make(chan []Row, 2)
	ctx = withGrace(ctx)
	go p.intern(ctx, p.queue, ready)
	go p.write(ctx, ready)
}

// grace is how long a build that is cancelled may take to store what it has.
const grace = 2 * time.Second

// withGrace returns a context for the goroutines that ends some
// time after ctx: what was completed by then is stored, but no statement that
// takes long keeps a process from ending.
func withGrace(ctx context.Context) context.Context {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return late
}

// largePercent is how much garbage a build may make, of what is kept, once that is 150 MB.
// Of three million entries it saves 27 MB, and costs 3 % of the CPU.
const largePercent = 15

// intern is the goroutine that hands out ids.
func (p *Pipeline) intern(ctx context.Context, queue <-chan *Batch, ready chan<- *Batch) {
	defer close(ready)
	var percents []int // that were set before
	for b := range queue {
		if p.interner.full() {
			percents = append(percents, debug.SetGCPercent(largePercent))
			p.makeRoom(ready)
		}
		b.Err = process.RescueCall(func() error { return p.interner.intern(ctx, b) })
		ready <- b
	}
	p.interner = nil
	if len(percents) > 0 {
		debug.SetGCPercent(percents[0])
	}
}

// makeRoom lets the interner forget, once the catalog has all that it would.
func (p *Pipeline) makeRoom(ready chan<- *Batch) {
	written := make(chan struct{})
	ready <- &Batch{Written: written, IDs: IDs{Keys: p.interner.takeKeys(true, false)}}
	<-written
}

// write is the goroutine that owns the database until end.
func (p *Pipeline) write(ctx context.Context, ready <-chan *Batch) {
	defer close(p.done)
	for b := range ready {
		if p.err == nil { // else drain, so that send never blocks
			last, err := p.writeGroup(ctx, b, ready)
			if b = last; err != nil {
				p.err = fmt.Errorf("write build %q: %w", p.Label, conn.Classify(err))
				close(p.failed)
			}
		}
		if b.Written != nil {
			close(b.Written)
		}
	}
}

// maxGroup is how many batches a transaction may take. What comes in random order,
// ids of assets, changes most pages of its index with each batch; these go into
// the log once a transaction.
const maxGroup = 8

// writeGroup writes a batch, and those that wait after it by the time it is
// written, in one transaction. It returns the last one that it took.
func (p *Pipeline) writeGroup(ctx context.Context, b *Batch, ready <-chan *Batch) (*Batch, error) {
	err := p.On.InTx(ctx, func(tx *sql.Tx) error {
		for n := 1; b.Err == nil; n++ {
			if err := process.RescueCall(func() error { return p.rows.write(ctx, tx, b) }); err != nil {
				return err
			}
			p.recycle(b)
			if n == maxGroup || b.Written != nil || p.cancelled() != nil { // then what is written is to be stored within the grace
				return nil
			}
			select {
			case next, ok := <-ready:
				if !ok {
					return nil
				}
				b = next
			default: // none waits
				return nil
			}
		}
		return nil
	})
	if err == nil && b.Keyed && p.rows.unindexed && p.cancelled() == nil {
		p.rows.unindexed = false
		debug.FreeOSMemory() // sorting takes what interning had
		err = p.On.Index(ctx, func(tx *sql.Tx, s *conn.Statements) error { return makeIndexes(ctx, tx, s) })
	}
	return b, cmp.Or(err, b.Err)
}

// recycle keeps the memory of a batch that is in the catalog for one to come: 4.5 MB.
func (p *Pipeline) recycle(b *Batch) {
	rows := b.Rows[:cap(b.Rows)]
	clear(rows)
	select {
	case p.free <- rows[:0]:
	default:
	}
	b.Rows, b.Archives, b.IDs = nil, nil, IDs{}
}

// NewBatch returns an empty batch that follows one, as roomy as that was filled.
func (p *Pipeline) NewBatch(before *Batch) *Batch {
	select {
	case rows := <-p.free:
		return &Batch{Rows: rows}
	default:
	}
	if before == nil {
		return &Batch{}
	}
	return &Batch{Rows: make([]Row, 0, len(before.Rows))} // a large archive fills one after the other
}

var errEnded = errors.New("the build has ended")

// Send hands a batch over, which is the pipeline's from then on.
func (p *Pipeline) Send(b *Batch) error {
	if p.queue == nil {
		return cmp.Or(p.err, errEnded)
	}
	select {
	case p.queue <- b:
		return nil
	case <-p.failed:
		return p.err
	}
}

// Flush hands a batch over and waits until it is in the catalog, keys included. Until
// the next one the caller may use the database.
func (p *Pipeline) Flush(b *Batch) error {
	written := make(chan struct{})
	b.Written, b.Keyed = written, true
	if err := p.Send(b); err != nil {
		return err
	}
	<-written
	select {
	case <-p.failed:
		return p.err
	default:
		return nil
	}
}

// End hands over the last batch, waits for the goroutines and returns their error.
func (p *Pipeline) End(b *Batch) error {
	b.Keyed = true
	err := p.Send(b)
	if p.queue != nil {
		close(p.queue)
		p.queue = nil
		<-p.done
	}
	return cmp.Or(p.err, err)
}

// Ended reports whether the pipeline has ended, and its error.
func (p *Pipeline) Ended() (bool, error) { return p.queue == nil, p.err }

// ReplaceScanned stores what searches found in contents, in place of what earlier ones
// did. No batch is on its way.
func (p *Pipeline) ReplaceScanned(ctx context.Context, found []record.Scanned) error {
	return p.On.InTx(ctx, func(tx *sql.Tx) error { return replaceScanned(p.rows.in(ctx, tx), found) })
}

// problemCounts corrects how many problems each archive has.
//
//go:embed problem_counts.sql
var problemCounts string

// writer writes batches, one after the other. It remembers the ids of words. A
// transaction that fails ends its use.
type writer struct {
	src    *conn.Source
	words  map[string]int64
	summed bool  // addSums has added what was there when the build began
	sets   int64 // the last id of table value_set
	search int64 // the last content that search has indexed

	// The catalog lacks indexes, which a large build that fills an empty catalog has made after all
	// of its rows, see makeIndexes. A build that is interrupted leaves none; they are made when the
	// next one begins.
	unindexed bool
}

// newWriter returns a writer for the connection that has src as temp.src; tx is any
// transaction on it.
func newWriter(ctx context.Context, src *conn.Source, tx *sql.Tx) (*writer, error) {
	words, err := conn.Map[string, int64](ctx, tx, "SELECT word, word_id FROM x_word")
	if err != nil {
		return nil, err
	}
	sets, err := conn.MaxID(ctx, tx, "x_value_set", "set_id")
	if err != nil {
		return nil, err
	}
	indexed, err := search.Indexed(ctx, tx)
	return &writer{src: src, words: words, sets: sets, search: indexed}, err
}

func (w *writer) in(ctx context.Context, sql *sql.Tx) *tx {
	return &tx{Context: ctx, writer: w, sql: sql}
}

// write adds everything of a batch, in the order in which rows need each other's ids.
func (w *writer) write(ctx context.Context, sql *sql.Tx, b *Batch) error {
	if b.First {
		for _, x := range layout.Indexes() {
			if _, err := sql.ExecContext(ctx, "DROP INDEX IF EXISTS "+x.Name); err != nil {
				return err
			}
		}
		w.unindexed = true
	}
	t := w.in(ctx, sql)
	for _, step := range []func(*tx, *Batch) error{
		insertContents, completeHashes, findClaimed, removeFacts, insertPaths, insertFacts, updateScans, insertSketches,
		insertNamed, insertEntries, insertValues, insertArchives, countProblems, insertKeys,
	} {
		if err := step(t, b); err != nil {
			return err
		}
	}
	return nil
}

// countProblems corrects the counts of archives of other builds, where the batch
// has other facts of contents that these hold. All counts are made when the build
// is published.
func countProblems(t *tx, b *Batch) error {
	if len(b.Again) == 0 {
		return nil
	}
	_, err := t.sql.ExecContext(t, problemCounts)
	return err
}
