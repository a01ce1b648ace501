package codecs

import (
	"context"
	"io"
)

// NewStoredReader returns the content of an entry that is stored as it is: the
// bytes of raw. A read fails with the error of ctx once that is done, and with
// [ErrTruncated] when the file has become shorter than raw. fail makes the
// format's own error of all but the context's; off is the offset in the file.
func NewStoredReader(ctx context.Context, raw *io.SectionReader, fail func(off int64, err error) error) io.ReadCloser {
	return &storedReader{ctx: ctx, raw: raw, fail: fail}
}

type storedReader struct {
	ctx  context.Context // of the entry's Open; a large entry takes long to read
	raw  *io.SectionReader
	fail func(off int64, err error) error
	n    int64 // bytes read
}

func (r *storedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.raw.Read(p)
	r.n += int64(n)
	switch {
	case err == nil || err == io.EOF && r.n >= r.raw.Size():
		return n, err
	case err == io.EOF:
		err = Errorf(ErrTruncated, "%d of %d bytes; did it change?", r.n, r.raw.Size())
	}
	_, off, _ := r.raw.Outer()
	return n, r.fail(off+r.n, err)
}

func (r *storedReader) Close() error { return nil }

// ContextReader returns a Reader of r that fails with the error of ctx once that
// is done.
func ContextReader(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
