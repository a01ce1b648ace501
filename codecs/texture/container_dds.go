package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"pakdb/codecs"
)

// Offsets in a .dds, and flags.
const (
	ddsHead    = 128
	ddsMore    = 20 // behind it, with DX10
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
