package patch

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zlib"

	"pakdb/codecs/compress"
)

// frontDecoder decodes the fronts of blocks, for less than the whole of them
// takes where that is possible. The zero value is ready.
type frontDecoder struct{ zlib io.ReadCloser }

// decode decodes a block, which dst has room for, at least as far as wanted, and
// returns how much of that came out.
func (d *frontDecoder) decode(m compress.Method, dst, stored []byte, want int) int {
	if m != compress.Zlib {
		if compress.Decode(m, dst, stored) != nil {
			return 0
		}
		return want
	}
	var err error
	if src := bytes.NewReader(stored); d.zlib == nil {
		d.zlib, err = zlib.NewReader(src)
	} else {
		err = d.zlib.(zlib.Resetter).Reset(src, nil)
	}
	if err != nil {
		d.zlib = nil
		return 0
	}
	n, _ := io.ReadFull(d.zlib, dst[:want])
	return n
}
