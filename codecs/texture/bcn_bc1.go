package texture

import "encoding/binary"

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
