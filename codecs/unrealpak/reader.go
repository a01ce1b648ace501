package unrealpak

import (
	"crypto/sha1"
	"errors"
	"hash"
	"io"
	"strconv"
	"sync"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
)

func (c *content) reader() io.ReadCloser {
	if c.rec.method == 0 && !c.rec.encrypted() {
		return &storedReader{c: c}
	}
	return &unitReader{c: c, r: spool.NewAhead(c.ctx, c)}
}

// fail names the entry in err; errors of a context stay as they are.
func (c *content) fail(err error) error {
	if err == nil || isCancelled(err) {
		return err
	}
	return c.a.error(c.a.label(c.ordinal), err)
}

// end is what a reader ends with after the last unit: io.EOF if the payload has
// its SHA-1.
func (c *content) end() error {
	if err := c.verify(); err != nil {
		return c.fail(err)
	}
	return io.EOF
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
		r.err = r.c.end()
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

// unitReader reads what is compressed or encrypted.
type unitReader struct {
	c   *content
	r   *spool.Ahead
	err error
}

func (r *unitReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		r.err = r.c.end()
	case err != nil:
		r.err = r.c.fail(err)
	}
	return n, r.err
}

func (r *unitReader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	err := r.r.Close() // waits for those who read from what is released next
	r.c.release()
	return err
}

var errClosed = errors.New("read after Close")

// scratch is what an open entry needs and the next one can use again, so that
// reading many small entries does not allocate for each.
type scratch struct {
	head []byte // the record, and what follows it
	sum  hash.Hash
	sha1 [sha1.Size]byte
}

var scratches = sync.Pool{New: func() any { return &scratch{sum: sha1.New()} }}

const maxHead = 256 << 10 // larger buffers are not kept

func isCorrupt(err error) bool { return errors.Is(err, compress.ErrCorrupt) }

func blockField(i int) string { return "blocks[" + strconv.Itoa(i) + "]" }
