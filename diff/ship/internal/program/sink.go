package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"pakdb/internal/atomicfile"
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
	bufAt int64 // bytes after the last written one wait in buf
	unit  seal
	watch *stored.Progress
	spare []byte // for the maker of the output
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

// writeStored appends bytes that are as they will be in the file.
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
// is may have to be cut, and those after it moved.
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

// spoolMemory is how much a spool holds in memory, unless all of it will go to its
// file in the end, and spoolPage how much of that is one piece.
const (
	spoolMemory = 16 << 20
	spoolPage   = 256 << 10
)

// Part is bytes that virtual files consist of: a file, or a spool. Parts are
// distinguished by their addresses.
type Part struct {
	io.ReaderAt
	File *os.File // that it is, if it is known
}

// Spool keeps what was made until it is known where it goes: in memory, or past
// spoolMemory in a file, from its byte head on.
type Spool struct {
	*Part
	Size   int64
	Limit  int64    // of what is in memory
	mem    [][]byte // pages, all but the last full
	Head   []byte   // what the file starts with
	Create func() (SpoolFile, error)
	F      SpoolFile
}

// SpoolFile is one of a folder, or one without a name.
type SpoolFile interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
}

// NewSpool returns an empty spool. Once it outgrows memory it moves to the file
// that create returns, after head.
func NewSpool(head string, create func() (SpoolFile, error)) *Spool {
	s := &Spool{Head: []byte(head), Create: create, Limit: spoolMemory}
	s.Part = &Part{ReaderAt: (*spoolReader)(s)}
	return s
}

// TempSpool spills into a file without a name.
func TempSpool() *Spool {
	return NewSpool("", func() (SpoolFile, error) {
		f, err := atomicfile.NewScratch("")
		if err != nil {
			return nil, err
		}
		return f, nil
	})
}

// spoolReader reads a spool; the spool's own ReadAt is its part's.
type spoolReader Spool

func (r *spoolReader) ReadAt(p []byte, off int64) (int, error) {
	s := (*Spool)(r)
	if off < 0 || off >= s.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.Size-off))
	if s.F == nil {
		s.inPages(p[:n], off, func(p, page []byte) { copy(p, page) })
	} else if err := stored.ReadAt(s.F, p[:n], int64(len(s.Head))+off); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Store appends, and returns where.
func (s *Spool) Store(p []byte) (int64, error) {
	off := s.Size
	if s.F == nil && s.Size+int64(len(p)) > s.Limit {
		if err := s.Spill(); err != nil {
			return 0, err
		}
	}
	if s.F == nil {
		s.keep(p)
	} else if _, err := s.F.WriteAt(p, int64(len(s.Head))+off); err != nil {
		return 0, err
	}
	s.Size += int64(len(p))
	return off, nil
}

// patch replaces what was stored.
func (s *Spool) patch(p []byte, off int64) error {
	if s.F == nil {
		s.inPages(p, off, func(p, page []byte) { copy(page, p) })
		return nil
	}
	_, err := s.F.WriteAt(p, int64(len(s.Head))+off)
	return err
}

// Spill moves everything into the file.
func (s *Spool) Spill() (err error) {
	if s.F != nil {
		return nil
	}
	f, err := s.Create()
	if err != nil {
		return err
	}
	s.F = f
	_, err = f.Write(s.Head)
	for _, page := range s.mem {
		if err == nil {
			_, err = f.Write(page)
		}
	}
	s.mem = nil
	return err
}

// keep appends to the pages.
func (s *Spool) keep(p []byte) {
	for len(p) > 0 {
		k := len(s.mem) - 1
		if k < 0 || len(s.mem[k]) == spoolPage {
			s.mem = append(s.mem, make([]byte, 0, spoolPage))
			k++
		}
		n := min(len(p), spoolPage-len(s.mem[k]))
		s.mem[k] = append(s.mem[k], p[:n]...)
		p = p[n:]
	}
}

// inPages passes on the parts of pages that p, which begins at off, is over.
func (s *Spool) inPages(p []byte, off int64, do func(p, page []byte)) {
	for len(p) > 0 {
		page := s.mem[off/spoolPage][off%spoolPage:]
		n := min(len(p), len(page))
		do(p[:n], page[:n])
		p, off = p[n:], off+int64(n)
	}
}

// Close closes the file. Its creator removes it, unless it has no name.
func (s *Spool) Close() error {
	if s.F == nil {
		return nil
	}
	err := s.F.Close()
	s.F, s.Size = nil, 0
	return err
}

// Run says that n bytes of a virtual file, from at on, are at off of a part.
type Run struct {
	At, N int64
	Src   *Part
	Off   int64
}

// End returns the offset after the run.
func (r *Run) End() int64 { return r.At + r.N }

// Virtual is a file that need not be written to be read: runs of parts, one
// after the other. What is copied is not moved, and what is made goes to a
// spool. It is the output of a [Machine].
type Virtual struct {
	Runs  []Run
	Spool *Spool
}

// Size returns where the file ends so far.
func (v *Virtual) Size() int64 {
	if len(v.Runs) == 0 {
		return 0
	}
	return v.Runs[len(v.Runs)-1].End()
}

// Add appends n bytes of a part.
func (v *Virtual) Add(src *Part, off, n int64) {
	if n == 0 {
		return
	}
	if k := len(v.Runs) - 1; k >= 0 && v.Runs[k].Src == src && v.Runs[k].Off+v.Runs[k].N == off {
		v.Runs[k].N += n
		return
	}
	v.Runs = append(v.Runs, Run{v.Size(), n, src, off})
}

// CopyFrom appends bytes of a part, or of another virtual file: then of the parts
// that it consists of. False: of anything else it cannot.
func (v *Virtual) CopyFrom(src io.ReaderAt, off, n int64) bool {
	switch src := src.(type) {
	case *Part:
		v.Add(src, off, n)
	case *Virtual:
		src.each(off, n, func(r Run) { v.Add(r.Src, r.Off, r.N) })
	default:
		return false
	}
	return true
}

// find returns the run that holds a byte.
func (v *Virtual) find(off int64) int {
	return sort.Search(len(v.Runs), func(i int) bool { return v.Runs[i].End() > off })
}

// each passes on the runs of n bytes from off on, cut to them.
func (v *Virtual) each(off, n int64, do func(r Run)) {
	for i := v.find(off); i < len(v.Runs) && v.Runs[i].At < off+n; i++ {
		do(v.Runs[i].Cut(off, off+n))
	}
}

// Cut is what of a run lies between two places.
func (r Run) Cut(from, to int64) Run {
	from, to = max(r.At, from), min(r.End(), to)
	return Run{from, to - from, r.Src, r.Off + from - r.At}
}

// StandsAt returns where in a part all of n bytes lie, one after the other.
func (v *Virtual) StandsAt(src *Part, off, n int64) (int64, bool) {
	i := v.find(off)
	if i == len(v.Runs) || v.Runs[i].Src != src || n > v.Runs[i].End()-off {
		return 0, false
	}
	return v.Runs[i].Off + off - v.Runs[i].At, true
}

// holds reports that n bytes are in the spool, where they can be replaced.
func (v *Virtual) holds(off, n int64) bool {
	_, ok := v.StandsAt(v.Spool.Part, off, n)
	return ok
}

// ReadAt implements io.ReaderAt.
func (v *Virtual) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, io.EOF
	}
	v.each(off, int64(len(p)), func(r Run) {
		if err == nil {
			at := r.At - off
			err = stored.ReadAt(r.Src, p[at:at+r.N], r.Off)
			n += int(r.N)
		}
	})
	switch {
	case err != nil:
		return 0, err
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// WriteAt appends what is made, or replaces bytes that are there.
func (v *Virtual) WriteAt(p []byte, off int64) (int, error) {
	size := v.Size()
	if off < 0 || off > size || off < size && int64(len(p)) > size-off {
		return 0, fmt.Errorf("write of %d bytes at %d of %d", len(p), off, size)
	}
	if off < size {
		return len(p), v.replace(p, off)
	}
	at, err := v.Spool.Store(p)
	v.Add(v.Spool.Part, at, int64(len(p)))
	return len(p), err
}

// replace changes bytes: in the spool, or by cutting the runs that they are in.
func (v *Virtual) replace(p []byte, off int64) error {
	n := int64(len(p))
	if at, ok := v.StandsAt(v.Spool.Part, off, n); ok {
		return v.Spool.patch(p, at)
	}
	at, err := v.Spool.Store(p)
	if err != nil {
		return err
	}
	size := v.Size()
	behind := Virtual{}
	v.each(off+n, size-off-n, func(r Run) { behind.Add(r.Src, r.Off, r.N) })
	i := v.find(off)
	before := v.Runs[i].Cut(0, off)
	v.Runs = v.Runs[:i]
	v.Add(before.Src, before.Off, before.N)
	v.Add(v.Spool.Part, at, n)
	for _, r := range behind.Runs {
		v.Add(r.Src, r.Off, r.N)
	}
	return nil
}
