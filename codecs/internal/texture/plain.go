package texture

import (
	"encoding/binary"
	"math"
	"sync"
)

// plainFormat is how a pixel is stored. The zero value is none.
type plainFormat uint8

// The formats, with what [plainDecode] makes of a pixel. All numbers are little-endian.
const (
	plainBGRA8   plainFormat = iota + 1 // R G B A
	plainRGBA8                          // R G B A
	plainBGR8                           // R G B A; A is 255
	plainRGB565                         // R G B A; A is 255; red is in the high bits
	plainG8                             // grey
	plainG16                            // grey of 16 bits, big-endian as package image has it
	plainR16F                           // grey
	plainR32F                           // grey
	plainRG16F                          // R G B A; B is 0, A is 255
	plainRGBA16F                        // R G B A
	plainRGBA32F                        // R G B A
	plainV8U8                           // R G B A: two signed bytes plus 128; B is restored, A is 255
	plainP8                             // R G B A by a palette: see [plainDecodePalette]
)

// plainFormats has how many bytes of each format are stored for a pixel, and how many
// [plainDecode] makes of them: 1 or 2 of grey, else 4.
var plainFormats = [...]struct{ stored, pixel int }{
	plainBGRA8: {4, 4}, plainRGBA8: {4, 4}, plainBGR8: {3, 4}, plainRGB565: {2, 4}, plainG8: {1, 1}, plainG16: {2, 2}, plainR16F: {2, 1},
	plainR32F: {4, 1}, plainRG16F: {4, 4}, plainRGBA16F: {8, 4}, plainRGBA32F: {16, 4}, plainV8U8: {2, 4}, plainP8: {1, 4},
}

// plainDecodePalette decodes indices into a palette of four bytes a colour, R G B A. An index
// after its end is transparent black.
func plainDecodePalette(dst, src, palette []byte) {
	var all [256 * 4]byte
	copy(all[:], palette)
	for i, index := range src {
		copy(dst[4*i:4*i+4], all[4*int(index):])
	}
}

// plainDecode decodes pixels of any format but plainP8.
func plainDecode(dst, src []byte, f plainFormat) {
	switch f {
	case plainRGBA8, plainG8:
		copy(dst, src)
	case plainBGRA8:
		for i := 0; i+4 <= len(src) && i+4 <= len(dst); i += 4 {
			v := binary.LittleEndian.Uint32(src[i:])
			binary.LittleEndian.PutUint32(dst[i:], v&0xff00ff00|v&0xff<<16|v>>16&0xff)
		}
	case plainBGR8:
		for len(src) >= 3 {
			dst[0], dst[1], dst[2], dst[3] = src[2], src[1], src[0], 255
			dst, src = dst[4:], src[3:]
		}
	case plainRGB565:
		for len(src) >= 2 {
			v := binary.LittleEndian.Uint16(src)
			r, g, b := byte(v>>11), byte(v>>5&63), byte(v&31)
			dst[0], dst[1], dst[2], dst[3] = r<<3|r>>2, g<<2|g>>4, b<<3|b>>2, 255
			dst, src = dst[4:], src[2:]
		}
	case plainG16:
		for i := 0; i+2 <= len(src); i += 2 {
			dst[i], dst[i+1] = src[i+1], src[i]
		}
	case plainV8U8:
		for len(src) >= 2 {
			dst[0], dst[1] = src[0]+128, src[1]+128
			dst[2], dst[3] = plainBlue(dst[0], dst[1]), 255
			dst, src = dst[4:], src[2:]
		}
	default:
		decodeFloats(dst, src, f)
	}
}

func decodeFloats(dst, src []byte, f plainFormat) {
	bytes := halfBytes()
	switch f {
	case plainR16F, plainRGBA16F: // as many bytes as halfs
		for i := range dst {
			dst[i] = bytes[binary.LittleEndian.Uint16(src[2*i:])]
		}
	case plainRG16F:
		for len(src) >= 4 {
			dst[0], dst[1], dst[2], dst[3] = bytes[binary.LittleEndian.Uint16(src)], bytes[binary.LittleEndian.Uint16(src[2:])], 0, 255
			dst, src = dst[4:], src[4:]
		}
	case plainR32F, plainRGBA32F:
		for i := range dst {
			dst[i] = tone(math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:])))
		}
	}
}

// tone is the tone curve.
func tone(v float32) byte {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return 255
	}
	return byte(v*255 + 0.5)
}

// halfBytes returns the byte of every half float.
var halfBytes = sync.OnceValue(func() *[1 << 16]byte {
	var table [1 << 16]byte
	for h := range table {
		table[h] = tone(halfFloat(uint16(h)))
	}
	return &table
})

// plainBlue returns the third coordinate of a normal of which red and green are the others:
// they mean -1 to 1.
func plainBlue(red, green byte) byte {
	x, y := float32(red)/127.5-1, float32(green)/127.5-1
	return byte(float32(math.Sqrt(float64(max(0, 1-x*x-y*y))))*127 + 128)
}
