package maker

import (
	"errors"

	"pakdb/codecs/compress"
	flate "pakdb/codecs/compress/inflate"
)

// frontDecoder decodes the fronts of blocks, for less than the whole of them
// takes where that is possible. The zero value is ready.
type frontDecoder struct{ flate.Decoder }

// decode decodes a block, which dst has room for, and returns how much of what is
// wanted came out: nearly all of it, or nothing of a damaged block.
func (d *frontDecoder) decode(m compress.Method, dst, stored []byte, want int) int {
	if m != compress.Zlib {
		if compress.Decode(m, dst, stored) != nil {
			return 0
		}
		return want
	}
	_, err := d.Zlib(dst[:want], stored)
	var at *flate.Error
	if errors.As(err, &at) && errors.Is(at, flate.ErrTooLong) {
		return at.Out // what comes next, a match perhaps, had no room
	}
	return 0 // it has an end before its size, or is damaged
}
