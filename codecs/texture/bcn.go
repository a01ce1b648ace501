package texture

import (
	"errors"
	"fmt"
	"math"
)

// bcnFormat is a block format. The zero value is none.
type bcnFormat uint8

// The formats, with what [bcnDecode] makes of a pixel.
const (
	bcnBC1  bcnFormat = iota + 1 // R G B A; A is 0 or 255
	bcnBC2                       // R G B A
	bcnBC3                       // R G B A
	bcnBC4                       // R
	bcnBC5                       // R G: of normal maps X and Y
	bcnBC6H                      // R G B A as half floats, little-endian; A is 1
	bcnBC7                       // R G B A
)

var bcnFormats = [...]struct {
	name         string
	block, pixel int // bytes
}{{}, {"BC1", 8, 4}, {"BC2", 16, 4}, {"BC3", 16, 4}, {"BC4", 8, 1}, {"BC5", 16, 2}, {"BC6H", 16, 8}, {"BC7", 16, 4}}

// String returns the format's name, such as "BC1".
func (f bcnFormat) String() string {
	if f.known() {
		return bcnFormats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

func (f bcnFormat) known() bool { return f >= bcnBC1 && f <= bcnBC7 }

// PixelSize returns how many bytes [bcnDecode] writes for a pixel.
func (f bcnFormat) PixelSize() int { return bcnFormats[f].pixel }

// Size returns how many bytes a picture has in blocks. ok is false for sides below 1
// and for a picture of more than 2 GiB.
func (f bcnFormat) Size(width, height int) (size int, ok bool) {
	if !f.known() || width < 1 || height < 1 || width > math.MaxInt32 || height > math.MaxInt32 {
		return 0, false
	}
	blocks := (int64(width) + 3) / 4 * ((int64(height) + 3) / 4)
	if blocks > math.MaxInt32/16 {
		return 0, false
	}
	return int(blocks) * bcnFormats[f].block, true
}

// errBCNSize means that the sides of a picture do not fit the bytes.
var errBCNSize = errors.New("bcn: size")

// bcnDecode decodes a picture from src into dst, which must have room for width * height
// pixels of [bcnFormat.PixelSize]. src may be longer than the picture. The error wraps
// [errBCNSize]; dst is unchanged then.
func bcnDecode(dst, src []byte, f bcnFormat, width, height int) error {
	size, ok := f.Size(width, height)
	if !ok {
		return fmt.Errorf("%w: %s of %d x %d pixels", errBCNSize, f, width, height)
	}
	if len(src) < size {
		return fmt.Errorf("%w: %s of %d x %d pixels takes %d bytes, %d are there", errBCNSize, f, width, height, size, len(src))
	}
	pixel := bcnFormats[f].pixel
	if want := width * height * pixel; len(dst) < want {
		return fmt.Errorf("%w: %d bytes for %d of pixels", errBCNSize, len(dst), want)
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

// testBCN decodes all blocks. One that sticks out is decoded aside, and cut.
func (p *picture) decode(src []byte, f bcnFormat) {
	stride, block := p.width*p.pixel, bcnFormats[f].block
	var aside [4 * 4 * 8]byte
	for y := 0; y < p.height; y += 4 {
		rows := min(p.height-y, 4)
		for x := 0; x < p.width; x += 4 {
			at := y*stride + x*p.pixel
			if rows == 4 && x+4 <= p.width {
				bcnDecodeBlock(p.dst[at:], src[:block:block], stride, f)
			} else {
				bcnDecodeBlock(aside[:], src[:block:block], 4*p.pixel, f)
				n := min(p.width-x, 4) * p.pixel
				for r := range rows {
					copy(p.dst[at+r*stride:at+r*stride+n], aside[r*4*p.pixel:])
				}
			}
			src = src[block:]
		}
	}
}

// bcnDecodeBlock writes the pixels of a block, rows of stride bytes. It is no table of
// functions, which would keep memory on the stack from being used.
func bcnDecodeBlock(dst, src []byte, stride int, f bcnFormat) {
	switch f {
	case bcnBC1:
		bcnColours(dst, src, stride, false)
	case bcnBC2:
		decodeBC2(dst, src, stride)
	case bcnBC3:
		decodeBC3(dst, src, stride)
	case bcnBC4:
		single(dst, src, stride, 1)
	case bcnBC5:
		single(dst, src, stride, 2)
		single(dst[1:], src[8:], stride, 2)
	case bcnBC6H:
		decodeBC6H(dst, src, stride)
	case bcnBC7:
		decodeBC7(dst, src, stride)
	}
}
