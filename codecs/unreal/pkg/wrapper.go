package pkg

import (
	"io"

	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

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
