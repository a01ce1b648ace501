package media

import (
	"errors"
	"image"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/texture"
)

// Which says what of a texture is wanted.
type Which struct {
	Mip int // position in [Texture.Mips]; -1: the largest whose bytes are there
	// Slice is a slice, or a layer of a virtual texture; -1: all slices, below each other, or
	// the first layer.
	Slice int
}

// maxPixels bounds a picture that is decoded: 512 MB.
const maxPixels = 1 << 27

// FileKind returns the kind of texture file that an entry of that name and type is, "" for none.
func FileKind(name, typ string) string { return texture.KindOf(name, typ) }

// ReadFile reads the head of a texture file: a .dds, a .tga, or a texture of Retro Studios. Its
// bytes are read when a picture is decoded, and must stay as they are. The error wraps
// [errors.ErrUnsupported] of formats that cannot be decoded.
func ReadFile(kind string, b []byte) (*texture.Picture, error) { return texture.Read(kind, b) }

// Picture decodes pixels of a texture. mip is the one that was decoded. The error wraps
// [codecs.ErrNotFound] where the bytes lie in a file that is not there.
func (p *Package) Picture(t *Texture, w Which) (out image.Image, mip int, err error) {
	mip, err = t.largest(w.Mip, func(k int) (err error) {
		out, err = pixels(p, t, k, w.Slice)
		return err
	})
	return out, mip, err
}

// Floats is [Package.Picture] for textures whose colours may be brighter than white. The error
// wraps [errors.ErrUnsupported] of any other texture.
func (p *Package) Floats(t *Texture, w Which) (out *texture.Floats, mip int, err error) {
	mip, err = t.largest(w.Mip, func(k int) (err error) {
		out, err = floats(p, t, k, w.Slice)
		return err
	})
	return out, mip, err
}

// HDR reports whether the colours of a texture may be brighter than white.
func (t *Texture) HDR() bool {
	f, err := texture.Named(t.Format)
	return err == nil && f.Float && t.virtual == nil
}

// largest calls decode with a mip, or with one after another, the largest first, until one
// whose bytes are there.
func (t *Texture) largest(mip int, decode func(mip int) error) (int, error) {
	if mip >= 0 {
		return mip, decode(mip)
	}
	err := codecs.Errorf(codecs.ErrNotFound, "the texture has no mips")
	for k := range t.Mips {
		mipErr := decode(k)
		if mipErr == nil {
			return k, nil
		}
		if k == 0 || errors.Is(err, codecs.ErrNotFound) {
			err = mipErr
		}
		if !errors.Is(mipErr, codecs.ErrNotFound) && !errors.Is(mipErr, codecs.ErrTruncated) {
			return k, mipErr
		}
	}
	return 0, err
}

// stored returns the bytes of slices of a mip, and their format; slice is -1 for all.
func stored(p *Package, t *Texture, mip, slice int) (f texture.Format, parts [][]byte, err error) {
	m := &t.Mips[mip]
	if slice >= m.Slices {
		return f, nil, codecs.Errorf(codecs.ErrNotFound, "slice %d: the mip has %d", slice, m.Slices)
	}
	if f, err = texture.Named(t.Format); err != nil {
		return f, nil, err
	}
	f.Palette = t.palette
	if m.Size > 0 {
		if err := m.check(&f); err != nil {
			return f, nil, err
		}
	}
	if int64(m.Width)*int64(m.Height)*int64(m.Slices) > maxPixels {
		return f, nil, codecs.Errorf(codecs.ErrLimit, "%d slices of %d x %d pixels", m.Slices, m.Width, m.Height)
	}
	data, err := bytesAt(p, &m.Bulk, t.inside)
	if err != nil {
		return f, nil, err
	}
	size, _ := f.Size(m.Width, m.Height)
	for k := range m.Slices {
		if slice < 0 || slice == k {
			parts = append(parts, data[int64(k)*size:])
		}
	}
	return f, parts, nil
}

// slicesOf decodes each of the slices that are wanted.
func slicesOf[T any](p *Package, t *Texture, mip, slice int, decode func(f *texture.Format, data []byte, m *Mip) (T, error)) (all []T, err error) {
	if mip >= len(t.Mips) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "mip %d: the texture has %d", mip, len(t.Mips))
	}
	f, parts, err := stored(p, t, mip, slice)
	if err != nil {
		return nil, err
	}
	for _, data := range parts {
		out, err := decode(&f, data, &t.Mips[mip])
		if err != nil {
			return nil, err
		}
		all = append(all, out)
	}
	return all, nil
}

func pixels(p *Package, t *Texture, mip, slice int) (image.Image, error) {
	if t.virtual != nil {
		return tiles(p, t, mip, max(slice, 0))
	}
	parts, err := slicesOf(p, t, mip, slice, func(f *texture.Format, data []byte, m *Mip) (image.Image, error) {
		out, err := f.Decode(data, m.Width, m.Height)
		if err == nil && t.Kind == "TC_Normalmap" && strings.HasPrefix(t.Format, "PF_ASTC") {
			out = texture.Normals(out)
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return texture.Below(parts)
}

func floats(p *Package, t *Texture, mip, slice int) (*texture.Floats, error) {
	if !t.HDR() {
		return nil, codecs.Errorf(errors.ErrUnsupported, "no colour of it is brighter than white")
	}
	parts, err := slicesOf(p, t, mip, slice, func(f *texture.Format, data []byte, m *Mip) (*texture.Floats, error) {
		return f.DecodeFloats(data, m.Width, m.Height)
	})
	if err != nil {
		return nil, err
	}
	return texture.FloatsBelow(parts), nil
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
