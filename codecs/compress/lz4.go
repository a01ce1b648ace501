package compress

import "github.com/pierrec/lz4/v4"

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
// for incompressible input unless dst has room for the worst case.
func encodeLZ4(dst, src []byte) ([]byte, error) {
	start := len(dst)
	bound := lz4.CompressBlockBound(len(src))
	dst = append(dst, make([]byte, bound)...)
	var c lz4.Compressor
	n, err := c.CompressBlock(src, dst[start:])
	if err != nil {
		return dst[:start], &Error{Method: LZ4, Detail: "encode", Err: err}
	}
	return dst[:start+n], nil
}
