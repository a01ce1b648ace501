package property

import (
	"errors"
	"slices"
)

// smallArray is how many numbers an array may have to get nodes of their own.
const smallArray = 16

// readValue reads the value of node i, whose type is known, and closes the node. inside
// says that it is an element of a container, where some kinds are stored otherwise.
func readValue(p *parser, i int, inside bool) {
	n := &p.l.Nodes[i]
	switch k := n.Kind; k {
	case Bool:
		if p.b8() {
			n.Bits = 1
		}
	case Byte, Enum:
		readEnumValue(p, n, inside)
	case Int8, Int16, Int, Int64, UInt16, UInt32, UInt64, Float, Double:
		if b := p.in.Bytes(k.size()); b != nil {
			n.Bits = number(k, b, p.l.order)
		}
	case Name:
		n.Text = p.name()
	case Str, VerseStr:
		n.Text = p.str()
	case Utf8Str, AnsiStr:
		n.Text = p.utf8()
	case Object, Class, WeakObject, Interface:
		n.Bits = uint64(int64(p.ref()))
	case LazyObject:
		n.Text = p.guid()
	case AssetObject, AssetClass, SoftObject, SoftClass:
		readSoftPath(p, i)
	case Delegate:
		n.Bits = uint64(int64(p.ref()))
		n.Text = p.name()
	case Text, MulticastDelegate, MulticastInline, MulticastSparse, FieldPath, Struct, Array, Set, Map, Optional:
		if p.down() {
			readNested(p, i)
		}
		p.up()
	default:
		p.fail(errKind)
	}
	p.close(i)
}

// readNested reads what has values below it.
func readNested(p *parser, i int) {
	switch p.l.Nodes[i].Kind {
	case Text:
		readText(p, i)
	case MulticastDelegate, MulticastInline, MulticastSparse:
		for range p.countOf(i, 12) {
			p.element(typeDelegate)
		}
	case FieldPath:
		readFieldPath(p, i)
	case Struct:
		readStructure(p, i)
	case Array:
		readArray(p, i)
	case Set, Map:
		readContainer(p, i)
	case Optional:
		if p.b32() {
			p.l.Nodes[i].Bits = 1
			p.element(p.l.Nodes[i].Type.Elem)
		}
	}
}

// Types of values whose property does not say more.
var (
	typeDelegate = &Type{Kind: Delegate}
	typeName     = &Type{Kind: Name}
	typeStr      = &Type{Kind: Str}
	typeByte     = &Type{Kind: Byte}
	typeInt      = &Type{Kind: Int}
	typeInt64    = &Type{Kind: Int64}
	typeUInt16   = &Type{Kind: UInt16}
	typeUInt32   = &Type{Kind: UInt32}
	typeUInt64   = &Type{Kind: UInt64}
	typeFloat    = &Type{Kind: Float}
	typeDouble   = &Type{Kind: Double}
	typeBool     = &Type{Kind: Bool}
	typeText     = &Type{Kind: Text}
	typeObject   = &Type{Kind: Object}
	typeGUID     = &Type{Kind: LazyObject}
	typeSoft     = &Type{Kind: SoftObject}
	typeStruct   = &Type{Kind: Struct}
	typeUnknown  = &Type{}
	typeArray    = &Type{Kind: Array, Elem: typeUnknown}
	typeMap      = &Type{Kind: Map, Key: typeUnknown, Elem: typeUnknown}
	typeByteName = &Type{Kind: Byte, Name: "Enum"} // of an array whose tag does not name the enum
	typeByteEnum = &Type{Kind: Array, Elem: typeByteName}
)

// readEnumValue reads a byte or an enum. Tagged values are names, but for plain bytes;
// unversioned ones are numbers, but for elements of containers.
func readEnumValue(p *parser, n *Node, inside bool) {
	t := n.Type
	switch {
	case n.Kind == Byte && unnamedByte(t):
		if !p.v.schemas && !inside && p.in.Len() == 8 { // a tag without the enum's name
			n.Text = p.name()
			return
		}
		n.Bits = uint64(p.in.U8())
	case p.v.schemas && !inside:
		k := Byte
		if t.Elem != nil {
			k = t.Elem.Kind
		}
		if k.size() == 0 || k == Bool || k == Float || k == Double {
			p.fail(errKind) // mappings say that it is a number
			return
		}
		if b := p.in.Bytes(k.size()); len(b) > 0 {
			n.Bits = number(k, b, p.l.order)
		}
		n.Text = memberName(p, t, int64(n.Bits))
	case n.Kind == Byte && !inside && p.in.Len() == 1:
		n.Bits = uint64(p.in.U8())
	default:
		n.Text = p.name()
	}
}

// unnamedByte reports a byte of no enum.
func unnamedByte(t *Type) bool { return t.Name == "" || t.Name == "None" }

func readFieldPath(p *parser, i int) {
	for range p.countOf(i, 8) {
		p.element(typeName)
	}
	if p.v.custom[FortniteMain] >= 33 || p.v.custom[Release] >= 30 {
		p.l.Nodes[i].Bits = uint64(int64(p.ref()))
	}
}

// leastBytes returns the fewest bytes that a value of the type takes in a container.
func leastBytes(p *parser, t *Type) int {
	switch t.Kind {
	case Struct:
		if n := elementSize(t, p.v.wide); n > 0 {
			return n
		}
		return 1
	case Byte:
		return 1
	case Name, Enum:
		return 8
	case LazyObject:
		return 16
	}
	if n := t.Kind.size(); n > 0 {
		return n
	}
	return 4
}

// readArray reads i32 count and the elements.
func readArray(p *parser, i int) {
	t := p.l.Nodes[i].Type
	if p.v.schemas || t.Elem.Kind != Struct || p.v.ue5 >= typeNames {
		n := p.countOf(i, leastBytes(p, t.Elem))
		if t.Elem.Kind == Byte && !p.v.schemas && n > 0 && p.in.Len() == 8*n {
			if unnamedByte(t.Elem) {
				t = typeByteEnum
				p.l.Nodes[i].Type = t
			}
		} else if t.Elem.Kind == Byte && !p.v.schemas && !unnamedByte(t.Elem) && p.in.Len() == n {
			t = p.d.types.of(Array, nil, typeByte) // numbers, in spite of the enum
			p.l.Nodes[i].Type = t
		}
		readElements(p, i, t.Elem, n)
		return
	}
	if p.v.ue4 < innerTags {
		guess(p, i, t)
		return
	}
	n := p.countOf(i, 1)
	elem := readInnerTag(p, i)
	if !p.ok() {
		return
	}
	p.l.Nodes[i].Type = p.d.types.of(Array, nil, elem)
	readElements(p, i, elem, n)
}

// readElements reads n elements. Many numbers stay packed.
func readElements(p *parser, i int, t *Type, n int) {
	if size := elementSize(t, p.v.wide); size > 0 && n > smallArray && !(p.lists && t.Kind == Struct) {
		if b := p.in.Bytes(size * n); b != nil {
			node := &p.l.Nodes[i]
			node.Flags |= Packed
			node.Bits = uint64(n)
			if t.Kind == Bool && slices.ContainsFunc(b, func(v byte) bool { return v > 1 }) || t.Kind == Struct && !t.native.layout.valid(b, size) {
				p.fail(errBool)
			}
		}
		return
	}
	for range n {
		if !p.ok() {
			return
		}
		p.element(t)
	}
}

// readContainer reads a set or a map.
func readContainer(p *parser, i int) {
	t := p.l.Nodes[i].Type
	if !p.v.schemas && p.v.ue5 < typeNames && (unnamed(t.Elem) || t.Key != nil && unnamed(t.Key)) {
		guess(p, i, t)
		return
	}
	readPairs(p, i, t)
}

// unnamed reports a struct whose name the tag did not state.
func unnamed(t *Type) bool { return t.Kind == Struct && t.Name == "" }

// readPairs reads what a set or map removes from the inherited value, then what it has.
func readPairs(p *parser, i int, t *Type) {
	first := t.Elem
	if t.Kind == Map {
		first = t.Key
	}
	removed := p.count(leastBytes(p, first))
	for range removed {
		if !p.ok() {
			return
		}
		p.element(first)
	}
	p.l.Nodes[i].Bits = uint64(removed)
	for range p.countOf(i, leastBytes(p, first)) {
		if !p.ok() {
			return
		}
		if t.Kind == Map {
			p.element(t.Key)
		}
		p.element(t.Elem)
	}
}

// readSoftPath reads the path of an object that is loaded on demand.
func readSoftPath(p *parser, i int) {
	v := p.v
	var asset, sub string
	switch {
	case v.ue4 < 514:
		asset = p.str()
	case v.ue5 >= 1008 && v.editor && len(p.d.soft) > 0:
		p.link(LinkSoft)
		k := p.in.I32()
		if uint32(k) >= uint32(len(p.d.soft)) {
			p.fail(errRef)
			return
		}
		asset, sub = p.d.soft[k].path, p.d.soft[k].sub
	case v.ue5 >= 1007:
		asset = softAsset(p, p.name(), p.name())
		if v.custom[FortniteMain] >= 192 {
			sub = p.utf8()
		} else {
			sub = p.str()
		}
	default:
		asset, sub = p.name(), p.str()
	}
	if asset == "None" {
		asset = ""
	}
	p.l.Nodes[i].Text = asset
	if sub != "" {
		p.leaf("SubPath", typeStr, 0, sub)
	}
}

// readStructure reads a struct: by its own serializer, or as a list.
func readStructure(p *parser, i int) {
	t := p.l.Nodes[i].Type
	if t.native != nil && !p.lists && t.native.decode(p, i) {
		if i < len(p.l.Nodes) {
			p.l.Nodes[i].Flags |= Binary
		}
		return
	}
	readList(p, t.Path, t.Name)
}

// readList reads a list of properties of a class or struct.
func readList(p *parser, path, name string) {
	if !p.v.schemas {
		readTagged(p, path, name)
		return
	}
	fields, err := p.d.slotsOf(path, name)
	if err != nil {
		var none *NoSchemaError
		if errors.As(err, &none) {
			p.missing = none
		}
		p.fail(err)
		return
	}
	readUnversioned(p, fields)
}
