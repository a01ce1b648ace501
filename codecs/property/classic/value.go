package classic

import (
	"math"

	"pakdb/codecs/family/unreal"
	"pakdb/codecs/internal/ueold"
	"pakdb/codecs/property"
)

// read reads the value of node i behind its tag.
func (p *parser) read(i int, t *ueold.Tag, fields unreal.ObjectRef) {
	n := &p.o.List.Nodes[i]
	switch {
	case n.Kind == property.Bool:
		n.Bits = bit(t.Bool)
	case n.Kind == property.Byte && t.Size == 8:
		n.Text = p.NameText()
	case n.Kind == property.Struct:
		p.structure(i, fields, true)
	case n.Kind == property.Array && n.Type.Elem == nil:
		p.guess(i)
	case n.Kind == property.Array:
		p.array(i, fields)
	default:
		p.plain(i)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// plain reads a value of a kind that says how long it is.
func (p *parser) plain(i int) {
	n := &p.o.List.Nodes[i]
	switch n.Kind {
	case property.Bool: // in arrays and structs
		if n.Bits = uint64(p.In.U8()); n.Bits > 1 {
			p.In.Fail(errKind)
		}
	case property.Byte:
		n.Bits = uint64(p.In.U8())
	case property.Int:
		n.Bits = uint64(int64(p.In.I32()))
	case property.Float:
		n.Bits = math.Float64bits(float64(p.In.F32()))
	case property.Name:
		n.Text = p.NameText()
	case property.Str:
		n.Text = p.FString()
	case property.Object, property.Class:
		n.Bits = uint64(int64(p.Ref()))
	case property.Delegate:
		n.Bits = uint64(int64(p.Ref()))
		n.Text = p.NameText()
	default:
		p.In.Fail(errKind)
	}
}

// element reads a value that has no tag.
func (p *parser) element(name string, t *property.Type, fields unreal.ObjectRef) {
	i := p.add(name, t)
	if t.Kind == property.Struct {
		p.structure(i, fields, false)
	} else {
		p.plain(i)
	}
	if p.In.Err() == nil {
		p.end(i)
	}
}

// fewest returns the fewest bytes that an element takes.
func fewest(t *property.Type, version int) int {
	switch t.Kind {
	case property.Int, property.Float:
		return 4
	case property.Name:
		if version >= ueold.VerNameNumber {
			return 8
		}
	}
	return 1
}

// smallArray is the most numbers that are values of their own; more stay packed.
const smallArray = 16

// array reads a count and elements.
func (p *parser) array(i int, fields unreal.ObjectRef) {
	t := p.o.List.Nodes[i].Type
	n := p.Count(fewest(t.Elem, p.Version))
	if p.In.Err() != nil {
		return
	}
	if t.Elem.Kind == property.Byte && n > 0 && p.In.Len() == 8*n { // an enum, by name
		t = p.d.types.array(p.d.types.of(property.Name, ""))
		p.o.List.Nodes[i].Type = t
	}
	if size := numberSize(t.Elem.Kind); size > 0 && n > smallArray {
		if p.In.Skip(n * size); p.In.Err() == nil {
			node := &p.o.List.Nodes[i]
			node.Flags |= property.Packed
			node.Bits = uint64(n)
		}
		return
	}
	for range n {
		if p.In.Err() != nil {
			return
		}
		p.element("", t.Elem, fields)
	}
}

func numberSize(k property.Kind) int {
	switch k {
	case property.Byte, property.Bool:
		return 1
	case property.Int, property.Float:
		return 4
	}
	return 0
}

// guess reads an array whose elements nobody declares: by the first type by which it
// ends at its last byte.
func (p *parser) guess(i int) {
	from := p.In.Pos()
	all := p.Data
	n := p.Count(0)
	if p.In.Err() != nil {
		return
	}
	rest := p.In.Len()
	if n == 0 && rest == 0 {
		p.o.List.Nodes[i].Type = p.d.types.array(p.d.types.of(property.Unknown, ""))
		return
	}
	types := &p.d.types
	candidates := []*property.Type{types.of(property.Struct, ""), types.of(property.Str, ""), types.of(property.Object, ""), types.of(property.Name, "")}
	switch {
	case n > 0 && rest == n:
		candidates = append([]*property.Type{types.of(property.Byte, "")}, candidates...)
	case n > 0 && rest == 4*n:
		candidates = append([]*property.Type{types.of(property.Int, "")}, candidates...)
	}
	first, before := len(p.o.List.Nodes), p.tally
	for _, elem := range candidates {
		p.within(all, from)
		p.o.List.Nodes[i].Type = types.array(elem)
		p.array(i, 0)
		if p.In.Err() == nil && p.In.Len() == 0 {
			p.guessed++
			p.o.List.Nodes[i].Flags |= property.Guessed
			return
		}
		p.o.List.Nodes = p.o.List.Nodes[:first]
		p.o.List.Nodes[i].Flags &^= property.Packed
		p.tally = before
	}
	p.o.List.Nodes[i].Type = types.of(property.Array, "")
	p.within(all, from)
	p.In.Fail(errNone)
}
