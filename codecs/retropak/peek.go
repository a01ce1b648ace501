package retropak

import (
	"pakdb/codecs"
	"pakdb/internal/bin"
)

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

// read moves the window. Where the disk fails behind the bytes that are asked
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
