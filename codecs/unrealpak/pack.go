package unrealpak

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"runtime"
	"sync"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
	"pakdb/internal/aes256"
	"pakdb/internal/rescue"
)

// pack writes content in compressed blocks, or stored when that is not worth
// it. How many blocks there are decides the size of the record before them, so
// content is spooled first. Small contents are compressed beside each other, see
// queue; a large one by itself, its blocks beside each other.
func (w *writer) pack(ctx context.Context, name string, rec *record, m compress.Method, r io.Reader) error {
	p := w.newPacking(name, rec, m)
	_, err := io.CopyN(&p.raw, r, maxQueued+1)
	if errors.Is(err, io.EOF) {
		w.enqueue(p)
		return w.flush(ctx, queueBytes)
	}
	if err == nil {
		_, err = io.Copy(&p.raw, r)
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
	name       string
	rec        *record
	method     compress.Method
	fast       bool // by compress.EncodeFast
	raw, coded spool.Spool
	jobs       []encodeJob

	worth bool // to be compressed
	err   error
	done  chan struct{}
}

func (w *writer) newPacking(name string, rec *record, m compress.Method) *packing {
	p := &packing{}
	if n := len(w.free); n > 0 {
		p, w.free = w.free[n-1], w.free[:n-1]
	}
	p.name, p.rec, p.method, p.fast, p.worth, p.err, p.done = name, rec, m, w.opt.Fast, false, nil, nil
	return p
}

// recycle keeps the buffers of p for the next one.
func (w *writer) recycle(p *packing) error {
	w.free = append(w.free, p)
	return errors.Join(p.raw.Reset(), p.coded.Reset())
}

// put writes what was encoded.
func (w *writer) put(ctx context.Context, p *packing) (err error) {
	if !p.worth {
		*p.rec = record{flags: p.rec.flags}
		return w.place(p.name, p.rec, func() error { return w.store(ctx, p.rec, io.NewSectionReader(&p.raw, 0, p.raw.Size())) })
	}
	if p.rec.method, err = w.methodField(p.method); err != nil {
		return err
	}
	return w.place(p.name, p.rec, func() error {
		_, err := p.coded.WriteTo(w.out)
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

// encode compresses the spooled content, as many as parallel blocks at once, and
// fills in the record. It shares nothing with the writer that changes.
func (p *packing) encode(ctx context.Context, w *writer, parallel int) error {
	size, bs := p.raw.Size(), int64(w.opt.BlockSize)
	if size == 0 {
		return nil
	}
	n := (size + bs - 1) / bs
	rec := p.rec
	rec.usize, rec.blockSize = size, uint32(min(bs, size))
	pos := w.version.recordSize(true, int(n))
	sum := sha1.New()
	plain := int64(0) // coded bytes without padding
	var head []byte   // of the first block: it pads every one
	for len(p.jobs) < parallel {
		p.jobs = append(p.jobs, encodeJob{})
	}
	for first := int64(0); first < n; first += int64(parallel) {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := p.jobs[:min(int64(parallel), n-first)]
		if err := p.encodeBatch(batch, first*bs, bs); err != nil {
			return err
		}
		for i := range batch {
			coded := batch[i].coded
			rec.blocks = append(rec.blocks, blockRange{pos, pos + int64(len(coded))})
			plain += int64(len(coded))
			if rec.encrypted() {
				if head == nil {
					head = bytes.Clone(coded[:min(len(coded), aes256.Block)])
				}
				coded = aes256.AppendPadding(coded, head, int64(len(coded)))
				aes256.EncryptECB(w.crypt.block, coded)
			}
			pos += int64(len(coded))
			sum.Write(coded)
			if _, err := p.coded.Write(coded); err != nil {
				return err
			}
		}
	}
	rec.size = p.coded.Size()
	sum.Sum(rec.sum[:0])
	p.worth = worthIt(w.version, p.method, size, plain)
	return nil
}

type encodeJob struct {
	plain, coded []byte
	err          error
}

// encodeBatch compresses consecutive blocks of bs bytes from offset off on, in
// parallel.
func (p *packing) encodeBatch(batch []encodeJob, off, bs int64) error {
	for i := range batch {
		j := &batch[i]
		j.plain = grow(j.plain, int(min(bs, p.raw.Size()-off)))
		if _, err := p.raw.ReadAt(j.plain, off); err != nil && err != io.EOF {
			return err
		}
		off += bs
	}
	if len(batch) == 1 {
		batch[0].encode(p.method, p.fast)
		return batch[0].err
	}
	var wg sync.WaitGroup
	for i := range batch {
		wg.Go(func() { batch[i].encode(p.method, p.fast) })
	}
	wg.Wait()
	for i := range batch {
		if batch[i].err != nil {
			return batch[i].err
		}
	}
	return nil
}

func (j *encodeJob) encode(m compress.Method, fast bool) {
	encode := compress.Encode
	if fast {
		encode = compress.EncodeFast
	}
	j.coded, j.err = encode(m, j.coded[:0], j.plain)
}

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
