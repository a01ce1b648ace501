package unrealpak

import "io"

// flushAt is how much is gathered before it is written.
const flushAt = 1 << 20

// output collects what is written, so that the record before a small payload
// can be completed in memory once the payload is known.
type output struct {
	ws     io.WriteSeeker
	origin int64 // where the pak starts in ws
	buf    []byte
	base   int64 // offset of buf within the pak
}

func newOutput(ws io.WriteSeeker) (*output, error) {
	origin, err := ws.Seek(0, io.SeekCurrent)
	return &output{ws: ws, origin: origin}, err
}

// pos is the offset of the next byte within the pak.
func (o *output) pos() int64 { return o.base + int64(len(o.buf)) }

func (o *output) Write(p []byte) (int, error) {
	o.buf = append(o.buf, p...)
	if len(o.buf) < flushAt {
		return len(p), nil
	}
	return len(p), o.flush()
}

func (o *output) flush() error {
	n, err := o.ws.Write(o.buf)
	if err == nil && n < len(o.buf) {
		err = io.ErrShortWrite
	}
	o.base += int64(len(o.buf))
	o.buf = o.buf[:0]
	return err
}

// zeros writes n zero bytes.
func (o *output) zeros(n int64) error {
	var page [4096]byte
	for n > 0 {
		k := min(n, int64(len(page)))
		if _, err := o.Write(page[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// patch replaces bytes that were written before.
func (o *output) patch(off int64, p []byte) error {
	if off >= o.base {
		copy(o.buf[off-o.base:], p)
		return nil
	}
	if err := o.flush(); err != nil {
		return err
	}
	if _, err := o.ws.Seek(o.origin+off, io.SeekStart); err != nil {
		return err
	}
	if _, err := o.ws.Write(p); err != nil {
		return err
	}
	_, err := o.ws.Seek(o.origin+o.base, io.SeekStart)
	return err
}
