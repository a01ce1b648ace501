package property

// nameID is an FName as stored: the index in the low half, the number in the high one.
type nameID uint64

// typeKey is what a tag below UE5 1012 says about a type: its name, and up to two
// names of what it is made of.
type typeKey [3]nameID

// unstated is in place of a name that a tag does not have. 0 is the first of the table.
const unstated = ^nameID(0)

// typeNode is a part of a complete type name.
type typeNode struct {
	name  nameID
	inner int32 // nodes below
}

// typeCache holds the types that the tags of a package state, so that a value costs no
// allocation for its type.
type typeCache struct {
	byKey  map[typeKey]*Type
	simple map[nameID]*Type // of elements, whose names mean no more than a kind
	byName map[string]*Type // by the bytes of the complete name
	made   map[[2]*Type]*Type
	made1  map[*Type]*Type
}

func newTypeCache() typeCache {
	return typeCache{map[typeKey]*Type{}, map[nameID]*Type{}, map[string]*Type{}, map[[2]*Type]*Type{}, map[*Type]*Type{}}
}

// of returns an array or map of known types.
func (c *typeCache) of(k Kind, key, elem *Type) *Type {
	if k == Array {
		t := c.made1[elem]
		if t == nil {
			t = &Type{Kind: k, Elem: elem}
			c.made1[elem] = t
		}
		return t
	}
	t := c.made[[2]*Type{key, elem}]
	if t == nil {
		t = &Type{Kind: k, Key: key, Elem: elem}
		c.made[[2]*Type{key, elem}] = t
	}
	return t
}

// plain returns the type that a tag below UE5 1012 states.
func (c *typeCache) plain(k typeKey, kind Kind, d *Decoder) *Type {
	t := c.byKey[k]
	if t != nil {
		return t
	}
	switch kind {
	case Array, Set, Optional:
		t = &Type{Kind: kind, Elem: c.element(k[1], d)}
	case Map:
		t = &Type{Kind: kind, Key: c.element(k[1], d), Elem: c.element(k[2], d)}
	case Struct, Byte, Enum:
		t = NewType(kind, d.text(k[1]), "", nil, nil)
	default:
		t = &Type{Kind: kind}
	}
	c.byKey[k] = t
	return t
}

// element returns the type of elements: a kind and no more.
func (c *typeCache) element(id nameID, d *Decoder) *Type {
	t := c.simple[id]
	if t == nil {
		t = NewType(d.kindOf(id), "", "", nil, nil)
		c.simple[id] = t
	}
	return t
}

// named makes the type of a complete name, nil when it is none, and keeps it. raw is
// the name as stored.
func (c *typeCache) named(raw []byte, nodes []typeNode, d *Decoder) *Type {
	t, _ := buildType(nodes, d, 0)
	c.byName[string(raw)] = t
	return t
}

// buildType returns the type at the start of nodes, and the nodes after it.
func buildType(nodes []typeNode, d *Decoder, depth int) (*Type, []typeNode) {
	if len(nodes) == 0 || depth > maxTypeDepth {
		return nil, nil
	}
	head := nodes[0]
	kind := d.kindOf(head.name)
	switch kind {
	case Struct, Byte, Enum:
		return namedType(kind, nodes, d, depth)
	}
	t, rest := &Type{Kind: kind}, nodes[1:]
	var below []*Type
	for range head.inner {
		var sub *Type
		switch kind {
		case Array, Set, Optional, Map:
			sub, rest = buildType(rest, d, depth+1)
		default:
			rest = skipType(rest)
		}
		if rest == nil {
			return nil, nil
		}
		below = append(below, sub)
	}
	switch kind {
	case Array, Set, Optional:
		if len(below) != 1 || below[0] == nil {
			return nil, nil
		}
		t.Elem = below[0]
	case Map:
		if len(below) != 2 || below[0] == nil || below[1] == nil {
			return nil, nil
		}
		t.Key, t.Elem = below[0], below[1]
	}
	return t, rest
}

// namedType returns the type of a struct or enum: below it its name, and below that
// the path of the package that declares it; of enums also the type of the number.
func namedType(kind Kind, nodes []typeNode, d *Decoder, depth int) (*Type, []typeNode) {
	name, path := "", ""
	var elem *Type
	rest := nodes[1:]
	for i := range nodes[0].inner {
		switch {
		case len(rest) == 0:
			return nil, nil
		case i == 0:
			name = d.text(rest[0].name)
			if rest[0].inner > 0 && len(rest) > 1 {
				path = d.text(rest[1].name)
			}
			rest = skipType(rest)
		case i == 1 && kind == Enum:
			elem, rest = buildType(rest, d, depth+1)
		default:
			rest = skipType(rest)
		}
	}
	return NewType(kind, name, path, nil, elem), rest
}

// skipType returns the nodes after the first one and those below it.
func skipType(nodes []typeNode) []typeNode {
	open := 1
	for open > 0 && len(nodes) > 0 {
		open += int(nodes[0].inner) - 1
		nodes = nodes[1:]
	}
	return nodes
}
