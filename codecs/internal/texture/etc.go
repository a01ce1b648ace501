package texture

import (
	"encoding/binary"
)

// The decoders write the 4 x 4 pixels of a block, rows of stride bytes. ETC1 is RGB without
// its new modes.

func decodeETCRGB(dst, src []byte, stride int) { etcColours(dst, binary.BigEndian.Uint64(src), stride) }
func decodeEACR(dst, src []byte, stride int)   { eac11(dst, binary.BigEndian.Uint64(src), stride, 1) }

func decodeETCRGBA(dst, src []byte, stride int) {
	etcColours(dst, binary.BigEndian.Uint64(src[8:]), stride)
	eac8(dst[3:], binary.BigEndian.Uint64(src), stride)
}

// decodeEACRG writes two bytes a pixel: X and Y of normals.
func decodeEACRG(dst, src []byte, stride int) {
	eac11(dst, binary.BigEndian.Uint64(src), stride, 2)
	eac11(dst[1:], binary.BigEndian.Uint64(src[8:]), stride, 2)
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
