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

// rgb is a colour before it is cut to bytes.
type rgb [3]int

// four widens 4 bits of each channel to 8.
func four(r, g, b uint64) rgb { return rgb{int(r) * 17, int(g) * 17, int(b) * 17} }

func five(v uint64) int  { return int(v<<3 | v>>2) }
func six(v uint64) int   { return int(v<<2 | v>>4) }
func seven(v uint64) int { return int(v<<1 | v>>6) }

func (c rgb) plus(d int) rgb { return rgb{c[0] + d, c[1] + d, c[2] + d} }

func (c rgb) packed() uint32 {
	return uint32(clamp(c[0])) | uint32(clamp(c[1]))<<8 | uint32(clamp(c[2]))<<16 | 255<<24
}

// etcColours decodes a block of colours. What would leave 0 to 31 in differential mode means
// another mode.
func etcColours(dst []byte, v uint64, stride int) {
	if v>>33&1 == 0 {
		one, two := four(v>>60&15, v>>52&15, v>>44&15), four(v>>56&15, v>>48&15, v>>40&15)
		halves(dst, v, stride, one, two)
		return
	}
	var one, two rgb
	for c := range 3 {
		shift := 59 - 8*c
		base, delta := v>>shift&31, int(v>>(shift-3)&7)
		if delta > 3 {
			delta -= 8
		}
		sum := int(base) + delta
		if sum < 0 || sum > 31 {
			switch c {
			case 0:
				modeT(dst, v, stride)
			case 1:
				modeH(dst, v, stride)
			default:
				planar(dst, v, stride)
			}
			return
		}
		one[c], two[c] = five(base), five(uint64(sum))
	}
	halves(dst, v, stride, one, two)
}

// halves decodes a block of two halves, each a colour with four brightnesses.
func halves(dst []byte, v uint64, stride int, one, two rgb) {
	var palettes [2][4]uint32
	for h, c := range [2]rgb{one, two} {
		m := brightness[v>>(37-3*h)&7]
		palettes[h] = [4]uint32{c.plus(m[0]).packed(), c.plus(m[1]).packed(), c.plus(-m[0]).packed(), c.plus(-m[1]).packed()}
	}
	flip := v>>32&1 != 0
	for k := range 16 {
		x, y := k/4, k%4
		h := x / 2
		if flip {
			h = y / 2
		}
		etcPut(dst, x, y, stride, palettes[h][index(v, k)])
	}
}

// index is that of pixel k, counted by columns.
func index(v uint64, k int) uint64 { return v>>(16+k)&1<<1 | v>>k&1 }

func etcPut(dst []byte, x, y, stride int, colour uint32) {
	binary.LittleEndian.PutUint32(dst[y*stride+4*x:], colour)
}

func paint(dst []byte, v uint64, stride int, palette *[4]uint32) {
	for k := range 16 {
		etcPut(dst, k/4, k%4, stride, palette[index(v, k)])
	}
}

// modeT decodes a block of one colour, and another in three brightnesses.
func modeT(dst []byte, v uint64, stride int) {
	one := four(v>>59&3<<2|v>>56&3, v>>52&15, v>>48&15)
	two := four(v>>44&15, v>>40&15, v>>36&15)
	d := distances[v>>34&3<<1|v>>32&1]
	paint(dst, v, stride, &[4]uint32{one.packed(), two.plus(d).packed(), two.packed(), two.plus(-d).packed()})
}

// modeH decodes a block of two colours in two brightnesses each.
func modeH(dst []byte, v uint64, stride int) {
	one := four(v>>59&15, v>>56&7<<1|v>>52&1, v>>51&1<<3|v>>47&7)
	two := four(v>>43&15, v>>39&15, v>>35&15)
	order := uint64(0)
	if one[0]<<16|one[1]<<8|one[2] >= two[0]<<16|two[1]<<8|two[2] {
		order = 1
	}
	d := distances[v>>34&1<<2|v>>32&1<<1|order]
	paint(dst, v, stride, &[4]uint32{one.plus(d).packed(), one.plus(-d).packed(), two.plus(d).packed(), two.plus(-d).packed()})
}

// planar decodes a block whose colours change evenly.
func planar(dst []byte, v uint64, stride int) {
	o := rgb{six(v >> 57 & 63), seven(v>>56&1<<6 | v>>49&63), six(v>>48&1<<5 | v>>43&3<<3 | v>>39&7)}
	h := rgb{six(v>>34&31<<1 | v>>32&1), seven(v >> 25 & 127), six(v >> 19 & 63)}
	w := rgb{six(v >> 13 & 63), seven(v >> 6 & 127), six(v & 63)}
	for k := range 16 {
		x, y := k/4, k%4
		var c rgb
		for i := range c {
			c[i] = (x*(h[i]-o[i]) + y*(w[i]-o[i]) + 4*o[i] + 2) >> 2
		}
		etcPut(dst, x, y, stride, c.packed())
	}
}

// The tables of the specification.
var (
	brightness = [8][2]int{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}
	distances  = [8]int{3, 6, 11, 16, 23, 32, 41, 64}
	modifiers  = [16][8]int8{
		{-3, -6, -9, -15, 2, 5, 8, 14},
		{-3, -7, -10, -13, 2, 6, 9, 12},
		{-2, -5, -8, -13, 1, 4, 7, 12},
		{-2, -4, -6, -13, 1, 3, 5, 12},
		{-3, -6, -8, -12, 2, 5, 7, 11},
		{-3, -7, -9, -11, 2, 6, 8, 10},
		{-4, -7, -8, -11, 3, 6, 7, 10},
		{-3, -5, -8, -11, 2, 4, 7, 10},
		{-2, -6, -8, -10, 1, 5, 7, 9},
		{-2, -5, -8, -10, 1, 4, 7, 9},
		{-2, -4, -8, -10, 1, 3, 7, 9},
		{-2, -5, -7, -10, 1, 4, 6, 9},
		{-3, -4, -7, -10, 2, 3, 6, 9},
		{-1, -2, -3, -10, 0, 1, 2, 9},
		{-4, -6, -8, -9, 3, 5, 7, 8},
		{-3, -5, -7, -9, 2, 4, 6, 8},
	}
)
