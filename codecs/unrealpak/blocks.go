package unrealpak

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/sha1"
	"io"
	"slices"
	"sync"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
	"pakdb/internal/aes256"
)

// blockOptions say how a content is compressed. The number of processors changes nothing of
// what comes out.
type blockOptions struct {
	Method compress.Method
	Fast   bool         // by [compress.EncodeFast]
	Size   int          // of a block, in bytes; the last may be shorter
	Cipher cipher.Block // encrypts each block, padded by the start of the first; nil: none does
}

// blockContent compresses a content block by block on its way into an archive, and gives it
// back as it was when the archive would rather store it. A large content is in memory in parts
// only. The zero value is ready; Reset makes
// it so again and keeps its buffers. It is not safe for concurrent use.
type blockContent struct {
	Blocks []blockRange
	Size   int64           // of the content, in bytes
	Packed int64           // of its blocks, without padding
	Sum    [sha1.Size]byte // SHA-1 of the blocks with padding, as they are stored

	first bytes.Buffer // the content, or how a large one begins
	rest  io.Reader    // of a large one
	coded spool.Spool
	jobs  []job
	opt   blockOptions
}

// Take reads a content. One of more than most bytes is read on by Encode.
func (c *blockContent) Take(r io.Reader, most int64) (whole bool, err error) {
	_, err = io.CopyN(&c.first, r, most+1)
	if err == io.EOF {
		return true, nil
	}
	c.rest = r
	return false, err
}

// InMemory returns how many bytes of the content are in memory.
func (c *blockContent) InMemory() int64 { return int64(c.first.Len()) }

// Encode compresses the content that was taken, as many as parallel blocks at once.
func (c *blockContent) Encode(ctx context.Context, o blockOptions, parallel int) error {
	c.opt = o
	var r io.Reader // of a large one
	if c.rest != nil {
		r = io.MultiReader(bytes.NewReader(c.first.Bytes()), c.rest)
	}
	for len(c.jobs) < parallel {
		c.jobs = append(c.jobs, job{})
	}
	sum := sha1.New()
	var head []byte // of the first block: it pads every one
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch, err := c.read(r, parallel)
		if more = err == nil; !more && err != io.EOF {
			return err
		}
		if err := c.encode(batch); err != nil {
			return err
		}
		for i := range batch {
			coded, at := batch[i].coded, c.coded.Size()
			c.Size += int64(len(batch[i].plain))
			c.Packed += int64(len(coded))
			c.Blocks = append(c.Blocks, blockRange{at, at + int64(len(coded))})
			if o.Cipher != nil {
				if head == nil {
					head = bytes.Clone(coded[:min(len(coded), aes256.Block)])
				}
				coded = aes256.AppendPadding(coded, head, int64(len(coded)))
				aes256.EncryptECB(o.Cipher, coded)
			}
			sum.Write(coded)
			if _, err := c.coded.Write(coded); err != nil {
				return err
			}
		}
	}
	sum.Sum(c.Sum[:0])
	return nil
}

// read takes the next blocks, no more than parallel, from r or from a content that is held
// as a whole: small ones wait by the thousand. It returns io.EOF with the last.
func (c *blockContent) read(r io.Reader, parallel int) ([]job, error) {
	for i := range parallel {
		j := &c.jobs[i]
		if c.rest == nil {
			whole := c.first.Bytes()
			at := min(int(c.Size)+i*c.opt.Size, len(whole))
			if j.plain = whole[at:min(at+c.opt.Size, len(whole))]; len(j.plain) == 0 {
				return c.jobs[:i], io.EOF
			}
			continue
		}
		j.read = slices.Grow(j.read[:0], c.opt.Size)[:c.opt.Size]
		n, err := io.ReadFull(r, j.read)
		j.plain = j.read[:n]
		switch {
		case err == io.ErrUnexpectedEOF:
			return c.jobs[:i+1], io.EOF
		case err != nil:
			return c.jobs[:i], err
		}
	}
	return c.jobs[:parallel], nil
}

// encode compresses blocks beside each other.
func (c *blockContent) encode(batch []job) error {
	if len(batch) == 1 {
		batch[0].encode(c.opt.Method, c.opt.Fast)
		return batch[0].err
	}
	var wg sync.WaitGroup
	for i := range batch {
		wg.Go(func() { batch[i].encode(c.opt.Method, c.opt.Fast) })
	}
	wg.Wait()
	for i := range batch {
		if batch[i].err != nil {
			return batch[i].err
		}
	}
	return nil
}

// job is a block that is compressed, with the memory for it.
type job struct {
	plain []byte // in read, or in the content where that is held as a whole
	read  []byte
	coded []byte
	err   error
}

func (j *job) encode(m compress.Method, fast bool) {
	encode := compress.Encode
	if fast {
		encode = compress.EncodeFast
	}
	j.coded, j.err = encode(m, j.coded[:0], j.plain)
}

// Stored returns how many bytes the blocks take, with padding.
func (c *blockContent) Stored() int64 { return c.coded.Size() }

// WriteTo writes the blocks, once.
func (c *blockContent) WriteTo(w io.Writer) (int64, error) { return c.coded.WriteTo(w) }

// Reset makes c ready for the next content.
func (c *blockContent) Reset() error {
	c.first.Reset()
	c.Blocks, c.Size, c.Packed, c.rest = nil, 0, 0, nil
	return c.coded.Reset()
}

// Memory returns how many bytes the buffers take that Reset keeps.
func (c *blockContent) Memory() int64 {
	n := int64(c.first.Cap()) + c.coded.Memory()
	for i := range c.jobs {
		n += int64(cap(c.jobs[i].read) + cap(c.jobs[i].coded))
	}
	return n
}

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

// flushAt is how much is gathered before it is written.
const flushAt = 1 << 20

// backpatchWriter writes archives whose earlier bytes are completed later: the record before a
// payload. It collects what is written, so that most patches are made in memory.
type backpatchWriter struct {
	ws     io.WriteSeeker
	origin int64 // where the archive starts in ws
	buf    []byte
	base   int64 // offset of buf within the archive
}

// backpatchNew returns a Writer to ws, in which the archive starts at the position of ws.
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
