package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"path"
	"strings"

	"pakdb/codecs"
)

// Picture is a file that is one, or several.
type Picture struct {
	Width, Height, Mips int
	Slices              int    // of the largest mip: faces of a cube, layers, or the depth of a volume
	Format              string // as the file's kind calls it: "PF_DXT1", "32 bits", "CMPR"

	decode func(mip, slice int) (image.Image, error)
}

// The kinds of files.
const (
	DDS  = "dds"
	TGA  = "tga"
	TXTR = "txtr"
)

// KindOf returns the kind of file that an entry of that name and type is, "" for none.
func KindOf(name, typ string) string {
	switch ext := strings.ToLower(path.Ext(name)); {
	case typ == "TXTR":
		return TXTR
	case ext == ".dds", ext == ".tga", ext == ".txtr":
		return ext[1:]
	}
	return ""
}

// containerMaxPixels bounds a picture that is decoded: 512 MB.
const containerMaxPixels = 1 << 27

// Read reads the head of a file. Its bytes are read when a picture is decoded, and must stay
// as they are. The error wraps [errors.ErrUnsupported] of formats that cannot be decoded.
func Read(kind string, b []byte) (*Picture, error) {
	switch kind {
	case DDS:
		return readDDS(b)
	case TGA:
		return readTGA(b)
	case TXTR:
		return readTXTR(b)
	}
	return nil, codecs.Errorf(errors.ErrUnsupported, "files of kind %q", kind)
}

// Decode decodes a mip, 0 for the largest, of a slice. The error wraps [codecs.ErrNotFound]
// if there is none, and [codecs.ErrTruncated] where bytes are missing.
func (p *Picture) Decode(mip, slice int) (image.Image, error) {
	switch {
	case mip < 0 || mip >= p.Mips:
		return nil, codecs.Errorf(codecs.ErrNotFound, "mip %d: the picture has %d", mip, p.Mips)
	case slice < 0 || slice >= p.Slices:
		return nil, codecs.Errorf(codecs.ErrNotFound, "slice %d: the picture has %d", slice, p.Slices)
	}
	return p.decode(mip, slice)
}

// check refuses sizes that nothing is decoded of.
func (p *Picture) check() error {
	if p.Width < 1 || p.Height < 1 || p.Slices < 1 || p.Mips < 1 || p.Width > 1<<16 || p.Height > 1<<16 || p.Width*p.Height > containerMaxPixels || p.Slices > 1<<16 || p.Mips > 17 {
		return codecs.Errorf(codecs.ErrLimit, "%d slices of %d x %d pixels with %d mips", p.Slices, p.Width, p.Height, p.Mips)
	}
	return nil
}

// at returns n bytes at an offset.
func at(b []byte, offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > int64(len(b)) || n > int64(len(b))-offset {
		return nil, codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", n, offset, len(b))
	}
	return b[offset : offset+n], nil
}

// side returns a side of a mip.
func side(n, mip int) int { return max(1, n>>mip) }

// mostSmall bounds the pixels that are decoded for a small picture.
const mostSmall = 1 << 24

// Small decodes the least mip whose longer side has as many pixels as are wanted, for a
// picture of that side. The error wraps codecs.ErrLimit where that mip is large none the less.
func (p *Picture) Small(side int) (image.Image, error) {
	mip := 0
	for k := range p.Mips {
		if max(p.Width>>k, p.Height>>k) >= side {
			mip = k
		}
	}
	if (p.Width>>mip)*(p.Height>>mip) > mostSmall {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d x %d pixels", p.Width>>mip, p.Height>>mip)
	}
	return p.Decode(mip, 0)
}

// Offsets in a .dds, and flags.
const (
	ddsHead    = 128
	ddsMore    = 20 // after it, with DX10
	hasAlpha   = 0x1
	hasFourCC  = 0x4
	isCube     = 0x200
	isVolume   = 0x200000
	cubeOfDX10 = 0x4
)

// byFourCC are formats by the text or number that names them.
var byFourCC = map[string]string{
	"DXT1": "PF_DXT1", "DXT2": "PF_DXT3", "DXT3": "PF_DXT3", "DXT4": "PF_DXT5", "DXT5": "PF_DXT5", "ATI1": "PF_BC4", "BC4U": "PF_BC4",
	"ATI2": "PF_BC5", "BC5U": "PF_BC5", "o\x00\x00\x00": "PF_R16F", "p\x00\x00\x00": "PF_G16R16F", "q\x00\x00\x00": "PF_FloatRGBA",
	"r\x00\x00\x00": "PF_R32_FLOAT", "t\x00\x00\x00": "PF_A32B32G32R32F",
}

// byDXGI are formats by number.
var byDXGI = map[uint32]string{
	2: "PF_A32B32G32R32F", 10: "PF_FloatRGBA", 28: "PF_R8G8B8A8", 29: "PF_R8G8B8A8", 34: "PF_G16R16F", 41: "PF_R32_FLOAT", 54: "PF_R16F",
	56: "PF_G16", 61: "PF_G8", 65: "PF_A8", 71: "PF_DXT1", 72: "PF_DXT1", 74: "PF_DXT3", 75: "PF_DXT3", 77: "PF_DXT5", 78: "PF_DXT5",
	80: "PF_BC4", 83: "PF_BC5", 85: "PF_R5G6B5_UNORM", 87: "PF_B8G8R8A8", 91: "PF_B8G8R8A8", 95: "PF_BC6H", 98: "PF_BC7", 99: "PF_BC7",
}

func readDDS(b []byte) (*Picture, error) {
	head, err := at(b, 0, ddsHead)
	if err != nil {
		return nil, err
	}
	u32 := func(offset int) uint32 { return binary.LittleEndian.Uint32(head[offset:]) }
	if string(head[:4]) != "DDS " || u32(4) != 124 {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "no DDS: %x", head[:8])
	}
	p := &Picture{Height: int(u32(12)), Width: int(u32(16)), Mips: max(1, int(u32(28))), Slices: 1}
	depth, data := 1, int64(ddsHead)
	if u32(112)&isVolume != 0 {
		depth = max(1, int(u32(24)))
	}
	if u32(112)&isCube != 0 {
		p.Slices = 6
	}
	name, opaque := "", false
	switch fourCC := string(head[84:88]); {
	case u32(80)&hasFourCC != 0 && fourCC == "DX10":
		more, err := at(b, ddsHead, ddsMore)
		if err != nil {
			return nil, err
		}
		dxgi := binary.LittleEndian.Uint32(more)
		data += ddsMore
		p.Slices = max(1, int(binary.LittleEndian.Uint32(more[12:])))
		if binary.LittleEndian.Uint32(more[8:])&cubeOfDX10 != 0 {
			p.Slices *= 6
		}
		if name = byDXGI[dxgi]; name == "" {
			return nil, codecs.Errorf(errors.ErrUnsupported, "DXGI format %d", dxgi)
		}
	case u32(80)&hasFourCC != 0:
		if name = byFourCC[fourCC]; name == "" {
			return nil, codecs.Errorf(errors.ErrUnsupported, "FourCC %q", fourCC)
		}
	default:
		masks := [3]uint32{u32(92), u32(96), u32(100)}
		opaque = u32(80)&hasAlpha == 0
		if name = byMasks(u32(88), masks); name == "" {
			return nil, codecs.Errorf(errors.ErrUnsupported, "%d bits with masks %x", u32(88), masks)
		}
	}
	p.Format = name
	layers := p.Slices
	p.Slices *= depth
	if err := p.check(); err != nil {
		return nil, err
	}
	f, err := Named(name)
	if err != nil {
		return nil, err
	}
	p.decode = func(mip, slice int) (image.Image, error) {
		return decodeDDS(b[data:], p, &f, ddsPlace{mip, slice, layers, depth}, opaque)
	}
	return p, nil
}

// byMasks returns the format of plain pixels.
func byMasks(bits uint32, masks [3]uint32) string {
	switch {
	case bits == 32 && masks == [3]uint32{0xFF0000, 0xFF00, 0xFF}:
		return "PF_B8G8R8A8"
	case bits == 32 && masks == [3]uint32{0xFF, 0xFF00, 0xFF0000}:
		return "PF_R8G8B8A8"
	case bits == 24 && masks == [3]uint32{0xFF0000, 0xFF00, 0xFF}:
		return "PF_B8G8R8"
	case bits == 16 && masks == [3]uint32{0xF800, 0x7E0, 0x1F}:
		return "PF_R5G6B5_UNORM"
	case bits == 16 && masks[0] == 0xFFFF:
		return "PF_G16"
	case bits == 8:
		return "PF_G8"
	}
	return ""
}

// ddsPlace is a picture of a file with so many layers, each so deep.
type ddsPlace struct{ mip, slice, layers, depth int }

func decodeDDS(b []byte, p *Picture, f *Format, w ddsPlace, opaque bool) (image.Image, error) {
	layer, z := w.slice/w.depth, w.slice%w.depth
	if z >= side(w.depth, w.mip) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "slice %d: mip %d has %d", z, w.mip, side(w.depth, w.mip))
	}
	var all, before, own int64 // bytes of a layer, of its mips in front, of a slice
	for m := range p.Mips {
		size, ok := f.Size(side(p.Width, m), side(p.Height, m))
		if !ok {
			return nil, codecs.Errorf(codecs.ErrLimit, "mip %d of %d x %d pixels", m, p.Width, p.Height)
		}
		if m == w.mip {
			before, own = all, size
		}
		all += size * int64(side(w.depth, m))
	}
	data, err := at(b, int64(layer)*all+before+int64(z)*own, own)
	if err != nil {
		return nil, err
	}
	out, err := f.Decode(data, side(p.Width, w.mip), side(p.Height, w.mip))
	if n, ok := out.(*image.NRGBA); ok && opaque && f.Bytes == 4 && err == nil {
		for i := 3; i < len(n.Pix); i += 4 {
			n.Pix[i] = 255
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", p.Format, err)
	}
	return out, err
}

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
