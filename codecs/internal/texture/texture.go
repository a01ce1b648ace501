// Package texture decodes pictures of graphics cards by the names that Unreal Engine has
// for their formats: it knows which decoder a format needs, how many bytes a picture takes,
// and makes an [image.Image] of the pixels.
//
//	Named("PF_DXT1") -> Format.Size -> Format.Decode
//
// Formats that nothing decodes have a size as well, so that tables of them can be checked.
//
// What was two channels of a normal map gets its third one back. Pictures of floats become
// bytes by the tone curve below.
//
// # Plain pixels
//
// The functions of plain.go decode pixels that are stored one after another, without blocks: whole
// bytes of colour or grey, half and single floats, indices into a palette.
//
//	pixels as a graphics card has them -> plainDecode -> pixels of a picture, row by row
//
// # Tone curve
//
// Floats become bytes by one curve: values are cut to 0 to 1, multiplied by 255 and
// rounded to the nearest; no number is 0. So a picture of colours that were stored linear
// stays linear, and what is brighter than 1 is white. [Format.DecodeFloats] keeps floats, for
// Radiance and OpenEXR files.
//
// # BC1 to BC7
//
// The functions of bcn.go decode the block formats of PC graphics cards: BC1 to BC5 (DXT1, DXT3,
// DXT5, ATI1, ATI2), BC6H and BC7. Blocks are 4x4 pixels, rows of blocks from left to
// right and top to bottom; a picture whose sides are no multiples of 4 has whole blocks
// at its edges, of which the rest is cut off. Every
// sequence of bits of the right length is a valid picture.
//
// Layouts are those of the Khronos Data Format Specification, chapters 18 (S3TC), 19
// (RGTC) and 20 (BPTC). The bits of BC1, BC2, BC3's colours, BC7 and BC6H are exact; the
// values between two of BC3's alpha, BC4 and BC5 are rounded to the nearest, as
// graphics cards may differ by 1 there.
//
// # ETC and EAC
//
// The functions of etc.go decode the block formats of OpenGL ES 3: ETC1, ETC2 with and without
// alpha, and EAC of one and two channels, in blocks of 4x4 pixels as above.
//
// Layouts are those of the Khronos Data Format Specification, chapters 22 (ETC1) and 23
// (ETC2). Colours and alpha are exact. EAC of 11 bits is shown as a byte: value * 255 /
// 2047, rounded to the nearest.
//
// # ASTC
//
// The functions of astc.go decode the block format ASTC: pictures of colours from 0 to 1 ("LDR"), in
// two dimensions. Blocks of 4x4 to 12x12 pixels take 16 bytes each, rows of blocks from left
// to right and top to bottom; what sticks out at the edges is cut off.
//
//	block -> block mode, weights -> partitions, endpoints -> colours
//
// Blocks that the specification calls illegal are magenta, as it demands. A picture with
// colours above 1 is refused with [errASTCHDR].
//
// The layout is that of the Khronos Data Format Specification, chapter 24. Colours are what
// its linear profile gives, of 16 bits the nearest byte; where the specification takes the
// upper 8, for sRGB, that differs by 1 at most.
//
// # Files that are a picture
//
// [Read] reads files that are a picture: DDS, Targa, and TXTR of Metroid Prime.
// What they have is decoded by the functions above.
//
// CONTAINER.md has the layouts.
package texture

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"sync"

	"pakdb/codecs"
)

// Format is how pictures are stored.
type Format struct {
	Name string // as the engine has it, such as "PF_DXT1"
	// Width and Height are those of a block of pixels, 1 where there are none, and Bytes
	// is what one takes.
	Width, Height, Bytes int
	Float                bool // of colours that may be brighter than white

	// Palette is the colours of PF_P8, four bytes each: R G B A.
	Palette []byte

	decode func(dst, src []byte, stride int) // of a block of 4 x 4 pixels; nil: see the others
	pixel  int                               // bytes that decode makes of a pixel
	astc   bool
	pixels plainFormat
}

// formats are those that engines cook to, by their names without "PF_".
var formats = sync.OnceValue(func() map[string]Format {
	block := func(bytes, pixel int, decode func(dst, src []byte, stride int)) Format {
		return Format{Width: 4, Height: 4, Bytes: bytes, pixel: pixel, decode: decode}
	}
	pixel := func(f plainFormat) Format {
		return Format{Width: 1, Height: 1, Bytes: plainFormats[f].stored, pixels: f}
	}
	float := func(f plainFormat) Format {
		out := pixel(f)
		out.Float = true
		return out
	}
	other := func(width, height, bytes int) Format { return Format{Width: width, Height: height, Bytes: bytes} }
	square := func(side int) Format { return Format{Width: side, Height: side, Bytes: 16, astc: true} }
	hdr := block(16, 8, decodeBC6H)
	hdr.Float = true
	return map[string]Format{
		"DXT1": block(8, 4, decodeBC1), "DXT3": block(16, 4, decodeBC2), "DXT5": block(16, 4, decodeBC3),
		"BC4": block(8, 1, decodeBC4), "BC5": block(16, 2, decodeBC5), "BC6H": hdr, "BC7": block(16, 4, decodeBC7),
		"B8G8R8A8": pixel(plainBGRA8), "A8R8G8B8": pixel(plainBGRA8), "R8G8B8A8": pixel(plainRGBA8),
		"G8": pixel(plainG8), "L8": pixel(plainG8), "R8": pixel(plainG8), "A8": pixel(plainG8), "R8_UINT": pixel(plainG8),
		"G16": pixel(plainG16), "R16_UINT": pixel(plainG16), "V8U8": pixel(plainV8U8), "R5G6B5_UNORM": pixel(plainRGB565),
		"P8": pixel(plainP8), "B8G8R8": pixel(plainBGR8),
		"R16F": float(plainR16F), "R16F_FILTER": float(plainR16F), "G16R16F": float(plainRG16F), "G16R16F_FILTER": float(plainRG16F),
		"FloatRGBA": float(plainRGBA16F), "R32_FLOAT": float(plainR32F), "A32B32G32R32F": float(plainRGBA32F),
		"ETC1": block(8, 4, decodeETCRGB), "ETC2_RGB": block(8, 4, decodeETCRGB), "ETC2_RGBA": block(16, 4, decodeETCRGBA),
		"ETC2_R11_EAC": block(8, 1, decodeEACR), "ETC2_RG11_EAC": block(16, 2, decodeEACRG),
		"ASTC_4x4": square(4), "ASTC_6x6": square(6), "ASTC_8x8": square(8), "ASTC_10x10": square(10), "ASTC_12x12": square(12),
		"ASTC_4x4_HDR": other(4, 4, 16), "ASTC_6x6_HDR": other(6, 6, 16), "ASTC_8x8_HDR": other(8, 8, 16), "ASTC_10x10_HDR": other(10, 10, 16),
		"ASTC_12x12_HDR": other(12, 12, 16), "ASTC_4x4_NORM_RG": square(4),
		"PVRTC2": other(8, 4, 8), "PVRTC4": other(4, 4, 8), "FloatRGB": other(1, 1, 4), "FloatR11G11B10": other(1, 1, 4),
		"A2B10G10R10": other(1, 1, 4), "A16B16G16R16": other(1, 1, 8), "R8G8": other(1, 1, 2), "G16R16": other(1, 1, 4),
	}
})

// Named returns the format that the engine calls so: "PF_DXT1". The error of any other
// wraps [errors.ErrUnsupported].
func Named(name string) (Format, error) {
	f, ok := formats()[strings.TrimPrefix(name, "PF_")]
	if !ok {
		return Format{}, codecs.Errorf(errors.ErrUnsupported, "pixel format %q", name)
	}
	f.Name = name
	return f, nil
}

// Size returns how many bytes a picture takes. ok is false for sides below 1 or above
// 65,536, and for the zero Format.
func (f *Format) Size(width, height int) (size int64, ok bool) {
	if f.Bytes == 0 || width < 1 || height < 1 || width > maxSide || height > maxSide {
		return 0, false
	}
	across, down := (width+f.Width-1)/f.Width, (height+f.Height-1)/f.Height
	return int64(across) * int64(down) * int64(f.Bytes), true
}

// Bounds of pictures. The engine's sides have 16 bits at most.
const (
	maxSide   = 1 << 16
	maxPixels = 1 << 27 // of a picture that is decoded: 512 MB
)

// Decode decodes a picture. It is an [image.Gray] or [image.Gray16] of one channel, else an
// [image.NRGBA]. The error wraps [codecs.ErrTruncated] where bytes are missing,
// [codecs.ErrLimit] of pictures above 134,217,728 pixels, and [errors.ErrUnsupported] of
// formats that cannot be decoded.
func (f *Format) Decode(src []byte, width, height int) (image.Image, error) {
	size, err := f.fits(src, width, height)
	if err != nil {
		return nil, err
	}
	switch {
	case f.pixels == plainP8:
		out, pixels := newImage(4, width, height)
		plainDecodePalette(pixels, src[:size], f.Palette)
		return out, nil
	case f.pixels != 0:
		out, pixels := newImage(plainFormats[f.pixels].pixel, width, height)
		plainDecode(pixels, src[:size], f.pixels)
		return out, nil
	case f.astc:
		out, pixels := newImage(astcPixelSize, width, height)
		return out, hdrUnsupported(astcDecode(pixels, src, width, height, f.Width, f.Height))
	case f.decode != nil:
		return f.blocks(src, width, height), nil
	}
	return nil, codecs.Errorf(errors.ErrUnsupported, "pixels of %s", f.Name)
}

// fits returns how many bytes a picture takes, which must be there.
func (f *Format) fits(src []byte, width, height int) (int64, error) {
	size, ok := f.Size(width, height)
	if !ok || width*height > maxPixels {
		return 0, codecs.Errorf(codecs.ErrLimit, "%s of %d x %d pixels", f.Name, width, height)
	}
	if int64(len(src)) < size {
		return 0, codecs.Errorf(codecs.ErrTruncated, "%s of %d x %d pixels takes %d bytes, %d are there", f.Name, width, height, size, len(src))
	}
	return size, nil
}

func hdrUnsupported(err error) error {
	if errors.Is(err, errASTCHDR) {
		return codecs.Errorf(errors.ErrUnsupported, "%v", err)
	}
	return err
}

// blocks returns a picture of blocks. Two bytes a pixel are two channels of normals, eight are
// halfs.
func (f *Format) blocks(src []byte, width, height int) image.Image {
	if f.pixel == 1 || f.pixel == 4 {
		out, pixels := newImage(f.pixel, width, height)
		f.decodeBlocks(pixels, src, width, height)
		return out
	}
	raw := make([]byte, width*height*f.pixel)
	f.decodeBlocks(raw, src, width, height)
	out, pixels := newImage(4, width, height)
	if f.pixel == 8 {
		plainDecode(pixels, raw, plainRGBA16F)
		return out
	}
	for i := 0; i+2 <= len(raw); i += 2 {
		red, green := raw[i], raw[i+1]
		pixels[2*i], pixels[2*i+1], pixels[2*i+2], pixels[2*i+3] = red, green, plainBlue(red, green), 255
	}
	return out
}

// decodeBlocks decodes all blocks. One that sticks out is decoded aside, and cut.
func (f *Format) decodeBlocks(dst, src []byte, width, height int) {
	stride := width * f.pixel
	var aside [4 * 4 * 8]byte
	for y := 0; y < height; y += 4 {
		rows := min(height-y, 4)
		for x := 0; x < width; x += 4 {
			at := y*stride + x*f.pixel
			if rows == 4 && x+4 <= width {
				f.decode(dst[at:], src[:f.Bytes:f.Bytes], stride)
			} else {
				f.decode(aside[:], src[:f.Bytes:f.Bytes], 4*f.pixel)
				n := min(width-x, 4) * f.pixel
				for r := range rows {
					copy(dst[at+r*stride:at+r*stride+n], aside[r*4*f.pixel:])
				}
			}
			src = src[f.Bytes:]
		}
	}
}

// newImage returns a picture of so many bytes a pixel, and these.
func newImage(pixel, width, height int) (image.Image, []byte) {
	r := image.Rect(0, 0, width, height)
	switch pixel {
	case 1:
		out := image.NewGray(r)
		return out, out.Pix
	case 2:
		out := image.NewGray16(r)
		return out, out.Pix
	}
	out := image.NewNRGBA(r)
	return out, out.Pix
}

// Normals returns a normal map of which the coordinates are stored as grey and alpha, or as
// red and green, as ASTC has them: red and green with the third one restored.
func Normals(p image.Image) image.Image {
	in, ok := p.(*image.NRGBA)
	if !ok {
		return p
	}
	at := 3 // of the second coordinate
	for i := 0; i+4 <= len(in.Pix); i += 4 {
		if in.Pix[i] != in.Pix[i+1] || in.Pix[i] != in.Pix[i+2] {
			at = 1
			break
		}
	}
	out := image.NewNRGBA(in.Rect)
	for i := 0; i+4 <= len(in.Pix); i += 4 {
		x, y := in.Pix[i], in.Pix[i+at]
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = x, y, plainBlue(x, y), 255
	}
	return out
}

// Below returns pictures of one size and kind below each other.
func Below(parts []image.Image) (image.Image, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	b := parts[0].Bounds()
	if b.Dx()*b.Dy()*len(parts) > maxPixels {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d slices of %d x %d pixels", len(parts), b.Dx(), b.Dy())
	}
	out, pixels := newImage(len(pixelsOf(parts[0]))/(b.Dx()*b.Dy()), b.Dx(), b.Dy()*len(parts))
	for i, part := range parts {
		from := pixelsOf(part)
		if part.Bounds() != b || copy(pixels[i*len(from):], from) != len(from) {
			return nil, fmt.Errorf("slice %d is of another size", i)
		}
	}
	return out, nil
}

func pixelsOf(i image.Image) []byte {
	switch i := i.(type) {
	case *image.Gray:
		return i.Pix
	case *image.Gray16:
		return i.Pix
	case *image.NRGBA:
		return i.Pix
	}
	return nil
}
