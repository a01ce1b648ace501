package gpak

import (
	"bytes"
	"sync"
)

// large is the size of a buffer above which it is not kept for the next entry.
const large = 4 << 20

// buffers keeps blocks and contents for reuse: an archive of a hundred thousand
// entries would otherwise allocate all of its contents once.
type buffers struct{ pool sync.Pool }

func (b *buffers) get(n int64) *[]byte {
	if buf, ok := b.pool.Get().(*[]byte); ok && int64(cap(*buf)) >= n {
		*buf = (*buf)[:n]
		return buf
	}
	buf := make([]byte, n)
	return &buf
}

func (b *buffers) put(buf *[]byte) {
	if cap(*buf) <= large {
		b.pool.Put(buf)
	}
}

// content reads a decoded entry. Close gives the buffer back, so nothing can be
// read after it.
type content struct {
	bytes.Reader
	buf   *[]byte
	owner *buffers
}

func (c *content) Close() error {
	if c.buf != nil {
		c.Reset(nil)
		c.owner.put(c.buf)
		c.buf = nil
	}
	return nil
}
