package retropak

import (
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// maxBlocks bounds the block table of one entry. Real ones have up to three
// blocks: header, palette, image.
const maxBlocks = 1024

// describe fills in Size, Method and Blocks of a compressed entry from its
// first bytes.
func describe(a *archive, e *codecs.Entry, p *peeker) error {
	head, err := p.at(e.Offset, min(e.Stored, peekSize))
	if err != nil {
		return err
	}
	r := bin.NewReader(head, e.Offset, binary.BigEndian)
	if a.cmpd {
		err = describeBlocks(a, e, r, p)
	} else {
		err = describeStream(e, r)
	}
	if err != nil {
		return err
	}
	for _, b := range e.Blocks {
		e.Size += b.Size
	}
	return nil
}

// describeStream reads the form of Metroid Prime 1 and 2: the decoded size and
// one stream. The block's stored size includes the fill after it.
func describeStream(e *codecs.Entry, r *bin.Reader) error {
	off := r.Off()
	b := codecs.Block{Size: int64(r.U32())}
	b.Offset, b.Stored = r.Off(), e.Stored-(r.Off()-off)
	if r.Err() == nil {
		e.Method = sniff(r.Bytes(min(2, r.Len())))
	}
	if err := r.Err(); err != nil {
		return err
	}
	e.Blocks = []codecs.Block{b}
	return reachable(b, off)
}

// describeBlocks reads a CMPD table: flag and sizes of each block, then the
// blocks. Flags are decoration: readers of the game's own files ignore them.
func describeBlocks(a *archive, e *codecs.Entry, r *bin.Reader, p *peeker) error {
	if magic := string(r.Bytes(4)); magic != "CMPD" && r.Err() == nil {
		return &atField{"CMPD", e.Offset, codecs.Errorf(codecs.ErrCorrupt, "compressed, but starts with %q", magic)}
	}
	n := int64(r.U32())
	if err := r.Err(); err != nil {
		return err
	}
	if n > maxBlocks {
		return &atField{"block count", e.Offset + 4, codecs.Errorf(codecs.ErrLimit, "%d > %d", n, maxBlocks)}
	}
	if n*8 > e.Stored-8 {
		return &atField{"block count", e.Offset + 4, codecs.Errorf(codecs.ErrCorrupt, "%d, in an entry of %d bytes", n, e.Stored)}
	}
	if n*8 > int64(r.Len()) {
		table, err := bin.Section(a.src, r.Off(), n*8, a.src.Size, 8*maxBlocks)
		if err != nil {
			return err
		}
		r = bin.NewReader(table, r.Off(), binary.BigEndian)
	}
	return readBlocks(e, r, p, int(n))
}

func readBlocks(e *codecs.Entry, r *bin.Reader, p *peeker, n int) error {
	next := r.Off() + 8*int64(n)
	left := e.Offset + e.Stored - next
	e.Blocks = make([]codecs.Block, 0, n) // never nil: nil is an entry that is not compressed
	for range n {
		off := r.Off()
		b := codecs.Block{Offset: next, Stored: int64(r.U32() & 0xffffff), Size: int64(r.U32())}
		if b.Stored > left {
			return &atField{"block size", off, codecs.Errorf(codecs.ErrCorrupt, "%d bytes, the entry has %d left", b.Stored, left)}
		}
		if err := setMethod(e, b, p); err != nil {
			return err
		}
		if err := reachable(b, off+4); err != nil {
			return err
		}
		e.Blocks = append(e.Blocks, b)
		next += b.Stored
		left -= b.Stored
	}
	return nil
}

// setMethod lets the first compressed block decide the entry's method.
func setMethod(e *codecs.Entry, b codecs.Block, p *peeker) error {
	if e.Method != compress.None || b.Stored == b.Size {
		return nil
	}
	start, err := p.at(b.Offset, min(b.Stored, 2))
	if err != nil {
		return err
	}
	e.Method = sniff(start)
	return nil
}

// reachable refuses a declared size that no stored bytes can decode to. zlib,
// which segments may hold too, has the highest ratio.
func reachable(b codecs.Block, off int64) error {
	if b.Size/compress.MaxRatio(compress.Zlib) <= b.Stored {
		return nil
	}
	return &atField{"decoded size", off, codecs.Errorf(codecs.ErrCorrupt, "%d from %d stored bytes", b.Size, b.Stored)}
}
