package bcn

import (
	"errors"
	"fmt"
	"math"
)

// Format is a block format. The zero value is none.
type Format uint8

// The formats, with what [Decode] makes of a pixel.
const (
	BC1  Format = iota + 1 // R G B A; A is 0 or 255
	BC2                    // R G B A
	BC3                    // R G B A
	BC4                    // R
	BC5                    // R G: of normal maps X and Y
	BC6H                   // R G B A as half floats, little-endian; A is 1
	BC7                    // R G B A
)

var formats = [...]struct {
	name         string
	block, pixel int // bytes
}{{}, {"BC1", 8, 4}, {"BC2", 16, 4}, {"BC3", 16, 4}, {"BC4", 8, 1}, {"BC5", 16, 2}, {"BC6H", 16, 8}, {"BC7", 16, 4}}

// String returns the format's name, such as "BC1".
func (f Format) String() string {
	if f.known() {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

func (f Format) known() bool { return f >= BC1 && f <= BC7 }

// PixelSize returns how many bytes [Decode] writes for a pixel.
func (f Format) PixelSize() int { return formats[f].pixel }

// Size returns how many bytes a picture has in blocks. ok is false for sides below 1
// and for a picture of more than 2 GiB.
func (f Format) Size(width, height int) (size int, ok bool) {
	if !f.known() || width < 1 || height < 1 || width > math.MaxInt32 || height > math.MaxInt32 {
		return 0, false
	}
	blocks := (int64(width) + 3) / 4 * ((int64(height) + 3) / 4)
	if blocks > math.MaxInt32/16 {
		return 0, false
	}
	return int(blocks) * formats[f].block, true
}

// ErrSize means that the sides of a picture do not fit the bytes.
var ErrSize = errors.New("bcn: size")

// Decode decodes a picture from src into dst, which must have room for width * height
// pixels of [Format.PixelSize]. src may be longer than the picture. The error wraps
// [ErrSize]; dst is unchanged then.
func Decode(dst, src []byte, f Format, width, height int) error {
	size, ok := f.Size(width, height)
	if !ok {
		return fmt.Errorf("%w: %s of %d x %d pixels", ErrSize, f, width, height)
	}
	if len(src) < size {
		return fmt.Errorf("%w: %s of %d x %d pixels takes %d bytes, %d are there", ErrSize, f, width, height, size, len(src))
	}
	pixel := formats[f].pixel
	if want := width * height * pixel; len(dst) < want {
		return fmt.Errorf("%w: %d bytes for %d of pixels", ErrSize, len(dst), want)
	}
	p := picture{dst: dst, width: width, height: height, pixel: pixel}
	p.decode(src, f)
	return nil
}

// picture is what is decoded into.
type picture struct {
	dst           []byte
	width, height int // pixels
	pixel         int // bytes
}

// decode decodes all blocks. One that sticks out is decoded aside, and cut.
func (p *picture) decode(src []byte, f Format) {
	stride, block := p.width*p.pixel, formats[f].block
	var aside [4 * 4 * 8]byte
	for y := 0; y < p.height; y += 4 {
		rows := min(p.height-y, 4)
		for x := 0; x < p.width; x += 4 {
			at := y*stride + x*p.pixel
			if rows == 4 && x+4 <= p.width {
				decodeBlock(p.dst[at:], src[:block:block], stride, f)
			} else {
				decodeBlock(aside[:], src[:block:block], 4*p.pixel, f)
				n := min(p.width-x, 4) * p.pixel
				for r := range rows {
					copy(p.dst[at+r*stride:at+r*stride+n], aside[r*4*p.pixel:])
				}
			}
			src = src[block:]
		}
	}
}

// decodeBlock writes the pixels of a block, rows of stride bytes. It is no table of
// functions, which would keep memory on the stack from being used.
func decodeBlock(dst, src []byte, stride int, f Format) {
	switch f {
	case BC1:
		colours(dst, src, stride, false)
	case BC2:
		decodeBC2(dst, src, stride)
	case BC3:
		decodeBC3(dst, src, stride)
	case BC4:
		single(dst, src, stride, 1)
	case BC5:
		single(dst, src, stride, 2)
		single(dst[1:], src[8:], stride, 2)
	case BC6H:
		decodeBC6H(dst, src, stride)
	case BC7:
		decodeBC7(dst, src, stride)
	}
}
