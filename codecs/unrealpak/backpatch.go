// The writer of archives whose earlier bytes are completed later: the
// record before a payload, once the payload is known.

package unrealpak

import "io"

// flushAt is how much is gathered before it is written.
const flushAt = 1 << 20

// backpatchWriter collects what is written, so that most patches are made in memory.
type backpatchWriter struct {
	ws     io.WriteSeeker
	origin int64 // where the archive starts in ws
	buf    []byte
	base   int64 // offset of buf within the archive
}

// backpatchNew returns a Writer to ws, in which the archive starts where ws stands.
func backpatchNew(ws io.WriteSeeker) (*backpatchWriter, error) {
	origin, err := ws.Seek(0, io.SeekCurrent)
	return &backpatchWriter{ws: ws, origin: origin}, err
}

// Pos is the offset of the next byte within the archive.
func (w *backpatchWriter) Pos() int64 { return w.base + int64(len(w.buf)) }

// Write implements io.Writer.
func (w *backpatchWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if len(w.buf) < flushAt {
		return len(p), nil
	}
	return len(p), w.Flush()
}

// Flush writes what was collected.
func (w *backpatchWriter) Flush() error {
	n, err := w.ws.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.base += int64(len(w.buf))
	w.buf = w.buf[:0]
	return err
}

// Zeros writes n zero bytes.
func (w *backpatchWriter) Zeros(n int64) error {
	var page [4096]byte
	for n > 0 {
		k := min(n, int64(len(page)))
		if _, err := w.Write(page[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// Patch replaces bytes that were written before.
func (w *backpatchWriter) Patch(off int64, p []byte) error {
	if off >= w.base {
		copy(w.buf[off-w.base:], p)
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := w.ws.Seek(w.origin+off, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.ws.Write(p); err != nil {
		return err
	}
	_, err := w.ws.Seek(w.origin+w.base, io.SeekStart)
	return err
}
