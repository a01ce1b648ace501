package program

import (
	"context"
	"errors"
	"io"

	"pakdb/internal/stored"
)

// Output is a new file that is being written.
type Output interface {
	io.ReaderAt
	io.WriterAt
}

// FlushSize is how much output is written at once.
const FlushSize = 256 << 10

// sink appends to an output, through what encrypts it.
type sink struct {
	to    Output
	size  int64 // that the output will have
	pos   int64 // where it ends so far
	buf   []byte
	bufAt int64 // bytes behind the last written one wait in buf
	unit  seal
	watch *stored.Progress
	spare []byte // for whoever makes output
}

func (s *sink) begin(to Output, size, pos int64, watch *stored.Progress) {
	s.to, s.size, s.pos, s.bufAt, s.watch = to, size, pos, pos, watch
	s.buf = s.buf[:0]
}

// write appends to the output, up to the declared size.
func (s *sink) write(p []byte) error {
	if err := s.hasRoom(int64(len(p))); err != nil {
		return err
	}
	s.pos += int64(len(p))
	s.watch.Add(int64(len(p)))
	if s.unit.key != nil {
		p = s.unit.add(p)
	}
	return s.writeStored(p)
}

// hasRoom refuses n bytes that are more than the declared size admits.
func (s *sink) hasRoom(n int64) error {
	if n > s.size-s.pos {
		return corrupt("more than %d bytes of output", s.size)
	}
	return nil
}

// writeStored appends bytes that are as they will stand in the file.
func (s *sink) writeStored(p []byte) error {
	if len(s.buf)+len(p) > FlushSize {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if len(p) >= FlushSize {
		_, err := s.to.WriteAt(p, s.bufAt)
		s.bufAt += int64(len(p))
		return err
	}
	s.buf = append(s.buf, p...)
	return nil
}

// flush writes what waits in the buffer.
func (s *sink) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.to.WriteAt(s.buf, s.bufAt)
	s.bufAt += int64(len(s.buf))
	s.buf = s.buf[:0]
	return err
}

// fillBlock completes the AES block that is being written.
func (s *sink) fillBlock() error {
	if s.unit.key == nil {
		return nil
	}
	return s.write(s.unit.padding())
}

// zeros appends n of them.
func (s *sink) zeros(n int64) (err error) {
	if n == 0 {
		return nil
	}
	p := s.scratch(FlushSize)
	clear(p)
	for n > 0 && err == nil {
		err = s.write(p[:min(n, FlushSize)])
		n -= min(n, FlushSize)
	}
	return err
}

// copyOwn appends n bytes of the output itself, from off on, of which the last may be
// its first.
func (s *sink) copyOwn(ctx context.Context, off, n int64) error {
	if s.pos-off < FlushSize {
		return s.repeat(ctx, off, n)
	}
	for n > 0 {
		if err := errors.Join(ctx.Err(), s.flush()); err != nil {
			return err
		}
		p := s.scratch(FlushSize)[:min(n, FlushSize)]
		if err := stored.ReadAt(s.to, p, off); err != nil {
			return err
		}
		if err := s.write(p); err != nil {
			return err
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// repeat writes the end of the output, from off on, again and again.
func (s *sink) repeat(ctx context.Context, off, n int64) error {
	k := int(s.pos - off)
	p := s.scratch(FlushSize)[:FlushSize-FlushSize%k]
	if err := errors.Join(s.flush(), stored.ReadAt(s.to, p[:k], off)); err != nil {
		return err
	}
	for ; k < len(p); k *= 2 {
		copy(p[k:], p[:k])
	}
	for n > 0 {
		q := p[:min(n, int64(len(p)))]
		if err := errors.Join(ctx.Err(), s.write(q)); err != nil {
			return err
		}
		n -= int64(len(q))
	}
	return nil
}

// virtualCopy appends bytes of a file without moving them, if the output can.
func (s *sink) virtualCopy(src io.ReaderAt, off, n int64) (bool, error) {
	v, ok := s.to.(*Virtual)
	if !ok {
		return false, nil
	}
	if err := s.flush(); err != nil || !v.CopyFrom(src, off, n) {
		return false, err
	}
	s.watch.Add(n)
	s.pos, s.bufAt = s.pos+n, s.bufAt+n
	return true, nil
}

// replace replaces output that is written. In a virtual file, a run in which that
// is may have to be cut, and those behind it moved.
func (s *sink) replace(p []byte, at int64, w *work) error {
	if v, ok := s.to.(*Virtual); ok && !v.holds(at, int64(len(p))) {
		if err := w.spend(itemCost * int64(len(v.Runs))); err != nil {
			return err
		}
	}
	_, err := s.to.WriteAt(p, at)
	return err
}

// scratch returns room for n bytes, which the next call gives to somebody else.
func (s *sink) scratch(n int) []byte {
	if cap(s.spare) < n {
		s.spare = make([]byte, n)
	}
	return s.spare[:n]
}
