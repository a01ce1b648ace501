package retropak

import (
	"context"
	"errors"
	"io"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// content decodes an entry block by block. It holds one segment, or the window
// of zlib, in memory, whatever the entry declares.
type content struct {
	ctx    context.Context
	src    codecs.Source
	e      *codecs.Entry
	exact  bool           // a block's Stored ends with its last byte, and not with the fill
	blocks []codecs.Block // not started
	block  codecs.Block   // started
	cur    decoder        // of block; nil between blocks
	left   int64          // decoded bytes of block to come
	ws     *workspace
	end    int64 // offset after the last stored byte that was used
	err    error
}

// decoder decodes one block. Read returns io.EOF after the last decoded byte,
// once the stream's own checks have passed; other errors are of a class, or of
// the disk.
type decoder interface {
	io.Reader
	// where names the part that is read, for errors.
	where() (field string, off int64)
	// end returns the offset after the last stored byte that was used.
	end() int64
}

var errClosed = errors.New("read after close")

// newContent returns a reader of e, an entry of src as its archive lists it.
func newContent(ctx context.Context, src codecs.Source, e *codecs.Entry) *content {
	c := &content{ctx: ctx, src: src, e: e, blocks: e.Blocks, end: e.Offset}
	if e.Blocks == nil {
		c.blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
	}
	return c
}

func (c *content) Read(p []byte) (int, error) {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	for c.err == nil {
		n, err := c.read(p)
		c.err = err
		if n > 0 || len(p) == 0 {
			return n, nil // an error waits for the next call
		}
	}
	return 0, c.err
}

func (c *content) read(p []byte) (int, error) {
	if c.cur == nil {
		return 0, c.start()
	}
	n, err := c.cur.Read(p[:min(int64(len(p)), c.left)])
	switch c.left -= int64(n); {
	case c.left == 0:
		return n, c.finish()
	case err == io.EOF:
		return n, c.fail(codecs.Errorf(codecs.ErrTruncated, "ends %d bytes early", c.left))
	case err != nil:
		return n, c.fail(err)
	}
	return n, nil
}

// start begins the next block that is not empty, or returns io.EOF.
func (c *content) start() error {
	for len(c.blocks) > 0 {
		c.block, c.blocks = c.blocks[0], c.blocks[1:]
		c.end, c.left = c.block.Offset, c.block.Size
		if c.left > 0 {
			c.cur = c.decoder()
			return nil
		}
	}
	return io.EOF
}

// decoder returns the decoder of the started block. A block of equal sizes is
// stored, unless its stored size includes the fill, as in Metroid Prime 1 and 2.
func (c *content) decoder() decoder {
	b := c.block
	src := io.NewSectionReader(c.src, b.Offset, b.Stored)
	if c.e.Blocks == nil || c.exact && b.Stored == b.Size {
		return storedBlock{src, b}
	}
	if c.ws == nil {
		c.ws = workspaces.Get().(*workspace)
	}
	return c.ws.decoder(src, b)
}

// finish requires that the block ends where its declared size does.
func (c *content) finish() error {
	var more [1]byte
	switch n, err := c.cur.Read(more[:]); {
	case n > 0:
		return c.fail(codecs.Errorf(codecs.ErrCorrupt, "decodes to more than %d bytes", c.block.Size))
	case err != io.EOF:
		return c.fail(err)
	}
	c.end = c.cur.end()
	c.cur = nil
	return nil
}

func (c *content) fail(err error) error {
	field, off := c.cur.where()
	return failure(c.src.Name, c.e.Name, field, off, err)
}

// Close gives the decoder's memory back.
func (c *content) Close() error {
	c.err, c.cur = errClosed, nil
	if c.ws != nil {
		c.ws.release()
		c.ws = nil
	}
	return nil
}

// storedBlock is a block that is not compressed.
type storedBlock struct {
	*io.SectionReader
	b codecs.Block
}

func (s storedBlock) where() (string, int64) { return "stored bytes", s.b.Offset }
func (s storedBlock) end() int64             { return s.b.Offset + s.b.Stored }

// sniff distinguishes a zlib stream from segments by its first two bytes. They cannot
// be confused: a segment of LZO1X is at most 0x4443 bytes long, so its length
// never starts with 0x78.
func sniff(b []byte) compress.Method {
	if len(b) == 2 && b[0] == 0x78 && (uint(b[0])<<8|uint(b[1]))%31 == 0 {
		return compress.Zlib
	}
	return compress.LZO1X
}
