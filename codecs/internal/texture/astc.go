package texture

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// astcPixelSize is how many bytes [astcDecode] writes for a pixel: R G B A.
const astcPixelSize = 4

const blockSize = 16 // bytes

// errASTCHDR means that a picture has colours above 1.
var errASTCHDR = errors.New("astc: HDR blocks")

// astcDecode decodes a picture from src into dst, which has room for width * height pixels of
// [astcPixelSize]. The error is [errASTCHDR].
func astcDecode(dst, src []byte, width, height, blockWidth, blockHeight int) error {
	b := block{width: blockWidth, height: blockHeight}
	for y := 0; y < height; y += blockHeight {
		for x := 0; x < width; x += blockWidth {
			if !b.decode(src) {
				return errASTCHDR
			}
			src = src[blockSize:]
			n := min(width-x, blockWidth) * astcPixelSize
			for r := range min(height-y, blockHeight) {
				copy(dst[((y+r)*width+x)*astcPixelSize:][:n], b.pixels[r*blockWidth*astcPixelSize:])
			}
		}
	}
	return nil
}

// astcBits128 is a block as a number.
type astcBits128 struct{ lo, hi uint64 }

func astcBitsOf(src []byte) astcBits128 {
	return astcBits128{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
}

// at returns n bits, 16 at most, from one on; those after the end are 0.
func (b *astcBits128) at(from, n int) uint32 {
	var v uint64
	switch {
	case from >= 128 || from < 0:
		return 0
	case from >= 64:
		v = b.hi >> (from - 64)
	default:
		v = b.lo>>from | b.hi<<(64-from)
	}
	return uint32(v) & (1<<n - 1)
}

// reversed returns the bits in the other order.
func (b *astcBits128) reversed() astcBits128 {
	return astcBits128{bits.Reverse64(b.hi), bits.Reverse64(b.lo)}
}

// rgba is a colour.
type rgba [4]int

// endpoints makes the two colours of a partition, by its mode, of the values that the block
// has for it. ok is false for a mode of colours above 1.
func endpoints(mode int, v []int) (one, two rgba, ok bool) {
	switch mode {
	case 0: // luminance
		return rgba{v[0], v[0], v[0], 255}, rgba{v[1], v[1], v[1], 255}, true
	case 1: // luminance, the second as an offset
		low := v[0]>>2 | v[1]&0xc0
		high := min(low+(v[1]&0x3f), 255)
		return rgba{low, low, low, 255}, rgba{high, high, high, 255}, true
	case 4: // luminance and alpha
		return rgba{v[0], v[0], v[0], v[2]}, rgba{v[1], v[1], v[1], v[3]}, true
	case 5:
		l, dl := astcSigned(v[0], v[1])
		a, da := astcSigned(v[2], v[3])
		return rgba{l, l, l, a}.clamped(), rgba{l + dl, l + dl, l + dl, a + da}.clamped(), true
	case 6: // the first is the second, darker
		return rgba{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, 255}, rgba{v[0], v[1], v[2], 255}, true
	case 10:
		return rgba{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, v[4]}, rgba{v[0], v[1], v[2], v[5]}, true
	case 8, 12:
		one, two = rgba{v[0], v[2], v[4], 255}, rgba{v[1], v[3], v[5], 255}
		if mode == 12 {
			one[3], two[3] = v[6], v[7]
		}
		if two[0]+two[1]+two[2] < one[0]+one[1]+one[2] {
			one, two = two.contracted(), one.contracted()
		}
		return one, two, true
	case 9, 13:
		one, two = rgba{0, 0, 0, 255}, rgba{0, 0, 0, 255}
		sum := 0
		for c := range 3 {
			base, offset := astcSigned(v[2*c], v[2*c+1])
			one[c], two[c] = base, base+offset
			sum += offset
		}
		if mode == 13 {
			base, offset := astcSigned(v[6], v[7])
			one[3], two[3] = base, base+offset
		}
		if sum < 0 {
			one, two = two.contracted(), one.contracted()
		}
		return one.clamped(), two.clamped(), true
	}
	return one, two, false
}

// astcSigned moves the highest bit of an offset to its base; what is left has a sign.
func astcSigned(base, offset int) (b, o int) {
	b = base>>1 | offset&0x80
	o = offset >> 1 & 0x3f
	if o&0x20 != 0 {
		o -= 0x40
	}
	return b, o
}

// contracted moves red and green towards blue.
func (c rgba) contracted() rgba {
	return rgba{(c[0] + c[2]) >> 1, (c[1] + c[2]) >> 1, c[2], c[3]}
}

func (c rgba) clamped() rgba {
	for i := range c {
		c[i] = min(max(c[i], 0), 255)
	}
	return c
}
