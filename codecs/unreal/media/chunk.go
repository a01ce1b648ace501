package media

import (
	"encoding/binary"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// chunkTag begins what the engine compressed.
const chunkTag = 0x9E2A83C1

// maxBlock bounds a block of it; the engine uses 0x20000 bytes.
const maxBlock = 1 << 20

// decompress decodes bulk data: a tag, the size of a block, both sizes, then both sizes of
// each block and the blocks themselves. All are u32, in UE4 u64.
func decompress(src []byte, size int64, flags uint32) ([]byte, error) {
	method := compress.Zlib
	switch {
	case flags&bulkLZO != 0:
		method = compress.LZO1X
	case flags&bulkZlib == 0:
		return nil, codecs.Errorf(errors.ErrUnsupported, "compressed bulk data, flags 0x%x", flags)
	}
	r := bin.NewReader(src, 0, binary.LittleEndian)
	wide := len(src) >= 8 && binary.LittleEndian.Uint32(src[4:]) == 0
	number := func() int64 {
		if wide {
			return r.I64()
		}
		return int64(r.U32())
	}
	if r.Len() >= 4 && binary.BigEndian.Uint32(src) == chunkTag {
		return nil, codecs.Errorf(errors.ErrUnsupported, "bulk data of a console")
	}
	if number() != chunkTag || size > maxBulk {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "compressed bulk data without its tag")
	}
	number()
	number()
	if all := number(); all != size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "compressed bulk data of %d bytes, %d are declared", all, size)
	}
	var blocks [][2]int64
	for left := size; left > 0; {
		b := [2]int64{number(), number()}
		if r.Err() != nil || b[1] <= 0 || b[1] > min(left, maxBlock) || b[0] < 0 || b[0] > 2*maxBlock {
			return nil, codecs.Errorf(codecs.ErrCorrupt, "block %d of compressed bulk data", len(blocks))
		}
		left -= b[1]
		blocks = append(blocks, b)
	}
	var out []byte
	for k, b := range blocks {
		from := r.Bytes(int(b[0]))
		if err := r.Err(); err != nil {
			return nil, err
		}
		to := make([]byte, b[1])
		if err := compress.Decode(method, to, from); err != nil {
			return nil, codecs.Errorf(codecs.ErrCorrupt, "block %d of compressed bulk data: %v", k, err)
		}
		out = append(out, to...)
	}
	return out, nil
}
