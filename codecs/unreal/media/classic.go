package media

import (
	"errors"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/texture"
	"pakdb/codecs/unreal"
)

// oldReader reads the class data of an export of UE1 to UE3.
type oldReader struct {
	*unreal.OldReader
	p *Package
	x *property.Export
}

// oldObject reads the properties of export i. The reader is after them.
func oldObject(p *Package, i int) (*oldReader, error) {
	data, err := p.Bytes(i)
	if err != nil {
		return nil, err
	}
	if p.old == nil {
		if p.old, err = property.NewClassicDecoder(p.PackageFacts, p.Bytes); err != nil {
			return nil, err
		}
	}
	r := &oldReader{OldReader: unreal.NewOldReader(p.PackageFacts, data), p: p, x: &property.Export{}}
	p.old.Export(r.x, i, data)
	if r.x.Status == property.Lost {
		return nil, r.x.Why
	}
	r.In.Seek(r.x.End)
	return r, nil
}

// number returns the number of a property, otherwise where there is none.
func (r *oldReader) number(name string, otherwise int) int {
	i := r.x.List.Find(-1, name, 0)
	if i < 0 || r.x.List.Nodes[i].Text != "" {
		return otherwise
	}
	return int(r.x.List.Nodes[i].Int())
}

// oldTexture reads a texture of UE1 to UE3.
func oldTexture(p *Package, i int) (*Texture, error) {
	if p.BigEndian {
		return nil, codecs.Errorf(errors.ErrUnsupported, "texture of a console")
	}
	r, err := oldObject(p, i)
	if err != nil {
		return nil, err
	}
	t := &Texture{Export: i, Class: p.ClassOf(i), Name: p.NameOf(p.Exports[i].Name), Slices: 1, inside: r.Data, SRGB: true}
	if r.Version >= unreal.VerUE3 {
		err = r.texture3(t)
	} else {
		err = r.texture12(t)
	}
	if err != nil {
		return nil, err
	}
	if len(t.Mips) > 0 && t.Width == 0 {
		t.Width, t.Height = t.Mips[0].Width, t.Mips[0].Height
	}
	return t, nil
}

// Formats of UE1 and UE2, as [texture.Named] knows them.
func oldFormats() []string {
	return []string{"PF_P8", "TEXF_RGBA7", "PF_R5G6B5_UNORM", "PF_DXT1", "PF_B8G8R8", "PF_B8G8R8A8", "TEXF_NODATA", "PF_DXT3", "PF_DXT5", "PF_L8", "PF_G16", "TEXF_RRRGGGBBB"}
}

func oldFormat(k int) string {
	if all := oldFormats(); k >= 0 && k < len(all) {
		return all[k]
	}
	return "TEXF_Unknown"
}

// texture12 reads the mips of UE1 and UE2, and the palette. A second list of them, in
// another format, counts where the first is empty.
func (r *oldReader) texture12(t *Texture) error {
	t.Format = oldFormat(r.number("Format", 0))
	t.Mips = r.mips12()
	if r.number("bHasComp", 0) != 0 {
		if again := r.mips12(); r.In.Err() == nil && !slices.ContainsFunc(t.Mips, func(m Mip) bool { return m.Size > 0 }) {
			t.Mips, t.Format = again, oldFormat(r.number("CompFormat", 3))
		}
	}
	if err := r.In.Err(); err != nil {
		return err
	}
	if t.Format == "PF_P8" && len(t.Mips) > 0 {
		return r.palette(t)
	}
	return nil
}

func (r *oldReader) mips12() (mips []Mip) {
	for range r.Count(11) {
		var m Mip
		if r.Version >= 63 {
			r.In.Skip(4)
		}
		n := r.Count(1)
		m.Bulk = Bulk{Offset: r.In.Off(), Stored: int64(n), Size: int64(n)}
		r.In.Skip(n)
		m.Width, m.Height, m.Slices = int(r.In.I32()), int(r.In.I32()), 1
		r.In.Skip(2)
		if len(mips) >= maxMips || m.Width < 0 || m.Height < 0 {
			r.In.Fail(errLayout)
		}
		if r.In.Err() != nil {
			return nil
		}
		mips = append(mips, m)
	}
	return mips
}

// palette reads the colours of a texture, which another object has, often one
// of another package.
func (r *oldReader) palette(t *Texture) error {
	i := r.x.List.Find(-1, "Palette", 0)
	if i < 0 {
		return codecs.Errorf(codecs.ErrNotFound, "the texture has no palette")
	}
	ref := unreal.ObjectRef(r.x.List.Nodes[i].Int())
	p, export := r.p, 0
	if k, ok := ref.Export(); ok && k < len(p.Exports) {
		export = k
	} else {
		var err error
		if p, export, err = r.foreign(ref); err != nil {
			return err
		}
	}
	from, err := oldObject(p, export)
	if err != nil {
		return err
	}
	n := from.Count(4)
	colours := slices.Clone(from.In.Bytes(4 * min(n, 256)))
	if err := from.In.Err(); err != nil {
		return err
	}
	for k := 3; k < len(colours); k += 4 {
		colours[k] = 255 // what is stored means nothing
	}
	if r.number("bMasked", 0) != 0 && len(colours) >= 4 {
		clear(colours[:4])
	}
	t.palette = colours
	return nil
}

// foreign finds an object of another package.
func (r *oldReader) foreign(ref unreal.ObjectRef) (*Package, int, error) {
	path, _ := r.p.PathOf(ref)
	root, _, _ := strings.Cut(path, ".")
	if r.p.Package == nil || ref == 0 {
		return nil, 0, codecs.Errorf(codecs.ErrNotFound, "the palette %s is in another package", path)
	}
	other, err := r.p.Package(root)
	if err != nil {
		return nil, 0, codecs.Errorf(codecs.ErrNotFound, "the palette %s: %v", path, err)
	}
	_, inside, _ := strings.Cut(path, ".")
	for i := range other.Exports {
		if name, _ := other.PathOf(unreal.ObjectRef(i + 1)); strings.EqualFold(name, inside) && strings.EqualFold(other.ClassOf(i), "Palette") {
			return other, i, nil
		}
	}
	return nil, 0, codecs.Errorf(codecs.ErrNotFound, "the palette %s: its package does not have it", path)
}

// texture3 reads the mips of UE3. What follows them differs between games: that the mips
// are as long as their sides demand says whether they were read rightly.
func (r *oldReader) texture3(t *Texture) error {
	t.Format, t.Kind, t.Group = "PF_Unknown", "TC_Default", "TEXTUREGROUP_World"
	for i, n := range r.x.List.Children(-1) {
		switch strings.ToLower(n.Name) {
		case "format":
			if t.Format = constant(r.x, i, ""); t.Format == "" {
				t.Format = format3(int(n.Int()))
			}
		case "compressionsettings":
			t.Kind = constant(r.x, i, t.Kind)
		case "lodgroup":
			t.Group = constant(r.x, i, t.Group)
		case "srgb":
			t.SRGB = n.Bits != 0
		}
	}
	t.Width, t.Height = r.number("SizeX", 0), r.number("SizeY", 0)
	file := Whole
	if i := r.x.List.Find(-1, "TextureFileCacheName", 0); i >= 0 {
		file = File(r.x.List.Nodes[i].Text + ".tfc")
	}
	r.bulk3(file) // the picture that was imported
	if r.Version < 297 {
		r.In.Skip(12)
	}
	f, err := texture.Named(t.Format)
	for range r.Count(24) {
		m := Mip{Slices: 1, Bulk: r.bulk3(file)}
		m.Width, m.Height = int(r.In.I32()), int(r.In.I32())
		size, ok := f.Size(max(m.Width, f.Width), max(m.Height, f.Height))
		if r.In.Err() == nil && (len(t.Mips) >= maxMips || m.Width < 0 || m.Height < 0 || err == nil && m.Size > 0 && (!ok || m.Size != size)) {
			r.In.Fail(errLayout)
		}
		if err := r.In.Err(); err != nil {
			return err
		}
		t.Mips = append(t.Mips, m)
	}
	return r.In.Err()
}

// bulk3 reads where bytes lie, and passes over those that follow. Others lie in file.
func (r *oldReader) bulk3(file File) Bulk {
	b := Bulk{Flags: r.In.U32(), Size: int64(r.In.I32()), Stored: int64(r.In.I32()), Offset: int64(r.In.I32())}
	switch {
	case b.Size < 0 || b.Stored < -1:
		r.In.Fail(errLayout)
	case b.Flags&bulkUnused != 0 || b.Size == 0:
		b.Size, b.Stored = 0, 0
	case b.Flags&bulkAtEnd != 0:
		b.File = file
	default:
		b.Offset = r.In.Off()
		if b.Stored < 0 || b.Stored > int64(r.In.Len()) {
			r.In.Fail(errLayout)
			return b
		}
		r.In.Skip(int(b.Stored))
	}
	return b
}

// format3 is the name of a format that a package of UE3 has as a number.
func format3(k int) string {
	names := []string{"PF_Unknown", "PF_A32B32G32R32F", "PF_A8R8G8B8", "PF_G8", "PF_G16", "PF_DXT1", "PF_DXT3", "PF_DXT5"}
	if k < 0 || k >= len(names) {
		return "PF_Unknown"
	}
	return names[k]
}
