package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// astcPixelSize is how many bytes [astcDecode] writes for a pixel: R G B A.
const astcPixelSize = 4

// astcSize returns how many bytes a picture has in blocks of some sides. ok is false for sides
// below 1, blocks that there are not, and a picture of more than 2 GiB.
func astcSize(width, height, blockWidth, blockHeight int) (size int, ok bool) {
	if width < 1 || height < 1 || width > math.MaxInt32 || height > math.MaxInt32 || !isBlock(blockWidth, blockHeight) {
		return 0, false
	}
	blocks := (int64(width) + int64(blockWidth) - 1) / int64(blockWidth) * ((int64(height) + int64(blockHeight) - 1) / int64(blockHeight))
	if blocks > math.MaxInt32/blockSize || int64(width)*int64(height) > math.MaxInt32/astcPixelSize {
		return 0, false
	}
	return int(blocks) * blockSize, true
}

const blockSize = 16 // bytes

// isBlock reports whether blocks have such sides.
func isBlock(width, height int) bool {
	switch [2]int{width, height} {
	case [2]int{4, 4}, [2]int{5, 4}, [2]int{5, 5}, [2]int{6, 5}, [2]int{6, 6}, [2]int{8, 5}, [2]int{8, 6}, [2]int{8, 8},
		[2]int{10, 5}, [2]int{10, 6}, [2]int{10, 8}, [2]int{10, 10}, [2]int{12, 10}, [2]int{12, 12}:
		return true
	}
	return false
}

// errASTCSize means that the sides of a picture do not fit the bytes.
var errASTCSize = errors.New("astc: size")

// errASTCHDR means that a picture has colours above 1.
var errASTCHDR = errors.New("astc: HDR blocks")

// astcDecode decodes a picture from src into dst, which must have room for width * height pixels
// of [astcPixelSize]. src may be longer than the picture. The error wraps [errASTCSize], and dst is
// unchanged then, or [errASTCHDR].
func astcDecode(dst, src []byte, width, height, blockWidth, blockHeight int) error {
	size, ok := astcSize(width, height, blockWidth, blockHeight)
	switch {
	case !ok:
		return fmt.Errorf("%w: %d x %d pixels in blocks of %d x %d", errASTCSize, width, height, blockWidth, blockHeight)
	case len(src) < size:
		return fmt.Errorf("%w: %d x %d pixels in blocks of %d x %d take %d bytes, %d are there", errASTCSize, width, height, blockWidth, blockHeight, size, len(src))
	case len(dst) < width*height*astcPixelSize:
		return fmt.Errorf("%w: %d bytes for %d of pixels", errASTCSize, len(dst), width*height*astcPixelSize)
	}
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
