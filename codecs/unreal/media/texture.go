package media

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/texture"
	"pakdb/codecs/unreal"
)

// Texture is the facts of a texture.
type Texture struct {
	Export      int
	Class, Name string
	Format      string // the engine's name: "PF_DXT1"
	// Width and Height are those of the picture that was imported. The first mips of it
	// may have been left out: see [Mip].
	Width, Height int
	Slices        int // faces of cubes, layers of arrays, depth of volumes; 1 of others
	First         int // how many mips of the chain were left out
	Mips          []Mip

	// What the properties say, with the engine's defaults. Group is "" where the
	// properties could not be read: Why says for what reason.
	SRGB  bool
	Group string // such as "TEXTUREGROUP_World"
	Kind  string // of compression, such as "TC_Normalmap"
	Why   error

	virtual *virtual
	inside  []byte // bytes of the export
	palette []byte // R G B A, of P8
}

// Mip is one of the sizes in which a texture is stored.
type Mip struct {
	Width, Height int
	Slices        int
	Bulk
}

// Virtual reports whether the texture is stored as tiles, for a scene that loads those
// which it shows.
func (t *Texture) Virtual() bool { return t.virtual != nil }

// ScriptObjects returns the classes that this package knows, by the hashes that packages
// of IoStore containers import them by.
func ScriptObjects() *unreal.ScriptObjectFacts {
	return unreal.ScriptObjectsNamed(func(yield func(uint64, string) bool) {
		const module = "/Script/Engine"
		if !yield(unreal.ScriptObjectID(module), module) {
			return
		}
		for _, class := range slices.Concat(flat(), stacked(), sounds()) {
			if path := module + "." + class; !yield(unreal.ScriptObjectID(path), path) {
				return
			}
		}
	})
}

// old are the classes of UE1 and UE2, procedural ones included, which store pixels too.
func old() []string {
	return []string{"Texture", "FireTexture", "IceTexture", "WaterTexture", "WaveTexture", "WetTexture", "ScriptedTexture", "FractalTexture"}
}

// stacked are the classes of textures with slices.
func stacked() []string {
	return []string{"TextureCube", "Texture2DArray", "TextureCubeArray", "VolumeTexture"}
}

// flat are Texture2D and the classes that derive from it.
func flat() []string {
	return []string{"Texture2D", "TextureLightProfile", "CurveLinearColorAtlas", "LightMapTexture2D", "ShadowMapTexture2D",
		"TerrainWeightMapTexture", "LightMapVirtualTexture2D"}
}

// IsTexture reports whether exports of a class are textures that have pixels.
func IsTexture(class string) bool {
	return hasName(flat(), class) || hasName(stacked(), class) || hasName(old(), class)
}

// hasName reports whether a name is one of some, which the engine compares without case.
func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Texture returns the facts of export i. The error wraps [errors.ErrUnsupported] of a
// texture that is not cooked, or is for another place: of an editor, derived data.
func (p *Package) Texture(i int) (*Texture, error) {
	if i < 0 || i >= len(p.Exports) || !IsTexture(p.ClassOf(i)) {
		return nil, codecs.Errorf(codecs.ErrNotFound, "no texture is export %d", i+1)
	}
	if !p.Modern() {
		return oldTexture(p, i)
	}
	t := &Texture{}
	d, x, err := object(p, i, startsTexture, func(r *reader) bool {
		*t = Texture{Export: i, Class: p.ClassOf(i), Name: p.NameOf(p.Exports[i].Name), inside: r.data}
		r.texture(t)
		return r.ok()
	})
	if err != nil {
		return nil, err
	}
	t.describe(d, x)
	return t, nil
}

// describe takes what the properties say.
func (t *Texture) describe(d *property.Decoder, x *property.Export) {
	if x.Status == property.Lost {
		t.Why, t.SRGB = x.Why, true
		return
	}
	t.SRGB, t.Group, t.Kind = true, "TEXTUREGROUP_World", "TC_Default"
	for i, n := range x.List.Children(-1) {
		switch name := strings.ToLower(n.Name); {
		case name == "srgb" && n.Kind == property.Bool:
			t.SRGB = n.Bits != 0
		case name == "lodgroup":
			t.Group = constant(x, i, t.Group)
		case name == "compressionsettings":
			t.Kind = constant(x, i, t.Kind)
		}
	}
}

// constant returns the member of an enum that a property is.
func constant(x *property.Export, i int, otherwise string) string {
	text := x.List.Nodes[i].Text
	if _, member, ok := strings.Cut(text, "::"); ok {
		text = member
	}
	return cmp.Or(text, otherwise)
}

// texture reads the data of a texture's class.
func (r *reader) texture(t *Texture) {
	strip := r.U8()
	r.Skip(1)
	sub := r.U8()
	r.Skip(1)
	r.want(strip&^7 == 0 && sub&^7 == 0)
	if r.ok() && strip&1 == 0 {
		r.Fail(codecs.Errorf(errors.ErrUnsupported, "source art of the editor: the texture is not cooked"))
		return
	}
	if cooked := r.flag(); r.ok() && !cooked {
		r.Fail(codecs.Errorf(errors.ErrUnsupported, "texture that is not cooked"))
		return
	}
	stored := true
	if r.engine >= 503 && hasName(flat(), t.Class) {
		stored = r.flag()
	}
	for first := true; r.ok(); first = false {
		format := r.name()
		if !r.ok() || format == "None" {
			r.want(!first)
			break
		}
		end := r.platformEnd()
		var other Texture // a second format, which no platform of ours has
		to := t
		if !first {
			to = &other
		}
		r.platform(to, stored)
		r.want(to.Format == format && r.Off() == end)
	}
	r.want(r.Len() == 0)
}

// platformEnd reads where the data of a platform ends, as an offset in the export.
func (r *reader) platformEnd() int64 {
	switch {
	case r.engine >= 500:
		at := r.Off()
		return at + r.I64()
	case r.engine >= 420:
		return r.I64() + r.Off() - r.place()
	}
	return int64(r.I32()) + r.Off() - r.place()
}

// The parts of the packed field of platform data.
const (
	packedSlices   = 1<<29 - 1
	packedCopy     = 1 << 29
	packedOptional = 1 << 30
)

const maxMips = 32

// platform reads a texture as it was cooked for a platform. stored is false where another
// object has the bytes of the mips.
func (r *reader) platform(t *Texture, stored bool) {
	if r.engine >= 500 {
		if derived := r.U8(); r.ok() && derived == 1 && r.engine >= 502 {
			r.Fail(codecs.Errorf(errors.ErrUnsupported, "pixels are derived data, which the package does not have"))
		} else {
			r.want(derived == 0)
		}
		for range 15 {
			r.want(r.U8() == 0)
		}
	}
	t.Width, t.Height = r.side(), r.side()
	packed := r.U32()
	t.Slices = max(int(packed&packedSlices), 1)
	t.Format = r.text()
	if packed&packedOptional != 0 {
		r.Skip(8)
	}
	if packed&packedCopy != 0 && r.engine >= 504 {
		r.Skip(8 + 2)
		r.Skip(int(r.CheckCount(r.I64(), 1)))
	}
	t.First = r.side()
	n := r.side()
	r.want(n <= maxMips && t.First <= maxMips)
	for range n {
		if !r.ok() {
			return
		}
		t.Mips = append(t.Mips, r.mip(t, stored))
	}
	if r.engine >= 423 && r.flag() {
		r.virtual(t)
	}
}

// mip reads a mip.
func (r *reader) mip(t *Texture, stored bool) (m Mip) {
	if r.engine < 500 {
		r.want(r.flag())
	}
	if stored {
		m.Bulk = r.bulk()
	}
	m.Width, m.Height = r.side(), r.side()
	deep := t.Slices
	if r.engine >= 420 {
		deep = r.side()
	}
	m.Slices = t.Slices
	if strings.EqualFold(t.Class, "VolumeTexture") {
		m.Slices = max(deep, 1)
	}
	r.want(m.Width > 0 && m.Height > 0)
	return m
}

// Bytes returns how many bytes mips take by the files in which they lie, decoded.
func (t *Texture) Bytes() map[File]int64 {
	all := map[File]int64{}
	for i := range t.Mips {
		if m := &t.Mips[i]; m.Size > 0 {
			all[m.File] += m.Size
		}
	}
	if t.virtual != nil {
		for _, c := range t.virtual.chunks {
			all[c.File] += c.Size
		}
	}
	return all
}

// check returns what is wrong with the bytes of a mip.
func (m *Mip) check(f *texture.Format) error {
	size, ok := f.Size(m.Width, m.Height)
	switch {
	case !ok || m.Slices < 1 || int64(m.Slices) > maxBulk/max(size, 1):
		return codecs.Errorf(codecs.ErrLimit, "%d slices of %d x %d pixels", m.Slices, m.Width, m.Height)
	case size*int64(m.Slices) > m.Size:
		return codecs.Errorf(codecs.ErrTruncated, "%s of %d x %d pixels and %d slices takes %d bytes, %d are stored",
			f.Name, m.Width, m.Height, m.Slices, size*int64(m.Slices), m.Size)
	case size*int64(m.Slices) < m.Size:
		return codecs.Errorf(errors.ErrUnsupported, "%d bytes for %d of pixels, as consoles store them", m.Size, size*int64(m.Slices))
	}
	return nil
}
