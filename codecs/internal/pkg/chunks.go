package pkg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

const (
	chunkHead    = 16       // tag, block size, sizes
	maxBlock     = 1 << 20  // decoded bytes of a block; the engine uses 0x20000
	minBlockSize = 4 << 10  // bounds the block list of a chunk; the engine used 0x8000 at least
	lzma         = "lzma"   // BioWare on PS3 and Wii U
	lzx          = "lzx"    // Xbox 360
	vendorCodec  = "vendor" // encrypted, or the vendor's own
	compressBias = 0xF0     // asks for memory, speed or a processor, says nothing of the data
)

// methodOf names the codec of a summary's compression flags. Methods without a
// decoder are [errors.ErrUnsupported] when decoded.
func methodOf(flags uint32, l *layout) compress.Method {
	switch flags &^ compressBias {
	case 0:
		return compress.None
	case 1:
		return compress.Zlib
	case 2:
		return compress.LZO1X
	case 4:
		return lzx
	case 8:
		switch {
		case l.bioWare > 0:
			return lzma
		case l.version == 863 && l.licensee == 32995: // Batman: Arkham Knight
			return compress.LZ4
		}
		return vendorCodec
	case 0x400:
		return compress.Oodle
	}
	return compress.Method(fmt.Sprintf("0x%x", flags))
}

// block is one separately compressed part of a chunk.
type block struct {
	off, size         int64 // decompressed
	storedOff, stored int64
}

// chunked is the decompressed package: what lies before the first chunk is
// stored, apart from the chunk table in it, the rest in blocks that are decoded when they are read. It
// is safe for concurrent use.
type chunked struct {
	r      io.ReaderAt
	stored int64
	method compress.Method
	chunks []Chunk
	head   []byte // what lies before the first chunk; nil: what the file has there

	mu     sync.Mutex
	blocks map[int][]block // by chunk, once its list has been read
	last   block           // the block that data holds
	data   []byte
}

// newChunked checks the chunk table: in order, without gaps, inside the file.
func newChunked(r io.ReaderAt, stored int64, method compress.Method, chunks []Chunk) (*chunked, error) {
	next := chunks[0].Offset
	for i, c := range chunks {
		switch {
		case c.Offset != next || c.Size <= 0 || c.Size > maxChunk || c.Offset < 0:
			return nil, chunkError(i, "offset", c.StoredOffset, "chunk of %d bytes at %d, expected at %d", c.Size, c.Offset, next)
		case bin.Range(c.StoredOffset, c.Stored, stored) != nil || c.Stored == 0:
			return nil, &codecs.FormatError{Format: formatName, Field: fmt.Sprintf("chunks[%d].stored", i), Off: c.StoredOffset,
				Err: codecs.Errorf(codecs.ErrTruncated, "%d bytes of a file of %d", c.Stored, stored)}
		}
		next += c.Size
	}
	if chunks[0].Offset > stored {
		return nil, chunkError(0, "offset", chunks[0].StoredOffset, "%d is after the end of the file", chunks[0].Offset)
	}
	return &chunked{r: r, stored: stored, method: method, chunks: chunks, blocks: map[int][]block{}}, nil
}

// maxChunk bounds the decompressed size of a chunk: i32 in the file.
const maxChunk = 1<<31 - 1

func chunkError(i int, field string, off int64, format string, args ...any) error {
	return &codecs.FormatError{Format: formatName, Field: fmt.Sprintf("chunks[%d].%s", i, field), Off: off,
		Err: codecs.Errorf(codecs.ErrCorrupt, format, args...)}
}

// size returns how long the decompressed package is.
func (c *chunked) size() int64 {
	last := c.chunks[len(c.chunks)-1]
	return last.Offset + last.Size
}

// ReadAt reads decompressed bytes.
func (c *chunked) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		m, err := c.readSome(p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readSome reads up to the end of the block that off lies in.
func (c *chunked) readSome(p []byte, off int64) (int, error) {
	if first := c.chunks[0].Offset; off < first {
		p = p[:min(int64(len(p)), first-off)]
		if c.head != nil {
			return copy(p, c.head[off:]), nil
		}
		if err := bin.Fill(c.r, p, off); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if off >= c.size() {
		return 0, io.EOF
	}
	i := sort.Search(len(c.chunks), func(i int) bool { return c.chunks[i].Offset+c.chunks[i].Size > off })
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.seek(i, off); err != nil {
		return 0, err
	}
	return copy(p, c.data[off-c.last.off:]), nil
}

// seek makes the block of chunk i that holds off the current one.
func (c *chunked) seek(i int, off int64) error {
	if len(c.data) > 0 && off >= c.last.off && off < c.last.off+c.last.size {
		return nil
	}
	blocks, ok := c.blocks[i]
	if !ok {
		var err error
		if blocks, err = c.list(i); err != nil {
			return err
		}
		c.blocks[i] = blocks
	}
	k := sort.Search(len(blocks), func(k int) bool { return blocks[k].off+blocks[k].size > off })
	b := blocks[k] // the list covers the chunk exactly
	c.data = nil
	data, err := c.decode(b)
	if err != nil {
		return blockError(i, k, b.storedOff, err)
	}
	c.last, c.data = b, data
	return nil
}

func blockError(i, k int, off int64, err error) error {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, Field: fmt.Sprintf("chunks[%d].blocks[%d]", i, k), Off: off, Err: err}
}

// decode decodes one block. Equal sizes mean that it is stored, unless it
// decodes: compressing may happen to gain nothing.
func (c *chunked) decode(b block) ([]byte, error) {
	src, err := bin.Section(c.r, b.storedOff, b.stored, c.stored, 2*maxBlock)
	if err != nil {
		return nil, err
	}
	stored := b.stored == b.size
	if !compress.CanDecode(c.method) {
		if stored {
			return src, nil
		}
		return nil, fmt.Errorf("%w: no decoder for method %q", errors.ErrUnsupported, c.method)
	}
	dst := make([]byte, b.size)
	if err = compress.Decode(c.method, dst, src); err != nil && stored {
		return src, nil
	}
	return dst, err
}

// list reads the header of chunk i: the sizes of its blocks, up to the chunk's
// size. The stored total it declares is not relied upon; files exist where it
// is larger than the blocks.
func (c *chunked) list(i int) ([]block, error) {
	ch := c.chunks[i]
	n := min(ch.Stored, chunkHead+8*(ch.Size/minBlockSize+1))
	buf, err := bin.Section(c.r, ch.StoredOffset, n, c.stored, maxTable)
	if err != nil {
		return nil, err
	}
	r, _, ok := chunkHeader(buf, ch.StoredOffset)
	if !ok {
		if ch.Stored == ch.Size { // Borderlands: no header, stored
			return storedBlocks(ch), nil
		}
		return nil, chunkError(i, "tag", ch.StoredOffset, "no chunk header")
	}
	return blockList(r, i, ch)
}

// hasHeader reports whether the first chunk begins as a chunk does.
func (c *chunked) hasHeader() bool {
	var head [chunkHead]byte
	if bin.Fill(c.r, head[:], c.chunks[0].StoredOffset) != nil {
		return false
	}
	_, size, ok := chunkHeader(head[:], c.chunks[0].StoredOffset)
	return ok && size == c.chunks[0].Size
}

// chunkHeader reads tag and sizes; the tag gives the byte order, which need
// not be the package's.
func chunkHeader(buf []byte, base int64) (r *bin.Reader, size int64, ok bool) {
	r = bin.NewReader(buf, base, binary.LittleEndian)
	switch r.U32() {
	case tag:
	case tagSwapped:
		r.SetOrder(binary.BigEndian)
	default:
		return r, 0, false
	}
	r.Skip(8) // block size, which may be the tag again, and stored size
	size = int64(r.U32())
	return r, size, r.Err() == nil
}

func storedBlocks(ch Chunk) (out []block) {
	for at := int64(0); at < ch.Size; at += maxBlock {
		n := min(maxBlock, ch.Size-at)
		out = append(out, block{ch.Offset + at, n, ch.StoredOffset + at, n})
	}
	return out
}

func blockList(r *bin.Reader, i int, ch Chunk) (out []block, err error) {
	at := ch.Offset
	var stored int64
	for at < ch.Offset+ch.Size {
		field := r.Off()
		b := block{off: at, storedOff: stored, stored: int64(r.U32()), size: int64(r.U32())}
		if err := r.Err(); err != nil {
			return nil, blockError(i, len(out), field, err)
		}
		if b.size == 0 || b.size > maxBlock || b.size > ch.Offset+ch.Size-at || b.stored > 2*maxBlock {
			return nil, chunkError(i, "blocks", field, "block of %d bytes, %d stored, at %d of %d", b.size, b.stored, at-ch.Offset, ch.Size)
		}
		at += b.size
		stored += b.stored
		out = append(out, b)
	}
	start := r.Off()
	for k := range out {
		out[k].storedOff += start
	}
	if start+stored > ch.StoredOffset+ch.Stored {
		return nil, chunkError(i, "blocks", start, "%d bytes of blocks in a chunk of %d", stored, ch.Stored)
	}
	return out, nil
}

// openWrapper opens a file that is one chunk: a fully compressed package. The
// codec is not stored.
func openWrapper(r io.ReaderAt, size int64) (*chunked, error) {
	head, err := bin.Section(r, 0, min(size, chunkHead), size, chunkHead)
	if err != nil {
		return nil, err
	}
	_, decoded, ok := chunkHeader(head, 0)
	if !ok || decoded == 0 || decoded > maxChunk {
		return nil, chunkError(0, "size", 12, "%d decompressed bytes", decoded)
	}
	c, err := newChunked(r, size, compress.None, []Chunk{{Size: decoded, Stored: size}})
	if err != nil {
		return nil, err
	}
	blocks, err := c.list(0)
	if err != nil {
		return nil, err
	}
	c.blocks[0] = blocks
	c.method, err = c.sniff(blocks)
	return c, err
}

// sniff finds the codec that the first compressed block decodes by.
func (c *chunked) sniff(blocks []block) (compress.Method, error) {
	for k, b := range blocks {
		if b.stored == b.size {
			continue
		}
		var head [3]byte
		if err := bin.Fill(c.r, head[:min(b.stored, 3)], b.storedOff); err != nil {
			return "", blockError(0, k, b.storedOff, err)
		}
		if head == [3]byte{0x5D, 0, 0} {
			return lzma, nil
		}
		for _, m := range []compress.Method{compress.Zlib, compress.LZO1X} {
			c.method = m
			if _, err := c.decode(b); err == nil {
				return m, nil
			}
		}
		return "lzo1x or lzx", nil
	}
	return compress.None, nil
}
