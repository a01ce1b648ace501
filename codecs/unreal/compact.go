package unreal

import (
	"errors"
	"math"

	"pakdb/internal/bin"
)

// ErrIndex means that a compact index does not fit 31 bits of magnitude.
var ErrIndex = errors.New("compact index overflows 32 bits")

// The value bits of a compact index: six in the first byte, seven in each of
// the next three, and the five that remain in the last.
const (
	compactSign = 0x80 // first byte
	compactMore = 0x40 // first byte; 0x80 in bytes 1 to 3
	compactLast = 0x1F // of the fifth byte: 27 + 5 = 32 bits
)

// CompactIndex reads the variable-length integer of UE1 and UE2 packages and
// UMOD directories: one to five bytes, sign and magnitude, least significant
// bits first.
//
// Public readers disagree on the fifth byte (8, 7 or 5 bits, or no end at
// all). They agree on real data, where the magnitude is below 1<<31. Here at
// most five bytes are read, the fifth gives five bits, and a larger magnitude
// fails with [ErrIndex]. "Minus zero" (0x80) is 0; over-long forms are read.
func CompactIndex(r *bin.Reader) int32 {
	first := r.U8()
	v := uint32(first & 0x3F)
	if first&compactMore != 0 {
		v |= compactRest(r)
	}
	if v > math.MaxInt32 {
		r.Fail(ErrIndex)
		return 0
	}
	if first&compactSign != 0 {
		return -int32(v)
	}
	return int32(v)
}

func compactRest(r *bin.Reader) (v uint32) {
	for shift := 6; shift < 27; shift += 7 {
		b := r.U8()
		v |= uint32(b&0x7F) << shift
		if b&0x80 == 0 {
			return v
		}
	}
	return v | uint32(r.U8()&compactLast)<<27
}

// AppendCompactIndex appends the shortest form of v, which is what the engine
// writes. The magnitude of [math.MinInt32] has no form; it is written as 0.
func AppendCompactIndex(dst []byte, v int32) []byte {
	var sign byte
	if v < 0 {
		sign, v = compactSign, -v
	}
	u := uint32(max(v, 0))
	b := sign | byte(u&0x3F)
	if u >>= 6; u == 0 {
		return append(dst, b)
	}
	dst = append(dst, b|compactMore)
	for range 3 {
		b = byte(u & 0x7F)
		if u >>= 7; u == 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
	return append(dst, byte(u))
}
