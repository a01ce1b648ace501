package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// etcFormat is a block format. The zero value is none.
type etcFormat uint8

// The formats, with what [etcDecode] makes of a pixel. ETC1 is RGB without its new modes.
const (
	etcRGB  etcFormat = iota + 1 // R G B A; A is 255
	etcRGBA                      // R G B A
	etcR11                       // R
	etcRG11                      // R G: of normal maps X and Y
)

var etcFormats = [...]struct {
	name         string
	block, pixel int // bytes
}{{}, {"ETC2 RGB", 8, 4}, {"ETC2 RGBA", 16, 4}, {"EAC R11", 8, 1}, {"EAC RG11", 16, 2}}

// String returns the format's name, such as "ETC2 RGB".
func (f etcFormat) String() string {
	if f.known() {
		return etcFormats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

func (f etcFormat) known() bool { return f >= etcRGB && f <= etcRG11 }

// PixelSize returns how many bytes [etcDecode] writes for a pixel.
func (f etcFormat) PixelSize() int { return etcFormats[f].pixel }

// Size returns how many bytes a picture has in blocks. ok is false for sides below 1 and
// for a picture of more than 2 GiB.
func (f etcFormat) Size(width, height int) (size int, ok bool) {
	if !f.known() || width < 1 || height < 1 || width > math.MaxInt32 || height > math.MaxInt32 {
		return 0, false
	}
	blocks := (int64(width) + 3) / 4 * ((int64(height) + 3) / 4)
	if blocks > math.MaxInt32/16 {
		return 0, false
	}
	return int(blocks) * etcFormats[f].block, true
}

// errETCSize means that the sides of a picture do not fit the bytes.
var errETCSize = errors.New("etc2: size")

// etcDecode decodes a picture from src into dst, which must have room for width * height
// pixels of [etcFormat.PixelSize]. src may be longer than the picture. The error wraps
// [errETCSize]; dst is unchanged then.
func etcDecode(dst, src []byte, f etcFormat, width, height int) error {
	size, ok := f.Size(width, height)
	if !ok {
		return fmt.Errorf("%w: %s of %d x %d pixels", errETCSize, f, width, height)
	}
	if len(src) < size {
		return fmt.Errorf("%w: %s of %d x %d pixels takes %d bytes, %d are there", errETCSize, f, width, height, size, len(src))
	}
	pixel := etcFormats[f].pixel
	if want := width * height * pixel; len(dst) < want {
		return fmt.Errorf("%w: %d bytes for %d of pixels", errETCSize, len(dst), want)
	}
	stride, block := width*pixel, etcFormats[f].block
	var aside [4 * 4 * 4]byte
	for y := 0; y < height; y += 4 {
		rows := min(height-y, 4)
		for x := 0; x < width; x += 4 {
			at := y*stride + x*pixel
			if rows == 4 && x+4 <= width {
				etcDecodeBlock(dst[at:], src, stride, f)
			} else {
				etcDecodeBlock(aside[:], src, 4*pixel, f)
				n := min(width-x, 4) * pixel
				for r := range rows {
					copy(dst[at+r*stride:at+r*stride+n], aside[r*4*pixel:])
				}
			}
			src = src[block:]
		}
	}
	return nil
}

func etcDecodeBlock(dst, src []byte, stride int, f etcFormat) {
	switch f {
	case etcRGB:
		etcColours(dst, binary.BigEndian.Uint64(src), stride)
	case etcRGBA:
		etcColours(dst, binary.BigEndian.Uint64(src[8:]), stride)
		eac8(dst[3:], binary.BigEndian.Uint64(src), stride)
	case etcR11:
		eac11(dst, binary.BigEndian.Uint64(src), stride, 1)
	case etcRG11:
		eac11(dst, binary.BigEndian.Uint64(src), stride, 2)
		eac11(dst[1:], binary.BigEndian.Uint64(src[8:]), stride, 2)
	}
}

// eac8 decodes a channel of 8 bits into each fourth byte.
func eac8(dst []byte, v uint64, stride int) {
	base, multiplier, table := int(v>>56), int(v>>52&15), &modifiers[v>>48&15]
	var values [8]byte
	for i, t := range table {
		values[i] = clamp(base + multiplier*int(t))
	}
	spread(dst, v, stride, 4, &values)
}

// spread writes the values of 16 indices, which are counted by columns.
func spread(dst []byte, v uint64, stride, pixel int, values *[8]byte) {
	for y := range 4 {
		row := dst[y*stride:]
		_ = row[3*pixel]
		row[0] = values[v>>(45-3*y)&7]
		row[pixel] = values[v>>(33-3*y)&7]
		row[2*pixel] = values[v>>(21-3*y)&7]
		row[3*pixel] = values[v>>(9-3*y)&7]
	}
}

// eac11 decodes a channel of 11 bits.
func eac11(dst []byte, v uint64, stride, pixel int) {
	base, multiplier, table := int(v>>56)*8+4, int(v>>52&15)*8, &modifiers[v>>48&15]
	if multiplier == 0 {
		multiplier = 1
	}
	var values [8]byte
	for i, t := range table {
		values[i] = byte((min(max(base+int(t)*multiplier, 0), 2047)*255 + 1023) / 2047)
	}
	spread(dst, v, stride, pixel, &values)
}

func clamp(v int) byte { return byte(min(max(v, 0), 255)) }
