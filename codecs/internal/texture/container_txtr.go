package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"

	"pakdb/codecs"
)

// gxFormat is how the graphics card of GameCube and Wii stores pixels: in tiles.
type gxFormat struct {
	name          string
	width, height int // of a tile
	bits          int // of a pixel
	palette       bool
	pixel         func(v uint16) color.NRGBA // of up to 16 bits, without a palette
}

var gxFormats = []gxFormat{
	{name: "I4", width: 8, height: 8, bits: 4, pixel: func(v uint16) color.NRGBA { return grey(uint8(v*17), 255) }},
	{name: "I8", width: 8, height: 4, bits: 8, pixel: func(v uint16) color.NRGBA { return grey(uint8(v), 255) }},
	{name: "IA4", width: 8, height: 4, bits: 8, pixel: func(v uint16) color.NRGBA { return grey(uint8(v&15)*17, uint8(v>>4)*17) }},
	{name: "IA8", width: 4, height: 4, bits: 16, pixel: ia8},
	{name: "C4", width: 8, height: 8, bits: 4, palette: true},
	{name: "C8", width: 8, height: 4, bits: 8, palette: true},
	{name: "C14X2", width: 4, height: 4, bits: 16},
	{name: "RGB565", width: 4, height: 4, bits: 16, pixel: rgb565},
	{name: "RGB5A3", width: 4, height: 4, bits: 16, pixel: rgb5a3},
	{name: "RGBA8", width: 4, height: 4, bits: 32},
	{name: "CMPR", width: 8, height: 8, bits: 4},
}

func grey(v, alpha uint8) color.NRGBA { return color.NRGBA{v, v, v, alpha} }

func ia8(v uint16) color.NRGBA { return grey(uint8(v), uint8(v>>8)) }

func rgb565(v uint16) color.NRGBA {
	g := v >> 5 & 63
	return color.NRGBA{wider5(v >> 11), uint8(g<<2 | g>>4), wider5(v), 255}
}

func rgb5a3(v uint16) color.NRGBA {
	if v&0x8000 != 0 {
		return color.NRGBA{wider5(v >> 10), wider5(v >> 5), wider5(v), 255}
	}
	a := v >> 12 & 7
	return color.NRGBA{uint8(v>>8&15) * 17, uint8(v>>4&15) * 17, uint8(v&15) * 17, uint8(a<<5 | a<<2 | a>>1)}
}

func readTXTR(b []byte) (*Picture, error) {
	h, err := at(b, 0, 12)
	if err != nil {
		return nil, err
	}
	number := binary.BigEndian.Uint32(h)
	if int64(number) >= int64(len(gxFormats)) {
		return nil, codecs.Errorf(errors.ErrUnsupported, "TXTR of format %d", number)
	}
	f := &gxFormats[number]
	p := &Picture{Width: int(binary.BigEndian.Uint16(h[4:])), Height: int(binary.BigEndian.Uint16(h[6:])), Mips: int(binary.BigEndian.Uint32(h[8:])), Slices: 1, Format: f.name}
	if f.name == "C14X2" {
		return nil, codecs.Errorf(errors.ErrUnsupported, "TXTR of format %s", f.name)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	data := int64(12)
	var palette []color.NRGBA
	if f.palette {
		if palette, err = gxPalette(b); err != nil {
			return nil, err
		}
		data += 8 + 2*int64(len(palette))
	}
	p.decode = func(mip, _ int) (image.Image, error) {
		offset := data
		for m := range mip {
			offset += f.size(side(p.Width, m), side(p.Height, m))
		}
		w, h := side(p.Width, mip), side(p.Height, mip)
		tiles, err := at(b, offset, f.size(w, h))
		if err != nil {
			return nil, fmt.Errorf("mip %d: %w", mip, err)
		}
		return f.decode(tiles, w, h, palette)
	}
	return p, nil
}

// gxPalette returns the colours that are after the head.
func gxPalette(b []byte) ([]color.NRGBA, error) {
	h, err := at(b, 12, 8)
	if err != nil {
		return nil, err
	}
	kind := binary.BigEndian.Uint32(h)
	n := int64(binary.BigEndian.Uint16(h[4:])) * int64(binary.BigEndian.Uint16(h[6:]))
	if kind > 2 || n > 1<<14 {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "palette of %d colours of format %d", n, kind)
	}
	data, err := at(b, 20, 2*n)
	if err != nil {
		return nil, fmt.Errorf("palette: %w", err)
	}
	read := []func(uint16) color.NRGBA{ia8, rgb565, rgb5a3}[kind]
	colours := make([]color.NRGBA, n)
	for i := range colours {
		colours[i] = read(binary.BigEndian.Uint16(data[2*i:]))
	}
	return colours, nil
}

// size returns the bytes of a picture: whole tiles.
func (f *gxFormat) size(w, h int) int64 {
	across, down := (w+f.width-1)/f.width, (h+f.height-1)/f.height
	return int64(across) * int64(down) * int64(f.width*f.height*f.bits/8)
}

func (f *gxFormat) decode(b []byte, w, h int, palette []color.NRGBA) (image.Image, error) {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	tile := f.width * f.height * f.bits / 8
	for y := 0; y < h; y += f.height {
		for x := 0; x < w; x += f.width {
			switch f.name {
			case "CMPR":
				for k := range 4 {
					cmpr(out, x+4*(k&1), y+4*(k>>1), b[8*k:])
				}
			case "RGBA8":
				for i := range 16 {
					ar, gb := b[2*i:], b[32+2*i:]
					containerPut(out, x+i%4, y+i/4, color.NRGBA{ar[1], gb[0], gb[1], ar[0]})
				}
			default:
				for i := range f.width * f.height {
					c, err := f.colour(f.value(b, i), palette)
					if err != nil {
						return nil, err
					}
					containerPut(out, x+i%f.width, y+i/f.width, c)
				}
			}
			b = b[tile:]
		}
	}
	return out, nil
}

// value returns pixel i of a tile.
func (f *gxFormat) value(b []byte, i int) uint16 {
	switch f.bits {
	case 4:
		return uint16(b[i/2] >> (4 - 4*(i&1)) & 15)
	case 8:
		return uint16(b[i])
	}
	return binary.BigEndian.Uint16(b[2*i:])
}

func (f *gxFormat) colour(v uint16, palette []color.NRGBA) (color.NRGBA, error) {
	if !f.palette {
		return f.pixel(v), nil
	}
	if int(v) >= len(palette) {
		return color.NRGBA{}, codecs.Errorf(codecs.ErrCorrupt, "colour %d of a palette of %d", v, len(palette))
	}
	return palette[v], nil
}

// containerPut sets a pixel, if it is inside: tiles may reach beyond.
func containerPut(out *image.NRGBA, x, y int, c color.NRGBA) {
	if x < out.Rect.Max.X && y < out.Rect.Max.Y {
		out.SetNRGBA(x, y, c)
	}
}

// cmpr decodes a block of 4 x 4 pixels.
func cmpr(out *image.NRGBA, x, y int, b []byte) {
	c0, c1 := binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	p, q := rgb565(c0), rgb565(c1)
	colours := [4]color.NRGBA{p, q}
	if c0 > c1 {
		between := func(a, b uint8) uint8 { return uint8((5*int(a) + 3*int(b)) >> 3) }
		colours[2] = color.NRGBA{between(p.R, q.R), between(p.G, q.G), between(p.B, q.B), 255}
		colours[3] = color.NRGBA{between(q.R, p.R), between(q.G, p.G), between(q.B, p.B), 255}
	} else {
		mean := func(a, b uint8) uint8 { return uint8((int(a) + int(b) + 1) / 2) }
		colours[2] = color.NRGBA{mean(p.R, q.R), mean(p.G, q.G), mean(p.B, q.B), 255}
		colours[3] = colours[2]
		colours[3].A = 0
	}
	for i := range 16 {
		containerPut(out, x+i%4, y+i/4, colours[b[4+i/4]>>(6-2*(i%4))&3])
	}
}
