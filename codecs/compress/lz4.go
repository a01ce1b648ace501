package compress

import (
	"sync"

	"github.com/pierrec/lz4/v4"

	"pakdb/codecs/compress/exact"
)

// decodeLZ4 also accepts an empty source for an empty destination: MHPakTool
// writes empty files so, where a C encoder writes the one byte 0x00.
func decodeLZ4(dst, src []byte) error {
	if len(src) == 0 && len(dst) == 0 {
		return nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return corrupt(LZ4, "block of %d bytes does not decode to %d", len(src), len(dst))
	}
	if n != len(dst) {
		return corrupt(LZ4, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}

var lz4Encoders = sync.Pool{New: func() any { return new(exact.LZ4Encoder) }}

// encodeLZ4 writes what LZ4_compress_default of a modern liblz4 writes. It always
// yields a block, also when that is larger than src: the archives that use it
// have no flag for stored data.
func encodeLZ4(dst, src []byte) ([]byte, error) {
	e := lz4Encoders.Get().(*exact.LZ4Encoder)
	defer lz4Encoders.Put(e)
	out, err := e.Encode(dst, src, exact.LZ4Params{})
	if err != nil {
		return dst, &Error{Method: LZ4, Detail: "encode", Err: err}
	}
	return out, nil
}
