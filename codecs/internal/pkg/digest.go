package pkg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// A save or a cook writes some bytes anew although nothing changed: the GUID of
// the package, what editors keep beside it, the hashes of names, GUIDs of
// exports, and properties that are GUIDs, such as the one by which baked light
// is found. The parser notes where it met those of the tables; those of
// properties are recognised by their tags.

// addNoise notes the next n bytes.
func (p *parser) addNoise(d *decoder, n int) {
	p.noise = append(p.noise, unreal.Span{Offset: d.Off(), Size: int64(n)})
}

func (p *parser) skipNoise(d *decoder, n int) {
	p.addNoise(d, n)
	d.Skip(n)
}

func (p *parser) saveGUID(d *decoder) codecs.ID {
	p.addNoise(d, 16)
	return unreal.ReadID(&d.Reader)
}

// sortedNoise: a table that was read twice, for want of bytes, was met twice.
func (p *parser) sortedNoise() []unreal.Span {
	slices.SortFunc(p.noise, func(a, b unreal.Span) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Size, b.Size))
	})
	return slices.Compact(p.noise)
}

// digest returns nil for a package whose tables could not be read: nothing
// defines what is noise there.
func (p *Package) digest(ctx context.Context) (*codecs.PartDigest, error) {
	if len(p.Exports) != p.ExportCount || p.NameCount == 0 || p.Summary.Names.End == 0 {
		return nil, nil
	}
	d, err := p.Digest(ctx, p.space.r, 0, p.space.size, p.noise, p.tags.mask(p.Names))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // a block that does not decode: the tables' own findings say so
		return nil, nil
	}
	return d, nil
}

// bodyDigest returns what digests the .uexp of a split package, nil for others.
func (p *Package) bodyDigest(f *unreal.PackageFacts) func(context.Context, io.ReaderAt, int64) (*codecs.PartDigest, error) {
	if !p.Split {
		return nil
	}
	tags := p.tags
	return func(ctx context.Context, body io.ReaderAt, size int64) (*codecs.PartDigest, error) {
		return f.Digest(ctx, body, f.HeaderSize, size, nil, tags.mask(f.Names))
	}
}

// tagLayout is how the tag of a property looks in the bytes of an export: name,
// type, size, place in an array, name of the struct, each name an index and a
// number of 4 bytes.
type tagLayout struct {
	order      binary.ByteOrder // nil: unknown, or without tags
	structGUID bool             // the struct's own GUID follows its name
	hasGUID    bool             // and a byte that says whether the property has one
}

// The versions that added to tags, and the one that made them over.
const (
	ue4StructGUID   = 441
	ue4PropertyGUID = 503
	ue5TypeNames    = 1012
)

func (p *parser) tagLayout() tagLayout {
	switch f := p.facts; {
	case strings.HasPrefix(f.Engine, "UE3") && p.lay.number:
		return tagLayout{order: p.order}
	case p.v.ue4 == 0 || p.v.ue5 >= ue5TypeNames || f.Flags&flagUnversionedProperties != 0:
		return tagLayout{}
	}
	return tagLayout{order: p.order, structGUID: p.v.ue4 >= ue4StructGUID, hasGUID: p.v.ue4 >= ue4PropertyGUID}
}

// mask returns what zeroes the values of properties that are GUIDs, nil when
// the package can have none.
func (t tagLayout) mask(names []unreal.PackageName) func([]byte) {
	kind, guid := nameIndex(names, "StructProperty"), nameIndex(names, "Guid")
	if t.order == nil || kind < 0 || guid < 0 {
		return nil
	}
	tag := make([]byte, 24)
	t.order.PutUint32(tag, uint32(kind))
	t.order.PutUint32(tag[8:], 16)
	t.order.PutUint32(tag[16:], uint32(guid))
	return func(b []byte) {
		for {
			i := bytes.Index(b, tag[:12])
			if i < 0 {
				return
			}
			b = b[i:]
			if len(b) >= len(tag) && bytes.Equal(b[16:24], tag[16:]) { // the place in an array may be any
				t.maskValue(b[24:])
			}
			b = b[12:]
		}
	}
}

// maskValue zeroes the 16 bytes of the value after the name of its struct.
func (t tagLayout) maskValue(b []byte) {
	n := 0
	if t.structGUID {
		n += 16
	}
	if t.hasGUID {
		if n >= len(b) {
			return
		}
		if b[n] != 0 {
			n += 16
		}
		n++
	}
	if n+16 <= len(b) {
		clear(b[n : n+16])
	}
}

func nameIndex(names []unreal.PackageName, text string) int {
	return slices.IndexFunc(names, func(n unreal.PackageName) bool { return n.Text == text })
}
