package texture

import (
	"encoding/binary"
)

// The decoders write the 4 x 4 pixels of a block, rows of stride bytes.

func decodeBC1(dst, src []byte, stride int) { bcnColours(dst, src, stride, false) }
func decodeBC4(dst, src []byte, stride int) { single(dst, src, stride, 1) }

// decodeBC5 writes two bytes a pixel: X and Y of normals.
func decodeBC5(dst, src []byte, stride int) {
	single(dst, src, stride, 2)
	single(dst[1:], src[8:], stride, 2)
}

const opaque = 0xff000000

// bcnColours decodes a block of colours. In always four there is no transparent one.
func bcnColours(dst, src []byte, stride int, four bool) {
	var palette [4]uint32
	c0, c1 := binary.LittleEndian.Uint16(src), binary.LittleEndian.Uint16(src[2:])
	r0, g0, b0 := expand565(c0)
	r1, g1, b1 := expand565(c1)
	palette[0], palette[1] = opaque|r0|g0<<8|b0<<16, opaque|r1|g1<<8|b1<<16
	if four || c0 > c1 {
		palette[2] = opaque | (2*r0+r1)/3 | (2*g0+g1)/3<<8 | (2*b0+b1)/3<<16
		palette[3] = opaque | (r0+2*r1)/3 | (g0+2*g1)/3<<8 | (b0+2*b1)/3<<16
	} else {
		palette[2] = opaque | (r0+r1)/2 | (g0+g1)/2<<8 | (b0+b1)/2<<16
	}
	indices := binary.LittleEndian.Uint32(src[4:])
	for y := range 4 {
		row := dst[y*stride:][:16]
		binary.LittleEndian.PutUint32(row, palette[indices&3])
		binary.LittleEndian.PutUint32(row[4:], palette[indices>>2&3])
		binary.LittleEndian.PutUint32(row[8:], palette[indices>>4&3])
		binary.LittleEndian.PutUint32(row[12:], palette[indices>>6&3])
		indices >>= 8
	}
}

func expand565(c uint16) (r, g, b uint32) {
	r, g, b = uint32(c>>11), uint32(c>>5&63), uint32(c&31)
	return r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2
}

func decodeBC2(dst, src []byte, stride int) {
	bcnColours(dst, src[8:], stride, true)
	alpha := binary.LittleEndian.Uint64(src)
	for y := range 4 {
		row := dst[y*stride:][:16]
		for x := 3; x < 16; x += 4 {
			row[x] = byte(alpha&15) * 17
			alpha >>= 4
		}
	}
}

func decodeBC3(dst, src []byte, stride int) {
	bcnColours(dst, src[8:], stride, true)
	single(dst[3:], src, stride, 4)
}

// single decodes a block of one channel into every step-th byte.
func single(dst, src []byte, stride, step int) {
	a, b := uint32(src[0]), uint32(src[1])
	palette := [8]byte{src[0], src[1]}
	if a > b {
		for i := uint32(1); i < 7; i++ {
			palette[i+1] = byte(((7-i)*a + i*b + 3) / 7)
		}
	} else {
		for i := uint32(1); i < 5; i++ {
			palette[i+1] = byte(((5-i)*a + i*b + 2) / 5)
		}
		palette[7] = 255
	}
	indices := binary.LittleEndian.Uint64(src) >> 16
	for y := range 4 {
		row := dst[y*stride:][:3*step+1]
		row[0] = palette[indices&7]
		row[step] = palette[indices>>3&7]
		row[2*step] = palette[indices>>6&7]
		row[3*step] = palette[indices>>9&7]
		indices >>= 12
	}
}

// one is 1 as a half float.
const one = 0x3c00

func decodeBC6H(dst, src []byte, stride int) {
	b := bcnBitsOf(src)
	mode := b.take(2)
	if mode > 1 {
		mode |= b.take(3) << 2
	}
	m := &halfModes[mode]
	if m.fields == nil { // reserved: black
		for k := range 16 {
			putHalf(dst[k>>2*stride+k&3*8:], 0, 0, 0)
		}
		return
	}
	var ends [4][4]uint32
	two := false
	for _, f := range m.fields {
		to := &ends[f.endpoint][f.channel]
		two = two || f.channel == 3
		if f.first <= f.last {
			*to |= b.take(f.last-f.first+1) << f.first
			continue
		}
		for at := f.first; at >= f.last; at-- {
			*to |= b.take(1) << at
		}
	}
	shape := ends[0][3]
	n, subsets, anchors, bitsOfIndex := 2, uint32(0), uint32(1), uint8(4)
	if two {
		n, bitsOfIndex = 4, 3
		subsets, anchors = subsetsOf(2, shape)
	}
	for c := range 3 {
		for i := range n {
			v := ends[i][c]
			if i > 0 && m.differ {
				unused := 32 - m.others[c]
				v = (ends[0][c] + uint32(int32(v<<unused)>>unused)) & (1<<m.bits - 1)
			}
			if i > 0 {
				ends[i][c] = unquantise(v, m.bits)
			}
		}
		ends[0][c] = unquantise(ends[0][c], m.bits)
	}
	var indices [16]uint8
	readIndices(&b, bitsOfIndex, anchors, &indices)
	for k := range 16 {
		s := subsets & 3 * 2
		subsets >>= 2
		w := uint32(weights[bitsOfIndex][indices[k]&15])
		var c [3]uint16
		for i := range c {
			c[i] = uint16((((64-w)*ends[s&3][i] + w*ends[s&3+1][i] + 32) >> 6) * 31 >> 6)
		}
		putHalf(dst[k>>2*stride+k&3*8:], c[0], c[1], c[2])
	}
}

// unquantise spreads a value of so many bits over 16.
func unquantise(v uint32, bits uint8) uint32 {
	switch {
	case bits >= 15 || v == 0:
		return v
	case v == 1<<bits-1:
		return 0xffff
	}
	return (v<<15 + 0x4000) >> (bits - 1)
}

func putHalf(dst []byte, r, g, b uint16) {
	binary.LittleEndian.PutUint64(dst, uint64(r)|uint64(g)<<16|uint64(b)<<32|one<<48)
}

// bcnBits128 is a block of 128 bits, read from the lowest on.
type bcnBits128 struct{ lo, hi uint64 }

func bcnBitsOf(src []byte) bcnBits128 {
	return bcnBits128{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
}

// take returns the next n bits, at most 31.
func (b *bcnBits128) take(n uint8) uint32 {
	v := uint32(b.lo & (1<<n - 1))
	b.lo = b.lo>>n | b.hi<<(64-n)
	b.hi >>= n
	return v
}
