package semantic

import (
	"image"
	"math/bits"

	"pakdb/codecs/unreal/media"
	"pakdb/internal/picture"
)

// Look is a texture's look from afar, whatever its size, format and place.
type Look struct {
	Path, Object  string // of the package, and in it
	Width, Height int    // of the texture

	hash  uint64       // which of 64 places are darker than what is right of them
	small *image.NRGBA // farSide x farSide
}

// Bounds of what looks alike.
const (
	farSide  = 32
	mostBits = 8    // of the hash that differ
	leastDB  = 24.0 // PSNR of the small pictures
	leastOf  = 12   // bits of a hash that are set, and that are not: a picture of one colour looks like all others
)

// Looks returns the looks of the textures of the package of that path. Textures that cannot be decoded,
// or are nearly of one colour, have none.
func Looks(p *media.Package, path string) (all []Look) {
	for i := range p.Exports {
		if !media.IsTexture(p.ClassOf(i)) {
			continue
		}
		t, err := p.Texture(i)
		if err != nil {
			continue
		}
		mip := -1
		for k := range t.Mips {
			if t.Mips[k].Width >= 2*farSide && t.Mips[k].Height >= 2*farSide {
				mip = k // the smallest that is enough
			}
		}
		out, _, err := p.Picture(t, media.Which{Mip: mip, Slice: 0})
		if err != nil && mip >= 0 {
			out, _, err = p.Picture(t, media.Which{Mip: -1, Slice: 0})
		}
		if err != nil {
			continue
		}
		if l, ok := lookOf(out); ok {
			l.Path, l.Object, l.Width, l.Height = path, p.NameOf(p.Exports[i].Name), t.Width, t.Height
			all = append(all, l)
		}
	}
	return all
}

func lookOf(i image.Image) (l Look, ok bool) {
	l.small = picture.Resized(i, farSide, farSide)
	far := picture.Resized(l.small, 9, 8)
	light := func(x, y int) int {
		c := far.NRGBAAt(x, y)
		return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) * int(c.A)
	}
	for y := range 8 {
		for x := range 8 {
			l.hash <<= 1
			if light(x, y) < light(x+1, y) {
				l.hash |= 1
			}
		}
	}
	n := bits.OnesCount64(l.hash)
	return l, n >= leastOf && n <= 64-leastOf
}

// Nearest returns the one of some textures that looks most like this one, nil for none.
func (l *Look) Nearest(others []Look) (best *Look) {
	most := 0.0
	for i := range others {
		if psnr, ok := l.alike(&others[i]); ok && psnr > most {
			best, most = &others[i], psnr
		}
	}
	return best
}

// alike reports whether two textures look the same: of the same proportions, by the hash,
// and by the pixels of small pictures, whose psnr shows how near they are.
func (l *Look) alike(other *Look) (psnr float64, ok bool) {
	if l.Width*other.Height != l.Height*other.Width || bits.OnesCount64(l.hash^other.hash) > mostBits {
		return 0, false
	}
	d := compare(l.small, other.small)
	if d.differ == 0 {
		return 99, true
	}
	psnr = d.psnr()
	return psnr, psnr >= leastDB
}
