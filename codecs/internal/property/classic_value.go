package property

import (
	"math"

	"pakdb/codecs/unreal"
)

// read reads the value of node i after its tag.
func (p *classicParser) read(i int, t *unreal.OldTag, fields unreal.ObjectRef) {
	n := &p.o.List.Nodes[i]
	switch {
	case n.Kind == Bool:
		n.Bits = bit(t.Bool)
	case n.Kind == Byte && t.Size == 8:
		n.Text = p.NameText()
	case n.Kind == Struct:
		p.structure(i, fields, true)
	case n.Kind == Array && n.Type.Elem.Kind == Unknown:
		p.guess(i)
	case n.Kind == Array:
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
func (p *classicParser) plain(i int) {
	n := &p.o.List.Nodes[i]
	switch n.Kind {
	case Bool: // in arrays and structs
		if n.Bits = uint64(p.In.U8()); n.Bits > 1 {
			p.In.Fail(errClassicKind)
		}
	case Byte:
		n.Bits = uint64(p.In.U8())
	case Int:
		n.Bits = uint64(int64(p.In.I32()))
	case Float:
		n.Bits = math.Float64bits(float64(p.In.F32()))
	case Name:
		n.Text = p.NameText()
	case Str:
		n.Text = p.FString()
	case Object, Class:
		n.Bits = uint64(int64(p.Ref()))
	case Delegate:
		n.Bits = uint64(int64(p.Ref()))
		n.Text = p.NameText()
	default:
		p.In.Fail(errClassicKind)
	}
}

// element reads a value that has no tag.
func (p *classicParser) element(name string, t *Type, fields unreal.ObjectRef) {
	i := p.add(name, t)
	if t.Kind == Struct {
		p.structure(i, fields, false)
	} else {
		p.plain(i)
	}
	if p.In.Err() == nil {
		p.end(i)
	}
}

// fewest returns the fewest bytes that an element takes.
func fewest(t *Type, version int) int {
	switch t.Kind {
	case Int, Float:
		return 4
	case Name:
		if version >= unreal.VerNameNumber {
			return 8
		}
	}
	return 1
}

// classicSmallArray is the most numbers that are values of their own; more stay packed.
const classicSmallArray = 16

// array reads a count and elements.
func (p *classicParser) array(i int, fields unreal.ObjectRef) {
	t := p.o.List.Nodes[i].Type
	p.o.List.placeOf(i).count = int32(p.In.Pos())
	n := p.Count(fewest(t.Elem, p.Version))
	if p.In.Err() != nil {
		return
	}
	if t.Elem.Kind == Byte && n > 0 && p.In.Len() == 8*n { // an enum, by name
		t = p.d.types.array(p.d.types.of(Name, ""))
		p.o.List.Nodes[i].Type = t
	}
	if size := numberSize(t.Elem.Kind); size > 0 && n > classicSmallArray {
		if p.In.Skip(n * size); p.In.Err() == nil {
			node := &p.o.List.Nodes[i]
			node.Flags |= Packed
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

func numberSize(k Kind) int {
	switch k {
	case Byte, Bool:
		return 1
	case Int, Float:
		return 4
	}
	return 0
}

// guess reads an array whose elements nobody declares: by the first type by which it
// ends at its last byte.
func (p *classicParser) guess(i int) {
	from := p.In.Pos()
	all := p.Data
	n := p.Count(0)
	if p.In.Err() != nil {
		return
	}
	rest := p.In.Len()
	if n == 0 && rest == 0 {
		return
	}
	types := &p.d.types
	candidates := []*Type{types.of(Struct, ""), types.of(Str, ""), types.of(Object, ""), types.of(Name, "")}
	switch {
	case n > 0 && rest == n:
		candidates = append([]*Type{types.of(Byte, "")}, candidates...)
	case n > 0 && rest == 4*n:
		candidates = append([]*Type{types.of(Int, "")}, candidates...)
	}
	first, before := len(p.o.List.Nodes), p.classicTally
	for _, elem := range candidates {
		p.within(all, from)
		p.o.List.Nodes[i].Type = types.array(elem)
		p.array(i, 0)
		if p.In.Err() == nil && p.In.Len() == 0 {
			p.guessed++
			p.o.List.Nodes[i].Flags |= Guessed
			return
		}
		p.o.List.cut(first)
		p.o.List.Nodes[i].Flags &^= Packed
		p.classicTally = before
	}
	p.o.List.Nodes[i].Type = types.array(typeUnknown)
	p.within(all, from)
	p.In.Fail(errNone)
}
