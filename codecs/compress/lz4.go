package compress

import (
	"slices"

	"github.com/pierrec/lz4/v4"
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

// encodeLZ4 always yields a block, also when that is larger than src: the
// archives that use it have no flag for stored data. CompressBlock returns 0
// for incompressible input unless dst has room for the worst case. The room
// that the block did not take stays in the slice's capacity, so that callers
// who reuse dst allocate once. The library keeps its hash tables in a pool and
// clears them, so the output depends on src alone.
func encodeLZ4(dst, src []byte) ([]byte, error) {
	start, bound := len(dst), lz4.CompressBlockBound(len(src))
	dst = slices.Grow(dst, bound)
	n, err := lz4.CompressBlock(src, dst[start:start+bound], nil)
	if err != nil {
		return dst[:start], &Error{Method: LZ4, Detail: "encode", Err: err}
	}
	return dst[:start+n], nil
}
