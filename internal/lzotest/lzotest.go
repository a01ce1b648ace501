// Package lzotest encodes LZO1X for tests: by github.com/rasky/go-lzo, a
// translation of the LZO library, so that the codec of package lzo is compared with
// somebody else's work. That module is under the GNU General Public License, version
// 2, and pakdb's binaries must not link it: internal/house keeps this package to
// tests, as any whose name ends in "test", and the module to this package.
//
// It does not write what the C library does. liblzo2 2.10 makes all 51 segments of
// the Retro samples again, at level 8 of LZO1X-999 (level 9 makes 35 of them); go-lzo
// makes 4, at any level from 4 on. Its parse is the same, but its search takes the
// nearest match of three bytes and overlooks longer ones that are further back: of
// 128 bytes, where C has "length 7, distance 31", go-lzo has "length 3", a literal
// and "length 6, distance 1". Levels and segments have no part in it.
//
// Only the compressors of go-lzo are used. Its decoder takes the output length
// for a hint, so it must never see untrusted input.
package lzotest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	rasky "github.com/rasky/go-lzo"
)

// segmentSize is how many decoded bytes a segment of Retro Studios' paks has.
const segmentSize = 0x4000

// The levels of [Encode].
const (
	LevelFast = 1 // LZO1X-1
	LevelBest = 9 // LZO1X-999, about a hundred times slower and a quarter smaller
)

// Encode appends src to dst as one LZO1X stream, the end marker included, and
// returns the extended slice. level is [LevelFast] or [LevelBest]; others are
// [errors.ErrUnsupported]. The output depends on src and level alone, but it is
// not always the same as the C library's at the same level. Encode is safe for
// concurrent use.
func Encode(dst, src []byte, level int) ([]byte, error) {
	// The encoder keeps positions in 32 bits.
	if len(src) > math.MaxInt32-1 {
		return dst, fmt.Errorf("lzo1x: encode %d bytes: %w", len(src), errors.ErrUnsupported)
	}
	switch level {
	case LevelFast:
		return append(dst, rasky.Compress1X(src)...), nil
	case LevelBest:
		return append(dst, rasky.Compress1X999(src)...), nil
	}
	return dst, fmt.Errorf("lzo1x: level %d: %w", level, errors.ErrUnsupported)
}

// EncodeSegmented appends src to dst in segments of 16 KiB and
// returns the extended slice. level is that of [Encode]. A segment that would
// grow is stored.
func EncodeSegmented(dst, src []byte, level int) ([]byte, error) {
	start := len(dst)
	for len(src) > 0 {
		n := min(len(src), segmentSize)
		data, err := Encode(nil, src[:n], level)
		if err != nil {
			return dst[:start], err
		}
		length := len(data)
		if length >= n {
			data, length = src[:n], -n
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(int16(length)))
		dst = append(dst, data...)
		src = src[n:]
	}
	return dst, nil
}
