package unrealpak

import (
	"context"
	"runtime"

	"pakdb/internal/rescue"
)

// Small contents have too few blocks to keep the processors busy. They wait in a
// queue while each is compressed in a goroutine of its own, and are written in
// the order of the calls. What goes wrong with one is told by the call that
// writes it, a later Add or Close. A writer that is given up without Close
// leaves goroutines that end by themselves soon.

// maxQueued is the largest content that is queued, in bytes, and queueBytes what
// the queue holds. It is far longer than there are processors: whoever waits for
// the oldest content, whose thread may be out of turn, lets the others go on.
const (
	maxQueued  = 1 << 20
	queueBytes = 4 << 20
)

// enqueue starts to compress a content.
func (w *writer) enqueue(p *packing) {
	p.done = make(chan struct{})
	w.queue = append(w.queue, p)
	w.queued += p.raw.Size()
	if w.turns == nil {
		w.turns = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	go func() {
		defer close(p.done)
		w.turns <- struct{}{} // a compressor takes memory: no more of them than can run
		defer func() { <-w.turns }()
		p.err = rescue.Call(func() error { return p.encode(context.Background(), w, 1) }) // short, and flush has a context
	}()
}

// flush writes what waits longest, until no more than left bytes are in the
// queue. After an error it writes nothing, but waits for all.
func (w *writer) flush(ctx context.Context, left int64) (err error) {
	for len(w.queue) > 0 && w.queued >= left {
		p := w.queue[0]
		w.queue, w.queued = w.queue[1:], w.queued-p.raw.Size()
		<-p.done
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.putQueued(ctx, p)
		}
		if err != nil {
			left = 0
		}
	}
	return err
}

func (w *writer) putQueued(ctx context.Context, p *packing) error {
	err := p.err
	if err == nil {
		err = w.put(ctx, p)
	}
	if rerr := w.recycle(p); err == nil {
		err = rerr
	}
	if err == nil || isCancelled(err) {
		return err
	}
	return formatError("", p.name, err)
}
