package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"

	"pakdb/codecs"
)

// targa is the head of a .tga.
type targa struct {
	kind          byte // without the flag for runs
	runs          bool
	bits          int // of a pixel
	paletteBits   int
	paletteFirst  int
	palette       []byte
	top, right    bool
	opaque        bool // of four bytes the last one is no opacity
	width, height int
}

func readTGA(b []byte) (*Picture, error) {
	h, err := at(b, 0, 18)
	if err != nil {
		return nil, err
	}
	u16 := func(offset int) int { return int(binary.LittleEndian.Uint16(h[offset:])) }
	g := &targa{kind: h[2] &^ 8, runs: h[2]&8 != 0, bits: int(h[16]), paletteBits: int(h[7]), paletteFirst: u16(3), top: h[17]&32 != 0, right: h[17]&16 != 0,
		opaque: h[16] == 32 && h[17]&15 == 0, width: u16(12), height: u16(14)}
	if h[1] > 1 || g.kind < 1 || g.kind > 3 || h[2] > 11 {
		return nil, codecs.Errorf(errors.ErrUnsupported, "Targa of kind %d, palette %d", h[2], h[1])
	}
	data := 18 + int64(h[0])
	paletteSize := int64(0)
	if h[1] == 1 {
		paletteSize = int64(u16(5)) * int64((g.paletteBits+7)/8)
	}
	if g.palette, err = at(b, data, paletteSize); err != nil {
		return nil, fmt.Errorf("palette: %w", err)
	}
	data += paletteSize
	if !g.fits() {
		return nil, codecs.Errorf(errors.ErrUnsupported, "Targa of kind %d with %d bits, palette of %d", g.kind, g.bits, g.paletteBits)
	}
	p := &Picture{Width: g.width, Height: g.height, Mips: 1, Slices: 1, Format: fmt.Sprintf("%d bits", g.bits)}
	if err := p.check(); err != nil {
		return nil, err
	}
	pixels := b[min(data, int64(len(b))):]
	p.decode = func(int, int) (image.Image, error) { return g.decode(pixels) }
	return p, nil
}

// fits reports whether the kind and the bits go together.
func (g *targa) fits() bool {
	colour := func(bits int) bool { return bits == 15 || bits == 16 || bits == 24 || bits == 32 }
	switch g.kind {
	case 1:
		return (g.bits == 8 || g.bits == 16) && colour(g.paletteBits) && len(g.palette) > 0
	case 2:
		return colour(g.bits)
	}
	return g.bits == 8
}

func (g *targa) decode(b []byte) (image.Image, error) {
	size := (g.bits + 7) / 8
	total := g.width * g.height
	if longest := int64(len(b)) * 128; !g.runs && int64(len(b)) < int64(total)*int64(size) || g.runs && int64(total) > longest {
		return nil, codecs.Errorf(codecs.ErrTruncated, "%d pixels of %d bits, %d bytes are there", total, g.bits, len(b))
	}
	out := image.NewNRGBA(image.Rect(0, 0, g.width, g.height))
	for n := 0; n < total; {
		count, repeat := total-n, false
		if g.runs {
			if len(b) == 0 {
				return nil, codecs.Errorf(codecs.ErrTruncated, "%d of %d pixels", n, total)
			}
			count, repeat = min(int(b[0]&127)+1, total-n), b[0]&128 != 0
			b = b[1:]
		}
		for i := range count {
			if len(b) < size {
				return nil, codecs.Errorf(codecs.ErrTruncated, "%d of %d pixels", n, total)
			}
			c, err := g.pixel(b)
			if err != nil {
				return nil, err
			}
			if g.opaque {
				c.A = 255
			}
			g.set(out, n, c)
			n++
			if !repeat || i == count-1 {
				b = b[size:]
			}
		}
	}
	return out, nil
}

func (g *targa) set(out *image.NRGBA, n int, c color.NRGBA) {
	x, y := n%g.width, n/g.width
	if !g.top {
		y = g.height - 1 - y
	}
	if g.right {
		x = g.width - 1 - x
	}
	out.SetNRGBA(x, y, c)
}

// pixel returns the colour of the pixel that b begins with.
func (g *targa) pixel(b []byte) (color.NRGBA, error) {
	switch g.kind {
	case 3:
		return color.NRGBA{b[0], b[0], b[0], 255}, nil
	case 1:
		i := int(b[0])
		if g.bits == 16 {
			i = int(binary.LittleEndian.Uint16(b))
		}
		size := (g.paletteBits + 7) / 8
		i = (i - g.paletteFirst) * size
		if i < 0 || i+size > len(g.palette) {
			return color.NRGBA{}, codecs.Errorf(codecs.ErrCorrupt, "colour outside of a palette of %d bytes", len(g.palette))
		}
		return targaColour(g.palette[i:], g.paletteBits), nil
	}
	return targaColour(b, g.bits), nil
}

func targaColour(b []byte, bits int) color.NRGBA {
	switch bits {
	case 24:
		return color.NRGBA{b[2], b[1], b[0], 255}
	case 32:
		return color.NRGBA{b[2], b[1], b[0], b[3]}
	}
	v := binary.LittleEndian.Uint16(b)
	return color.NRGBA{wider5(v >> 10), wider5(v >> 5), wider5(v), 255}
}

// wider5 returns the low 5 bits as 8.
func wider5(v uint16) uint8 {
	v &= 31
	return uint8(v<<3 | v>>2)
}
