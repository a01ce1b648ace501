package property

import (
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Bounds of one export. The largest known lists nest six deep.
const (
	classicMaxDepth = 32
	maxNodes        = DefaultMaxNodes
)

// Errors of values, which become the Text of opaque ones.
var (
	errClassicDepth = errors.New("nested too deeply")
	errNodes        = fmt.Errorf("more values than %d, or than its bytes: %w", maxNodes, codecs.ErrLimit)
	errClassicRest  = errors.New("bytes left after the value")
	errClassicKind  = errors.New("type without a reader")
	errNone         = fmt.Errorf("none of the types that it may have fits: %w", ErrLayout)
)

// classicParser reads the values of one export. Its reader's offsets are those in the export.
type classicParser struct {
	*unreal.OldReader
	d     *ClassicDecoder
	o     *Export
	depth int
	work  int // values that may still be read, those that are given up included

	classicTally
}

// newParser returns a parser of the reader's bytes. Its work follows from their number:
// a fixed array of 65,535 structs without fields has none, and can be in another one.
func newParser(r *unreal.OldReader, d *ClassicDecoder, o *Export) *classicParser {
	return &classicParser{OldReader: r, d: d, o: o, work: 1<<16 + 8*len(r.Data)}
}

// classicTally counts what was read.
type classicTally struct {
	values, opaque, guessed, opaqueBytes int64
	damage                               error // of the first opaque value, see [IsDamage]
}

// within goes on reading at a place in the first bytes of the export.
func (p *classicParser) within(data []byte, at int) {
	p.Data = data
	p.In.Reset(data, 0, p.In.Order())
	p.In.Seek(at)
}

// add appends a node whose value is at the reader's place.
func (p *classicParser) add(name string, t *Type) int {
	l := &p.o.List
	if p.work--; p.work < 0 || len(l.Nodes) >= maxNodes {
		p.In.Fail(errNodes)
	}
	l.Nodes = append(l.Nodes, Node{Name: name, Type: t, Kind: t.Kind, Offset: int32(p.In.Pos())})
	if l.placed {
		l.places = append(l.places, place{})
	}
	return len(l.Nodes) - 1
}

// end completes a node: its value ends at the reader's place, and what follows in
// the list is below it.
func (p *classicParser) end(i int) {
	n := &p.o.List.Nodes[i]
	n.Size, n.Next = int32(p.In.Pos())-n.Offset, int32(len(p.o.List.Nodes))
}

// list reads properties up to None, of a struct or, for -1, of the export. owner declares them:
// a class or a struct.
func (p *classicParser) list(of int, owner unreal.ObjectRef) {
	if p.depth++; p.depth > classicMaxDepth {
		p.In.Fail(errClassicDepth)
	}
	defer func() { p.depth-- }()
	for p.In.Err() == nil {
		at := p.In.Pos()
		t := p.Tag()
		if t.Name == "None" || p.In.Err() != nil {
			place := p.o.List.placeOf(of)
			place.form, place.end = formTagged, int32(at)
			return
		}
		p.tagged(&t, at, owner)
	}
}

// tagged reads the value after a tag, in its bytes alone. One that does not end
// with them is opaque.
func (p *classicParser) tagged(t *unreal.OldTag, at int, owner unreal.ObjectRef) {
	from := p.In.Pos()
	outer, before := p.Data, p.classicTally
	first := len(p.o.List.Nodes)
	p.within(outer[:from+t.Size], from)
	typ, fields := p.typeOf(t, owner)
	i := p.add(t.Name, typ)
	p.o.List.Nodes[i].Index = int32(t.Index)
	own := p.o.List.placeOf(i)
	own.tagged, own.tag, own.size, own.flag = true, int32(at), int32(t.SizeAt), int32(t.InfoAt)
	p.read(i, t, fields)
	if p.In.Err() == nil && p.In.Len() > 0 {
		p.In.Fail(errClassicRest)
	}
	err := p.In.Err()
	if err == nil {
		p.end(i)
	}
	p.within(outer, from+t.Size)
	if errors.Is(err, errNodes) {
		p.In.Fail(err)
	}
	if err == nil {
		p.values++
		return
	}
	p.values, p.guessed = before.values+1, before.guessed
	p.opaque, p.opaqueBytes = before.opaque+1, before.opaqueBytes+int64(t.Size)
	if p.damage = before.damage; p.damage == nil && IsDamage(err) {
		p.damage = fmt.Errorf("%s: %w", t.Name, err)
	}
	p.o.List.cut(first + 1)
	p.o.List.placeOf(first).forget()
	p.o.List.Nodes = append(p.o.List.Nodes[:first], Node{Name: t.Name, Text: err.Error(), Type: typ, Index: int32(t.Index),
		Kind: Opaque, Offset: int32(from), Size: int32(t.Size), Next: int32(first + 1)})
}

// typeOf returns the type of a value by its tag and by the class that declares it, and what
// declares the fields of its structs.
func (p *classicParser) typeOf(t *unreal.OldTag, owner unreal.ObjectRef) (typ *Type, fields unreal.ObjectRef) {
	types := &p.d.types
	switch t.Kind {
	case unreal.OldByte:
		if f, ok := p.d.find(owner, t.Name, &p.work); ok && t.Enum == "" && f.typ != nil && f.typ.Kind == Byte {
			return f.typ, 0
		}
		return types.of(Byte, t.Enum), 0
	case unreal.OldObject, unreal.OldComponent, unreal.OldInterface:
		return types.of(Object, ""), 0
	case unreal.OldClass:
		return types.of(Class, ""), 0
	case unreal.OldVector:
		return types.of(Struct, "Vector"), 0
	case unreal.OldRotator:
		return types.of(Struct, "Rotator"), 0
	case unreal.OldStruct:
		if f, ok := p.d.find(owner, t.Name, &p.work); ok {
			fields = f.fields
		}
		return types.of(Struct, t.Struct), fields
	case unreal.OldArray:
		if f, ok := p.d.find(owner, t.Name, &p.work); ok && f.typ != nil && f.typ.Kind == Array {
			return f.typ, f.fields
		}
		return types.array(typeUnknown), 0
	case unreal.OldMap:
		return typeMap, 0
	}
	if k := plainKinds[t.Kind]; k != Unknown {
		return types.of(k, ""), 0
	}
	return types.of(Unknown, t.Type), 0
}
