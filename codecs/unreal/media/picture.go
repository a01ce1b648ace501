package media

import (
	"errors"
	"image"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/texture"
)

// Which says what of a texture is wanted.
type Which struct {
	Mip   int // position in [Texture.Mips]; -1: the largest whose bytes are there
	Slice int // -1: all of them, below each other
}

// maxPixels bounds a picture that is decoded: 512 MB.
const maxPixels = 1 << 27

// Picture decodes pixels of a texture. mip is the one that was decoded. The error wraps
// [codecs.ErrNotFound] where the bytes lie in a file that is not there.
func (p *Package) Picture(t *Texture, w Which) (out image.Image, mip int, err error) {
	if w.Mip >= 0 {
		out, err = pixels(p, t, w.Mip, w.Slice)
		return out, w.Mip, err
	}
	err = codecs.Errorf(codecs.ErrNotFound, "the texture has no mips")
	for k := range t.Mips {
		out, mipErr := pixels(p, t, k, w.Slice)
		if mipErr == nil {
			return out, k, nil
		}
		if k == 0 || errors.Is(err, codecs.ErrNotFound) {
			err = mipErr
		}
		if !errors.Is(mipErr, codecs.ErrNotFound) && !errors.Is(mipErr, codecs.ErrTruncated) {
			return nil, k, mipErr
		}
	}
	return nil, 0, err
}

func pixels(p *Package, t *Texture, mip, slice int) (image.Image, error) {
	if mip >= len(t.Mips) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "mip %d: the texture has %d", mip, len(t.Mips))
	}
	if t.virtual != nil {
		if slice > 0 {
			return nil, codecs.Errorf(codecs.ErrNotFound, "slice %d: the texture has 1", slice)
		}
		return tiles(p, t, mip)
	}
	m := &t.Mips[mip]
	if slice >= m.Slices {
		return nil, codecs.Errorf(codecs.ErrNotFound, "slice %d: the mip has %d", slice, m.Slices)
	}
	f, err := texture.Named(t.Format)
	if err != nil {
		return nil, err
	}
	f.Palette = t.palette
	if m.Size > 0 {
		if err := m.check(&f); err != nil {
			return nil, err
		}
	}
	if int64(m.Width)*int64(m.Height)*int64(m.Slices) > maxPixels {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d slices of %d x %d pixels", m.Slices, m.Width, m.Height)
	}
	data, err := bytesAt(p, &m.Bulk, t.inside)
	if err != nil {
		return nil, err
	}
	size, _ := f.Size(m.Width, m.Height)
	decode := func(k int) (image.Image, error) {
		out, err := f.Decode(data[int64(k)*size:], m.Width, m.Height)
		if err == nil && t.Kind == "TC_Normalmap" && strings.HasPrefix(t.Format, "PF_ASTC") {
			out = texture.Normals(out)
		}
		return out, err
	}
	if slice >= 0 {
		return decode(slice)
	}
	var parts []image.Image
	for k := range m.Slices {
		part, err := decode(k)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return texture.Below(parts)
}

// mostSmall bounds the pixels that are decoded for a small picture.
const mostSmall = 1 << 24

// Small decodes the least mip whose longer side has as many pixels as are wanted, for a
// picture of that side; the largest whose bytes are there, where those of that are not. The
// errors are those of [Package.Picture], and of class codecs.ErrLimit of a texture that has
// no mip small enough.
func (p *Package) Small(t *Texture, slice, side int) (out image.Image, mip int, err error) {
	for k := range t.Mips {
		if max(t.Mips[k].Width, t.Mips[k].Height) >= side {
			mip = k
		}
	}
	if len(t.Mips) > 0 && t.Mips[mip].Width*t.Mips[mip].Height > mostSmall {
		return nil, 0, codecs.Errorf(codecs.ErrLimit, "%d x %d pixels", t.Mips[mip].Width, t.Mips[mip].Height)
	}
	if out, mip, err = p.Picture(t, Which{mip, slice}); errors.Is(err, ErrNoBytes) {
		out, mip, err = p.Picture(t, Which{-1, slice})
	}
	return out, mip, err
}
