package unrealpak

import (
	"bytes"
	"io"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
)

// Reader returns the content as it was, after Encode. A large one is decoded for that:
// few are stored in the end, and to keep them all would take as much memory again.
func (c *blockContent) Reader() io.Reader {
	if c.rest == nil {
		return bytes.NewReader(c.first.Bytes())
	}
	return &decoder{c: c}
}

type decoder struct {
	c            *blockContent
	next         int    // block
	plain, coded []byte // of the block before it
	left         []byte // of plain, not read yet
}

func (d *decoder) Read(p []byte) (int, error) {
	if len(d.left) == 0 {
		if d.next == len(d.c.Blocks) {
			return 0, io.EOF
		}
		if err := d.decode(); err != nil {
			return 0, err
		}
	}
	n := copy(p, d.left)
	d.left = d.left[n:]
	return n, nil
}

func (d *decoder) decode() error {
	b, o := d.c.Blocks[d.next], d.c.opt
	n := b.end - b.start
	stored := n
	if o.Cipher != nil {
		stored = (n + aes256.Block - 1) / aes256.Block * aes256.Block
	}
	d.coded = slices.Grow(d.coded[:0], int(stored))[:stored]
	if _, err := d.c.coded.ReadAt(d.coded, b.start); err != nil && err != io.EOF {
		return err
	}
	if o.Cipher != nil {
		aes256.DecryptECB(o.Cipher, d.coded)
	}
	size := int(min(int64(o.Size), d.c.Size-int64(d.next)*int64(o.Size)))
	d.plain = slices.Grow(d.plain[:0], size)[:size]
	d.left = d.plain
	d.next++
	return compress.Decode(o.Method, d.plain, d.coded[:n])
}
