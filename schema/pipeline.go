package schema

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"pakdb/internal/process"
	"pakdb/schema/internal/batch"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/intern"
	"pakdb/schema/internal/write"
)

// pipeline writes the batches of a build, in order. One goroutine gives out ids, a batch
// ahead of the one that owns the database meanwhile.
//
//	send --> queue --> intern --> ready --> write: a transaction for all that wait
type pipeline struct {
	writer   *conn.Writer
	interner *intern.Interner
	rows     *write.Writer
	label    string // of the build, for errors

	queue  chan *batch.Batch // nil: it has ended
	done   chan struct{}
	err    error // of the goroutines; read after done, or through failed
	failed chan struct{}
	free   chan []batch.Row // of batches that are in the catalog, cleared

	cancelled <-chan struct{} // the context of the build is done
}

// start starts the goroutines.
func (p *pipeline) start(ctx context.Context) {
	p.queue, p.done, p.failed, p.cancelled = make(chan *batch.Batch), make(chan struct{}), make(chan struct{}), ctx.Done()
	ready := make(chan *batch.Batch)
	p.free = make(chan []batch.Row, 2)
	ctx = p.withGrace(ctx)
	go p.intern(ctx, p.queue, ready)
	go p.write(ctx, ready)
}

// grace is how long a build that is cancelled may take to store what it has.
const grace = 2 * time.Second

// withGrace returns a context for the goroutines that ends some
// time after ctx: what was completed by then is stored, but no statement that
// takes long keeps a process from ending.
func (p *pipeline) withGrace(ctx context.Context) context.Context {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-p.done:
		case <-time.After(grace):
		}
		cancel()
	})
	go func() {
		<-p.done
		stop()
		cancel()
	}()
	return late
}

// intern is the goroutine that hands out ids.
func (p *pipeline) intern(ctx context.Context, queue <-chan *batch.Batch, ready chan<- *batch.Batch) {
	defer close(ready)
	for b := range queue {
		if p.interner.Full() {
			p.makeRoom(ready)
		}
		b.Err = process.RescueCall(func() error { return p.interner.Intern(ctx, b) })
		ready <- b
	}
}

// makeRoom lets the interner forget, once the catalog has all that it would.
func (p *pipeline) makeRoom(ready chan<- *batch.Batch) {
	written := make(chan struct{})
	ready <- &batch.Batch{Written: written, IDs: batch.IDs{Keys: p.interner.TakeKeys()}}
	<-written
	p.interner.Forget()
}

// write is the goroutine that owns the database until end.
func (p *pipeline) write(ctx context.Context, ready <-chan *batch.Batch) {
	defer close(p.done)
	for b := range ready {
		if p.err == nil { // else drain, so that send never blocks
			last, err := p.writeGroup(ctx, b, ready)
			if b = last; err != nil {
				p.err = fmt.Errorf("write build %q: %w", p.label, conn.Classify(err))
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

// writeGroup writes a batch, and those that wait behind it by the time it is
// written, in one transaction. It returns the last one that it took.
func (p *pipeline) writeGroup(ctx context.Context, b *batch.Batch, ready <-chan *batch.Batch) (*batch.Batch, error) {
	err := p.writer.InTx(ctx, func(tx *sql.Tx) error {
		for n := 1; b.Err == nil; n++ {
			if err := process.RescueCall(func() error { return p.rows.Write(ctx, tx, b) }); err != nil {
				return err
			}
			p.recycle(b)
			if n == maxGroup || b.Written != nil {
				break
			}
			next := p.waiting(ready)
			if next == nil {
				break
			}
			b = next
		}
		return nil
	})
	return b, cmp.Or(err, b.Err)
}

// recycle keeps the memory of a batch that is in the catalog for one to come: 9 MB.
func (p *pipeline) recycle(b *batch.Batch) {
	rows := b.Rows[:cap(b.Rows)]
	clear(rows)
	select {
	case p.free <- rows[:0]:
	default:
	}
	b.Rows = nil
}

// newBatch returns an empty batch that follows one.
func (p *pipeline) newBatch(before *batch.Batch) *batch.Batch {
	select {
	case rows := <-p.free:
		return &batch.Batch{Rows: rows}
	default:
		return batch.New(before)
	}
}

// waiting returns the batch that waits to be written, nil for none. When the build
// is cancelled none does: what is written is to be stored within the grace.
func (p *pipeline) waiting(ready <-chan *batch.Batch) *batch.Batch {
	select {
	case <-p.cancelled:
		return nil
	default:
	}
	select {
	case next := <-ready:
		return next
	default:
		return nil
	}
}

var errEnded = errors.New("the build has ended")

// send hands a batch over, which is the pipeline's from then on.
func (p *pipeline) send(b *batch.Batch) error {
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

// flush hands a batch over and waits until it is in the catalog, keys included. Until
// the next one the caller may use the database.
func (p *pipeline) flush(b *batch.Batch) error {
	written := make(chan struct{})
	b.Written, b.Keyed = written, true
	if err := p.send(b); err != nil {
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

// end hands over the last batch, waits for the goroutines and returns their error.
func (p *pipeline) end(b *batch.Batch) error {
	b.Keyed = true
	err := p.send(b)
	if p.queue != nil {
		close(p.queue)
		p.queue = nil
		<-p.done
	}
	return cmp.Or(p.err, err)
}
