package retropak

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
	"pakdb/internal/bin"
)

// maxSegment is the longest that a segment can be: a length of 16 bits with a
// sign, and as many bytes.
const maxSegment = 2 + 0x8000

// workspaces has the memory of decoders, for all archives: a pool in an archive would keep
// that after Close.
var workspaces = sync.Pool{New: func() any { return &workspace{in: bufio.NewReaderSize(nil, maxSegment)} }}

// release gives the memory back, without what was read by it.
func (ws *workspace) release() {
	ws.in.Reset(nil)
	ws.seg, ws.zlib.src = segments{}, nil
	workspaces.Put(ws)
}

// workspace is what decoding one block at a time needs.
type workspace struct {
	in   *bufio.Reader
	seg  segments
	zlib inflater
	out  [maxSegment]byte
}

// decoder returns a decoder of b, which src holds. It is valid until the next.
func (ws *workspace) decoder(src *io.SectionReader, b codecs.Block) decoder {
	ws.in.Reset(src)
	start, err := ws.in.Peek(int(min(b.Stored, 2)))
	if err == nil && sniff(start) == compress.Zlib {
		ws.zlib.reset(ws.in, src, b)
		return &ws.zlib
	}
	ws.seg = segments{in: ws.in, buf: ws.out[:], off: b.Offset, left: b.Size}
	return &ws.seg
}

// segments decodes segments until size is reached: what follows is fill, whose
// 0xFFFF would read as one more segment of one byte.
type segments struct {
	in   *bufio.Reader
	buf  []byte
	out  []byte // decoded and not yet read, in buf
	off  int64  // of the next segment
	left int64  // decoded bytes of segments to come
}

func (s *segments) where() (string, int64) { return "segment", s.off }
func (s *segments) end() int64             { return s.off }

func (s *segments) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.out) == 0 {
		if s.left == 0 {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

func (s *segments) next() error {
	head, err := s.in.Peek(2)
	if err != nil {
		return s.truncated(err)
	}
	length := int64(int16(binary.BigEndian.Uint16(head)))
	stored, err := s.in.Peek(2 + int(max(length, -length)))
	if err != nil {
		return s.truncated(err)
	}
	size := min(s.left, lzo.SegmentSize)
	if length < 0 {
		size = min(s.left, -length) // copied; may have any size
	}
	out := s.buf[:size]
	if _, err := lzo.DecodeSegmented(out, stored); err != nil {
		return s.corrupt(fmt.Errorf("%v: %w", compress.LZO1X, err))
	}
	_, _ = s.in.Discard(len(stored))
	s.out = out
	s.left -= size
	s.off += int64(len(stored))
	return nil
}

func (s *segments) corrupt(err error) error {
	off := s.off
	var at *lzo.Error
	if errors.As(err, &at) {
		off += int64(at.Off)
	}
	return &atField{"segment", off, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)}
}

func (s *segments) truncated(err error) error {
	if err == io.EOF {
		return codecs.Errorf(codecs.ErrTruncated, "the block ends in it, %d decoded bytes before its end", s.left)
	}
	return err
}

// inflater decodes one zlib stream. It is that of the standard library: another, half as fast
// again, took codes that a damaged stream leaves empty from the stream before.
type inflater struct {
	in    *bufio.Reader
	src   *io.SectionReader
	start int64
	z     io.ReadCloser
	err   error
}

// reset starts a stream. Its errors come with the first Read.
func (f *inflater) reset(in *bufio.Reader, src *io.SectionReader, b codecs.Block) {
	f.in, f.src, f.start = in, src, b.Offset
	if f.z == nil {
		f.z, f.err = zlib.NewReader(in)
	} else {
		f.err = f.z.(zlib.Resetter).Reset(in, nil)
	}
}

func (f *inflater) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, classifyZlib(f.err)
	}
	n, err := f.z.Read(p)
	return n, classifyZlib(err)
}

func (f *inflater) where() (string, int64) { return "zlib stream", f.start }

func (f *inflater) end() int64 {
	pos, _ := f.src.Seek(0, io.SeekCurrent)
	return f.start + pos - int64(f.in.Buffered())
}

// classifyZlib distinguishes damage from a failing disk.
func classifyZlib(err error) error {
	var bad flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return codecs.Errorf(codecs.ErrTruncated, "the block ends in it")
	case errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrDictionary), errors.As(err, &bad):
		return codecs.Errorf(codecs.ErrCorrupt, "%v", err)
	}
	return err
}

// peekSize is how much of a compressed entry is looked at: a table of three
// blocks and the start of the first.
const peekSize = 64

// The sizes of the window that a peeker reads: small where entries lie far
// apart, growing where they lie close.
const (
	minWindow = 512
	maxWindow = 64 << 10
)

// peeker reads the starts of entries, which mostly come in the order of the
// file, in few system calls and without reading the entries themselves. It is
// not safe for concurrent use.
type peeker struct {
	src  codecs.Source
	off  int64
	win  []byte
	next int64 // size of the next window
	buf  []byte
}

func newPeeker(a *archive) *peeker { return &peeker{src: a.src, next: minWindow} }

// at returns n bytes at off, valid until the next call.
func (p *peeker) at(off, n int64) ([]byte, error) {
	if err := bin.Range(off, n, p.src.Size); err != nil {
		return nil, err
	}
	if off < p.off || off+n > p.off+int64(len(p.win)) {
		if err := p.read(off, n); err != nil {
			return nil, err
		}
	}
	return p.win[off-p.off:][:n], nil
}

// read moves the window. Where the disk fails after the bytes that are asked
// for, those are read alone.
func (p *peeker) read(off, n int64) error {
	end := p.off + int64(len(p.win))
	if p.next = min(2*p.next, maxWindow); off < p.off || off > end+p.next {
		p.next = minWindow
	}
	size := min(max(n, p.next), p.src.Size-off)
	if int64(cap(p.buf)) < size {
		p.buf = make([]byte, size)
	}
	p.off, p.win = off, p.buf[:size]
	if bin.Fill(p.src, p.win, off) == nil {
		return nil
	}
	p.win = p.buf[:n]
	err := bin.Fill(p.src, p.win, off)
	if err != nil {
		p.win = nil
	}
	return err
}
