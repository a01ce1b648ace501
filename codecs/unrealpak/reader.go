package unrealpak

import (
	"errors"
	"io"
	"runtime"
	"strconv"
	"sync"

	"pakdb/codecs/compress"
)

// serialUnits is the number of units up to which decoding ahead is not worth
// starting goroutines.
const serialUnits = 3

// window bounds what is decoded ahead of a reader, in bytes.
const window = 8 << 20

func (c *content) reader() io.ReadCloser {
	switch {
	case c.rec.method == 0 && !c.rec.encrypted():
		return &storedReader{c: c}
	case c.units <= serialUnits || c.decodedLen(0) > window/2 || runtime.GOMAXPROCS(0) == 1:
		return &unitReader{c: c, next: &serial{c: c}}
	}
	return &unitReader{c: c, next: newAhead(c)}
}

// fail names the entry in err; errors of a context stay as they are.
func (c *content) fail(err error) error {
	if err == nil || isCancelled(err) {
		return err
	}
	return c.a.error(c.a.label(c.ordinal), err)
}

// storedReader reads plain stored entries straight into the caller's buffer.
type storedReader struct {
	c   *content
	err error
}

func (r *storedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n := min(int64(len(p)), r.c.rec.size-r.c.pos)
	if err := r.c.read(p[:n]); err != nil {
		r.err = r.c.fail(err)
		return 0, r.err
	}
	if r.c.pos == r.c.rec.size {
		if r.err = r.c.fail(r.c.verify()); r.err == nil {
			r.err = io.EOF
		}
	}
	if n > 0 {
		return int(n), nil // the verdict comes with the next Read
	}
	return 0, r.err
}

func (r *storedReader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	r.c.release()
	return nil
}

// units yields the decoded units of a content in order, io.EOF after the last
// once the SHA-1 has been compared. A slice is valid until the next call.
type units interface {
	unit() ([]byte, error)
	stop()
}

// unitReader reads what units yields.
type unitReader struct {
	c    *content
	next units
	left []byte
	err  error
}

func (r *unitReader) Read(p []byte) (int, error) {
	for len(r.left) == 0 && r.err == nil {
		if err := r.c.ctx.Err(); err != nil {
			r.err = err
			break
		}
		if r.left, r.err = r.next.unit(); r.err != io.EOF {
			r.err = r.c.fail(r.err)
		}
	}
	if len(r.left) == 0 {
		return 0, r.err
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

func (r *unitReader) Close() error {
	r.next.stop()
	if r.err == nil {
		r.err = errClosed
	}
	r.left = nil
	r.c.release()
	return nil
}

var errClosed = errors.New("read after Close")

// buffers are what reading an entry needs: the record and the start of the
// payload, and a unit as stored and decoded.
type buffers struct{ head, stored, decoded []byte }

// scratch keeps the buffers of small units, so that reading many small entries
// does not allocate for each.
var scratch = sync.Pool{New: func() any { return new(buffers) }}

const maxScratch = 256 << 10

func (b *buffers) release() {
	if max(cap(b.head), cap(b.stored), cap(b.decoded)) <= maxScratch {
		scratch.Put(b)
	}
}

// load reads and decodes unit i.
func (b *buffers) load(c *content, i int) error {
	var err error
	if b.stored, err = c.readStored(i, b.stored); err != nil {
		return err
	}
	b.decoded = grow(b.decoded, int(c.decodedLen(i)))
	return c.decode(i, b.decoded, b.stored)
}

// serial decodes one unit at a time.
type serial struct {
	c *content
	i int
}

func (s *serial) unit() ([]byte, error) {
	if s.i == s.c.units {
		if err := s.c.verify(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	s.i++
	if err := s.c.buf.load(s.c, s.i-1); err != nil {
		return nil, err
	}
	return s.c.buf.decoded, nil
}

func (s *serial) stop() {}

// ahead decodes units in parallel. One goroutine reads and hashes the stored
// bytes in order and starts a decoder for each unit; the queue keeps the order,
// and as there are only so many jobs, what is in flight is bounded.
type ahead struct {
	c     *content
	queue chan *job // in order; closed after the last
	free  chan *job
	quit  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup
	last  *job
	err   error // of the producer; valid once queue is closed
}

type job struct {
	buffers
	i    int
	err  error
	done chan struct{}
}

func newAhead(c *content) *ahead {
	n := min(2*runtime.GOMAXPROCS(0), c.units, int(window/max(c.decodedLen(0), 1)))
	return &ahead{c: c, queue: make(chan *job, n), free: make(chan *job, n), quit: make(chan struct{})}
}

// start runs the producer with the first Read, so that opening costs nothing.
func (a *ahead) start() {
	a.once.Do(func() {
		for range cap(a.free) {
			a.free <- &job{}
		}
		a.wg.Go(a.produce)
	})
}

func (a *ahead) produce() {
	defer close(a.queue)
	for i := range a.c.units {
		var j *job
		select {
		case j = <-a.free:
		case <-a.quit:
			return
		}
		if j.stored, a.err = a.c.readStored(i, j.stored); a.err != nil {
			return
		}
		j.i, j.done = i, make(chan struct{})
		a.wg.Go(func() { j.run(a.c) })
		a.queue <- j // never blocks: it holds as many as there are jobs
	}
	a.err = a.c.verify()
}

func (j *job) run(c *content) {
	defer close(j.done)
	j.decoded = grow(j.decoded, int(c.decodedLen(j.i)))
	j.err = c.decode(j.i, j.decoded, j.stored)
}

func (a *ahead) unit() ([]byte, error) {
	a.start()
	if a.last != nil {
		a.free <- a.last
		a.last = nil
	}
	j, more := <-a.queue
	if !more {
		if a.err != nil {
			return nil, a.err
		}
		return nil, io.EOF
	}
	<-j.done
	a.last = j
	return j.decoded, j.err
}

func (a *ahead) stop() {
	a.once.Do(func() {}) // never start after this
	select {
	case <-a.quit:
	default:
		close(a.quit)
	}
	a.wg.Wait()
}

func isCorrupt(err error) bool { return errors.Is(err, compress.ErrCorrupt) }

func blockField(i int) string { return "blocks[" + strconv.Itoa(i) + "]" }
