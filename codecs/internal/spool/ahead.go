// Ahead reads content in independent blocks:
// one after the other, or, where there are many, in parallel ahead of
// the reader, within a window of bounded size.

package spool

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
)

// Blocks is the content. Load is called for one block after the other, in
// order, from one goroutine; Decode from several at once.
type Blocks interface {
	// Len returns how many blocks there are.
	Len() int
	// Size returns how many bytes block i decodes to.
	Size(i int) int
	// Load returns the stored bytes of block i, in buf where it is large
	// enough.
	Load(i int, buf []byte) ([]byte, error)
	// Decode fills dst, which has Size(i) bytes, from what Load returned. It
	// may change stored.
	Decode(i int, dst, stored []byte) error
}

const (
	serialBlocks = 3         // up to so many, goroutines are not worth starting
	window       = 8 << 20   // decoded bytes in flight
	maxScratch   = 256 << 10 // larger buffers are not kept
)

// Ahead reads the decoded blocks. It is not safe for concurrent use.
type Ahead struct {
	ctx  context.Context
	next source
	left []byte
	err  error
}

// source yields the decoded blocks in order, io.EOF after the last. A slice is
// valid until the next call.
type source interface {
	block() ([]byte, error)
	stop()
}

// NewAhead returns a Reader of b. It starts nothing before the first Read.
func NewAhead(ctx context.Context, b Blocks) *Ahead {
	n := b.Len()
	if n <= serialBlocks || b.Size(0) > window/2 || runtime.GOMAXPROCS(0) == 1 {
		return &Ahead{ctx: ctx, next: &serial{b: b}}
	}
	return &Ahead{ctx: ctx, next: newParallel(b)}
}

// Read implements io.Reader. Errors are those of the Blocks, and of the
// context.
func (r *Ahead) Read(p []byte) (int, error) {
	for len(r.left) == 0 && r.err == nil {
		if r.err = r.ctx.Err(); r.err == nil {
			r.left, r.err = r.next.block()
		}
	}
	if len(r.left) == 0 {
		return 0, r.err
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

var errClosed = errors.New("read after Close")

// Close waits for what the Reader started and gives its buffers back.
func (r *Ahead) Close() error {
	r.next.stop()
	if r.err == nil || errors.Is(r.err, io.EOF) {
		r.err = errClosed
	}
	r.left = nil
	return nil
}

// buffers hold a block as stored and decoded.
type buffers struct{ stored, decoded []byte }

// scratch keeps the buffers of small blocks, so that reading many small
// contents does not allocate for each.
var scratch = sync.Pool{New: func() any { return new(buffers) }}

func (b *buffers) release() {
	if max(cap(b.stored), cap(b.decoded)) <= maxScratch {
		scratch.Put(b)
	}
}

func (b *buffers) load(from Blocks, i int) (err error) {
	b.stored, err = from.Load(i, b.stored)
	return err
}

func (b *buffers) decode(from Blocks, i int) error {
	n := from.Size(i)
	if cap(b.decoded) < n {
		b.decoded = make([]byte, n)
	}
	b.decoded = b.decoded[:n]
	return from.Decode(i, b.decoded, b.stored)
}

// serial decodes one block at a time.
type serial struct {
	b   Blocks
	i   int
	buf *buffers
}

func (s *serial) block() ([]byte, error) {
	if s.i == s.b.Len() {
		return nil, io.EOF
	}
	if s.buf == nil {
		s.buf = scratch.Get().(*buffers)
	}
	i := s.i
	s.i++
	if err := s.buf.load(s.b, i); err != nil {
		return nil, err
	}
	if err := s.buf.decode(s.b, i); err != nil {
		return nil, err
	}
	return s.buf.decoded, nil
}

func (s *serial) stop() {
	if s.buf != nil {
		s.buf.release()
		s.buf = nil
	}
}

// parallel decodes ahead. One goroutine loads the blocks in order and starts a
// decoder for each; the queue keeps the order, and as there are only so many
// jobs, what is in flight is bounded.
type parallel struct {
	b     Blocks
	queue chan *job // in order; closed after the last
	free  chan *job
	quit  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup
	last  *job
	err   error // of loading; valid once queue is closed
}

type job struct {
	buffers
	i    int
	err  error
	done chan struct{}
}

func newParallel(b Blocks) *parallel {
	n := min(2*runtime.GOMAXPROCS(0), b.Len(), window/max(b.Size(0), 1))
	return &parallel{b: b, queue: make(chan *job, n), free: make(chan *job, n), quit: make(chan struct{})}
}

func (p *parallel) start() {
	p.once.Do(func() {
		for range cap(p.free) {
			p.free <- &job{}
		}
		p.wg.Go(p.produce)
	})
}

func (p *parallel) produce() {
	defer close(p.queue)
	for i := range p.b.Len() {
		var j *job
		select {
		case j = <-p.free:
		case <-p.quit:
			return
		}
		if p.err = j.load(p.b, i); p.err != nil {
			return
		}
		j.i, j.done = i, make(chan struct{})
		p.wg.Go(func() {
			defer close(j.done)
			j.err = j.decode(p.b, j.i)
		})
		p.queue <- j // never blocks: it holds as many as there are jobs
	}
}

func (p *parallel) block() ([]byte, error) {
	p.start()
	if p.last != nil {
		p.free <- p.last
		p.last = nil
	}
	j, more := <-p.queue
	if !more {
		if p.err != nil {
			return nil, p.err
		}
		return nil, io.EOF
	}
	<-j.done
	p.last = j
	if j.err != nil {
		return nil, j.err
	}
	return j.decoded, nil
}

func (p *parallel) stop() {
	p.once.Do(func() {}) // never start after this
	select {
	case <-p.quit:
	default:
		close(p.quit)
	}
	p.wg.Wait()
}
