package iostore

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
)

// metaCompressed in the flags of a chunk: a block of it is.
const metaCompressed = 1

// batchBytes is how much content is read before its blocks are compressed, side by side:
// one block at least, and no more than so many for each processor.
const (
	batchBytes     = 4 << 20
	batchPerThread = 4
)

// batchSize is how many bytes of content w.buf holds, whole blocks.
func batchSize(blockSize int) int {
	return blockSize * max(1, min(batchPerThread*runtime.GOMAXPROCS(0), batchBytes/blockSize))
}

// encode compresses content into w.coded, block by block. The number of processors
// changes nothing of it.
func (w *writer) encode(ctx context.Context, c *written, m compress.Method, r io.Reader) error {
	h := blake3.New()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, w.buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if n == 0 {
			break
		}
		_, _ = h.Write(w.buf[:n])
		if err := w.encodeBlocks(c, m, w.buf[:n]); err != nil {
			return err
		}
		c.size += int64(n)
		if n < len(w.buf) {
			break
		}
	}
	copy(c.hash[:shortHashSize], h.Sum(nil))
	return nil
}

// encodeJob is a block that is compressed, with the memory for it.
type encodeJob struct {
	plain, coded []byte
	err          error
}

// encodeBlocks appends the blocks of a part of a content, each compressed if that makes
// it smaller.
func (w *writer) encodeBlocks(c *written, m compress.Method, plain []byte) error {
	if isStored(m) {
		for part := range slices.Chunk(plain, w.opt.BlockSize) {
			if err := w.put(c, part, len(part), 0, false); err != nil {
				return err
			}
		}
		return nil
	}
	encode := compress.Encode
	if w.opt.Fast {
		encode = compress.EncodeFast
	}
	n := 0
	var wg sync.WaitGroup
	for part := range slices.Chunk(plain, w.opt.BlockSize) {
		if n == len(w.jobs) {
			w.jobs = append(w.jobs, &encodeJob{})
		}
		j := w.jobs[n]
		j.plain = part
		wg.Go(func() { j.coded, j.err = encode(m, j.coded[:0], j.plain) })
		n++
	}
	wg.Wait()
	for _, j := range w.jobs[:n] {
		if j.err != nil {
			return j.err
		}
		coded, number := j.plain, uint8(0)
		if len(j.coded) < len(j.plain) {
			var err error
			if number, err = w.methodNumber(m); err != nil {
				return err
			}
			coded = j.coded
		}
		if err := w.put(c, coded, len(j.plain), number, false); err != nil {
			return err
		}
	}
	return nil
}

// put appends a block, padded to whole AES blocks by its own start. One that is
// not sealed yet is encrypted where the container is.
func (w *writer) put(c *written, coded []byte, size int, method uint8, sealed bool) error {
	b := block{off: w.coded.Size(), stored: int64(len(coded)), size: int64(size), method: method}
	if b.stored >= maxBlockSize {
		return codecs.Errorf(errors.ErrUnsupported, "a block of %d bytes", b.stored)
	}
	padded := aes256.AppendPadding(coded[:len(coded):len(coded)], coded, b.stored)
	if w.opt.Encrypt && !sealed {
		if len(padded) == len(coded) {
			padded = append([]byte(nil), coded...)
		}
		aes256.EncryptECB(w.crypt.block, padded)
	}
	if method != 0 {
		c.flags |= metaCompressed
	}
	w.pending = append(w.pending, b)
	_, err := w.coded.Write(padded)
	return err
}

// copy passes the stored blocks of e through.
func (w *writer) copy(ctx context.Context, c *written, e *codecs.Entry, stored io.Reader) error {
	number, err := w.methodNumber(e.Method)
	if err != nil {
		return err
	}
	raw := rawCopy{w: w, c: c, e: e, r: stored, method: number, hash: blake3.New()}
	if err := raw.blocks(ctx); err != nil {
		return err
	}
	c.size = e.Size
	return raw.sum()
}

// rawCopy is a chunk that is passed through.
type rawCopy struct {
	w      *writer
	c      *written
	e      *codecs.Entry
	r      io.Reader
	pos    int64 // in the stored bytes
	method uint8
	hash   *blake3.Hasher // of what the blocks decode to
	opaque error          // why they were not decoded
}

func (x *rawCopy) blocks(ctx context.Context) error {
	list := x.e.Blocks
	if list == nil && x.e.Size > 0 {
		list = []codecs.Block{{Offset: x.e.Offset, Stored: x.e.Stored, Size: x.e.Size}}
		if x.e.Flags&codecs.Encrypted != 0 && isStored(x.e.Method) {
			list[0].Stored = x.e.Size // the rest is padding
		}
	}
	left := x.e.Size
	for i, b := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if want := min(left, int64(x.w.opt.BlockSize)); b.Size != want {
			return codecs.Errorf(errors.ErrUnsupported, "block %d decodes to %d bytes, the container's to %d", i, b.Size, want)
		}
		left -= b.Size
		if err := x.block(b); err != nil {
			return err
		}
	}
	if left != 0 {
		return codecs.Errorf(codecs.ErrCorrupt, "the blocks hold %d bytes less than the chunk", left)
	}
	return nil
}

func (x *rawCopy) block(b codecs.Block) error {
	encrypted := x.e.Flags&codecs.Encrypted != 0
	skip, n := b.Offset-x.e.Offset-x.pos, b.Stored
	if encrypted {
		n = aes256.Align(n)
	}
	if skip < 0 || b.Stored < 0 || n >= maxBlockSize {
		return codecs.Errorf(errors.ErrUnsupported, "%d stored bytes at 0x%x", b.Stored, b.Offset)
	}
	if _, err := io.CopyN(io.Discard, x.r, skip); err != nil {
		return short(err)
	}
	buf := make([]byte, n)
	if _, err := io.ReadFull(x.r, buf); err != nil {
		return short(err)
	}
	x.pos += skip + n
	method := x.method
	if b.Stored == b.Size {
		method = 0
	}
	if encrypted {
		x.opaque = codecs.ErrEncrypted
		return x.sealed(buf, b, method)
	}
	x.decode(method, buf, int(b.Size))
	return x.w.put(x.c, buf, int(b.Size), method, false)
}

// sealed appends an encrypted block, whose padding is part of it.
func (x *rawCopy) sealed(buf []byte, b codecs.Block, method uint8) error {
	if err := x.w.put(x.c, buf, int(b.Size), method, true); err != nil {
		return err
	}
	x.w.pending[len(x.w.pending)-1].stored = b.Stored
	return nil
}

func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return codecs.Errorf(codecs.ErrTruncated, "the stored bytes end early")
	}
	return err
}

// decode hashes what a block holds, unless the entry brings its hash.
func (x *rawCopy) decode(method uint8, buf []byte, size int) {
	if x.e.Sum.Kind == codecs.BLAKE3Decoded || x.opaque != nil {
		return
	}
	m := compress.None
	if method != 0 {
		m = x.w.methods[method-1]
	}
	plain := make([]byte, size)
	if x.opaque = compress.Decode(m, plain, buf); x.opaque == nil {
		_, _ = x.hash.Write(plain)
	}
}

// sum is the hash of the content: the entry's, or the computed one.
func (x *rawCopy) sum() error {
	switch s := x.e.Sum; {
	case s.Kind == codecs.BLAKE3Decoded && s.Len == 0 && len(s.Bytes) >= shortHashSize:
		copy(x.c.hash[:], s.Bytes)
	case x.opaque != nil:
		return codecs.Errorf(errors.ErrUnsupported, "a chunk needs the hash of its content: %v", x.opaque)
	default:
		copy(x.c.hash[:shortHashSize], x.hash.Sum(nil))
	}
	return nil
}
