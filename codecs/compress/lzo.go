package compress

import "pakdb/codecs/internal/lzo"

// decodeLZO1X takes one plain stream. Bytes behind its end marker are fill, as
// archives that align their blocks leave it.
func decodeLZO1X(dst, src []byte) error {
	n, _, err := lzo.Decode(dst, src)
	switch {
	case err != nil:
		return corrupt(LZO1X, "%v", err)
	case n != len(dst):
		return corrupt(LZO1X, "decoded %d bytes, declared %d", n, len(dst))
	}
	return nil
}
