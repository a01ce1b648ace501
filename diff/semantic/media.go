package semantic

import (
	"errors"
	"fmt"
	"image"
	"strings"

	"pakdb/codecs/unreal/media"
)

// MediaChange is what another content of a texture or sound looks or sounds like.
type MediaChange struct {
	Object   string // "T_Logo"
	Field    string // "Texture.Pixels", "Sound.Samples"
	Old, New string // "256 x 256", "25.0 % differ, PSNR 31.2 dB"
	Same     bool   // nobody sees or hears a difference
	Pictures *Pictures
}

// Pictures are small ones of a texture whose pixels differ, or of the samples of a sound.
type Pictures struct {
	Object               string
	Text                 string // MediaChange.New
	Old, New, Difference image.Image
	Wave                 bool // samples over time
}

// CompareMedia returns what differs of textures and sounds that both packages have by name. Of
// what cannot be decoded, or lies in files that are not at hand, it says so in New.
func CompareMedia(old, new *media.Package) (changes []MediaChange) {
	before := byName(old)
	for i := range new.Exports {
		class := new.ClassOf(i)
		name := new.NameOf(new.Exports[i].Name)
		k, ok := before[strings.ToLower(class+" "+name)]
		if !ok {
			continue
		}
		var c *MediaChange
		var err error
		switch {
		case media.IsTexture(class):
			c, err = textures(old, new, k, i)
			if err != nil {
				c = &MediaChange{Field: "Texture.Pixels", Old: "not compared", New: err.Error()}
			}
		case media.IsSound(class):
			c, err = sounds(old, new, k, i)
			if err != nil {
				c = &MediaChange{Field: "Sound.Samples", Old: "not compared", New: err.Error()}
			}
		}
		if errors.Is(err, media.ErrElsewhere) || c == nil {
			continue
		}
		c.Object = name
		if c.Pictures != nil {
			c.Pictures.Object = name
		}
		changes = append(changes, *c)
	}
	return changes
}

// byName returns the exports that are textures or sounds by class and name, in lower case.
func byName(p *media.Package) map[string]int {
	all := map[string]int{}
	for i := range p.Exports {
		if class := p.ClassOf(i); media.IsTexture(class) || media.IsSound(class) {
			all[strings.ToLower(class+" "+p.NameOf(p.Exports[i].Name))] = i
		}
	}
	return all
}

// pixels is the pixels of one texture.
type pixels struct {
	texture *media.Texture
	picture image.Image
	mip     int
}

func pixelsOf(p *media.Package, export, mip int) (s pixels, err error) {
	if s.texture, err = p.Texture(export); err == nil {
		s.picture, s.mip, err = p.Picture(s.texture, media.Which{Mip: mip, Slice: -1})
	}
	return s, err
}

// size returns the size of a mip as text.
func (s *pixels) size() string { return sizeOf(s.picture) }

func sizeOf(i image.Image) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%d x %d", i.Bounds().Dx(), i.Bounds().Dy())
}

// textures compares the largest mips that both have; nil when they are the same bytes of
// the same format.
func textures(old, new *media.Package, before, after int) (*MediaChange, error) {
	a, err := pixelsOf(old, before, -1)
	if err != nil {
		return nil, err
	}
	b, err := pixelsOf(new, after, -1)
	if err != nil {
		return nil, err
	}
	if a.picture.Bounds().Size() != b.picture.Bounds().Size() {
		if b, err = levelled(&a, &b, old, new, before, after); err != nil {
			return nil, err
		}
	}
	if a.picture.Bounds().Size() != b.picture.Bounds().Size() {
		return &MediaChange{Field: "Texture.Pixels", Old: a.size(), New: b.size() + ": no mip of one size",
			Pictures: ComparePictures(a.picture, b.picture)}, nil
	}
	c := &MediaChange{Field: "Texture.Pixels", Old: a.size(), Pictures: ComparePictures(a.picture, b.picture)}
	if c.Pictures == nil {
		if a.texture.Format == b.texture.Format {
			return nil, nil
		}
		c.New, c.Same = "the same pixels", true
		return c, nil
	}
	c.New = c.Pictures.Text
	return c, nil
}

// ComparePictures returns what differs of two pictures, nil for nothing. One of them may be nil.
func ComparePictures(old, new image.Image) *Pictures {
	if old == nil || new == nil || old.Bounds().Size() != new.Bounds().Size() {
		p := &Pictures{Text: sizeOf(old) + " → " + sizeOf(new)}
		switch {
		case old == nil:
			p.Text = sizeOf(new)
		case new == nil:
			p.Text = sizeOf(old)
		}
		if old != nil {
			p.Old = small(old)
		}
		if new != nil {
			p.New = small(new)
		}
		return p
	}
	d := compare(old, new)
	if d.differ == 0 {
		return nil
	}
	p := &Pictures{Text: d.String(), Old: small(old), New: small(new)}
	if area(old) > mostCompared {
		p.Difference = difference(p.Old, p.New)
	} else {
		p.Difference = small(difference(old, new))
	}
	return p
}

// PicturesOf returns the textures of a package that one build has alone, a few at most.
func PicturesOf(p *media.Package, came bool) (all []*Pictures) {
	const most = 4
	for i := range p.Exports {
		if !media.IsTexture(p.ClassOf(i)) || len(all) == most {
			continue
		}
		s, err := pixelsOf(p, i, -1)
		if err != nil {
			continue
		}
		one := ComparePictures(s.picture, nil)
		if came {
			one = ComparePictures(nil, s.picture)
		}
		one.Object = p.NameOf(p.Exports[i].Name)
		all = append(all, one)
	}
	return all
}

// levelled decodes a smaller mip of the larger picture, so that both have one size, if it
// has one.
func levelled(a, b *pixels, old, new *media.Package, before, after int) (pixels, error) {
	for a.picture.Bounds().Dx() > b.picture.Bounds().Dx() && a.mip+1 < len(a.texture.Mips) {
		next, err := pixelsOf(old, before, a.mip+1)
		if err != nil {
			return *b, err
		}
		*a = next
	}
	for b.picture.Bounds().Dx() > a.picture.Bounds().Dx() && b.mip+1 < len(b.texture.Mips) {
		next, err := pixelsOf(new, after, b.mip+1)
		if err != nil {
			return *b, err
		}
		*b = next
	}
	return *b, nil
}

// mostCompared is how many pixels a picture of the difference is made of: of larger ones it
// is made of the small pictures.
const mostCompared = 1 << 22

func area(i image.Image) float64 { return float64(i.Bounds().Dx()) * float64(i.Bounds().Dy()) }
