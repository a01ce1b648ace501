package unrealpak

import (
	"context"
	"errors"
	"io"
	"runtime"

	"pakdb/codecs/compress"
	"pakdb/internal/process"
)

// pack writes content in compressed blocks, or stored when that is not worth
// it. How many blocks there are decides the size of the record before them, so
// they are spooled first. Small contents are compressed beside each other, see
// queue; a large one by itself, its blocks beside each other.
func (w *writer) pack(ctx context.Context, name string, rec *record, m compress.Method, r io.Reader) error {
	p := w.newPacking(name, rec, m)
	whole, err := p.content.Take(r, maxQueued)
	if whole {
		w.enqueue(p)
		return w.flush(ctx, queueBytes)
	}
	if err == nil {
		err = w.flush(ctx, 0)
	}
	if err == nil {
		err = p.encode(ctx, w, 4*runtime.GOMAXPROCS(0))
	}
	if err == nil {
		err = w.put(ctx, p)
	}
	return errors.Join(err, w.recycle(p))
}

// packing is an entry on its way to be compressed and written.
type packing struct {
	name    string
	rec     *record
	method  compress.Method
	content *blockContent
	worth   bool // to be compressed
	err     error
	done    chan struct{}
}

func (w *writer) newPacking(name string, rec *record, m compress.Method) *packing {
	p := &packing{name: name, rec: rec, method: m}
	if n := len(w.free); n > 0 {
		p.content = w.free[n-1]
		w.free[n-1] = nil // it may grow too large to come back, and the array would keep it
		w.free = w.free[:n-1]
		w.kept -= p.content.Memory()
	} else {
		p.content = &blockContent{}
	}
	return p
}

// recycle keeps the buffers of p for the next one, if they are small and not enough are
// kept: the queue is long, and large buffers would come to lie in it under small contents.
func (w *writer) recycle(p *packing) error {
	err := p.content.Reset()
	if n := p.content.Memory(); n <= maxReused && w.kept+n <= maxKept {
		w.free, w.kept = append(w.free, p.content), w.kept+n
	}
	return err
}

// put writes what was encoded.
func (w *writer) put(ctx context.Context, p *packing) (err error) {
	if !p.worth {
		*p.rec = record{flags: p.rec.flags}
		return w.place(p.name, p.rec, func() error { return w.store(ctx, p.rec, p.content.Reader()) })
	}
	if p.rec.method, err = w.methodField(p.method); err != nil {
		return err
	}
	return w.place(p.name, p.rec, func() error {
		_, err := p.content.WriteTo(w.out)
		return err
	})
}

// worthIt is UnrealPak's rule: up to 4.26 any gain counts; later ones want zlib
// to save a KiB and either a tenth or 64 KiB, and the newest leave small files
// alone.
func worthIt(v version, m compress.Method, raw, coded int64) bool {
	saved := raw - coded
	switch {
	case v >= utf8PakDirectory && raw < 1024:
		return false
	case v >= pathHashIndex && (m == compress.Zlib || m == compress.Gzip):
		return saved >= 1024 && (coded*10 <= raw*9 || saved >= 64<<10)
	}
	return saved > 0
}

// encode compresses the content, as many as parallel blocks at once, and fills in the
// record. It shares nothing with the writer that changes.
func (p *packing) encode(ctx context.Context, w *writer, parallel int) error {
	c, rec := p.content, p.rec
	o := blockOptions{Method: p.method, Fast: w.opt.Fast, Size: w.opt.BlockSize}
	if rec.encrypted() {
		o.Cipher = w.crypt.block
	}
	if err := c.Encode(ctx, o, parallel); err != nil || c.Size == 0 {
		return err
	}
	start := w.version.recordSize(true, len(c.Blocks))
	for _, b := range c.Blocks {
		rec.blocks = append(rec.blocks, blockRange{start + b.start, start + b.end})
	}
	rec.usize, rec.blockSize = c.Size, uint32(min(int64(o.Size), c.Size))
	rec.size, rec.sum = c.Stored(), c.Sum
	p.worth = worthIt(w.version, p.method, c.Size, c.Packed)
	return nil
}

// Small contents have too few blocks to keep the processors busy. They wait in a
// queue while each is compressed in a goroutine of its own, and are written in
// the order of the calls. The call that writes one, a later
// Add or Close, returns its error. A writer that is given up without Close
// leaves goroutines that end by themselves soon.

// maxQueued is the largest content that is queued, in bytes, and queueBytes what
// the queue holds. It is far longer than there are processors: a caller that waits for
// the oldest content, whose thread may be out of turn, lets the others go on. maxKept
// is how many bytes of buffers are kept for the next contents, none of them above maxReused.
const (
	maxQueued  = 1 << 20
	queueBytes = 4 << 20
	maxKept    = 8 << 20
	maxReused  = 128 << 10
)

// enqueue starts to compress a content.
func (w *writer) enqueue(p *packing) {
	p.done = make(chan struct{})
	w.queue = append(w.queue, p)
	w.queued += p.content.InMemory()
	if w.turns == nil {
		w.turns = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	go func() {
		defer close(p.done)
		w.turns <- struct{}{} // a compressor takes memory: no more of them than can run
		defer func() { <-w.turns }()
		p.err = process.RescueCall(func() error { return p.encode(context.Background(), w, 1) }) // short, and flush has a context
	}()
}

// flush writes what waits longest, until no more than left bytes are in the
// queue. After an error it writes nothing, but waits for all.
func (w *writer) flush(ctx context.Context, left int64) (err error) {
	for len(w.queue) > 0 && w.queued >= left {
		p := w.queue[0]
		w.queue[0] = nil // the array keeps what was taken out of it
		w.queue, w.queued = w.queue[1:], w.queued-p.content.InMemory()
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
