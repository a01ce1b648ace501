package texture

import (
	"errors"
	"image"
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
