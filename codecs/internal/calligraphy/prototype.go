package calligraphy

import (
	"pakdb/codecs"
)

// The bits of a body's flags. Others are not known to exist.
const (
	hasParent   = 1 // the parent's id follows
	hasData     = 2 // groups of values follow
	polymorphic = 4 // nothing more follows
	knownFlags  = hasParent | hasData | polymorphic
)

// The structure of a member or field.
const (
	simple = 'S'
	list   = 'L'
)

// What bounds embedded bodies, which may be of one byte each. Real prototypes
// stay far below.
const (
	maxDepth  = 64
	maxBodies = 1 << 20
)

// The least bytes of each part. An embedded body may be a lone flags byte; all
// other values have 8 bytes.
const (
	minGroup   = 8 + 1 + 2 + 2
	minSimple  = 8 + 1 + minBody
	minList    = 8 + 1 + 2
	minBody    = 1
	plainValue = 8
)

// prototypeDecoder decodes the bodies of a prototype.
type prototypeDecoder struct{ *decoder }

func (d prototypeDecoder) prototype() {
	d.skipNewline()
	d.body(-1, 0)
	p := &d.proto
	d.detail.Prototype = &Prototype{
		Bodies: exact(p.Bodies), Groups: exact(p.Groups), Fields: exact(p.Fields), Values: exact(p.Values),
	}
}

// skipNewline passes over the 0x0D that a text-mode write put after the version
// byte 0x0A of one prototype of client 1.10. It is no flags byte: bit 3 of these
// is never set.
func (d prototypeDecoder) skipNewline() {
	if d.version == version10 && d.r.Len() > 1 && d.buf[headerSize] == '\r' {
		d.problem(failure("header", codecs.Errorf(codecs.ErrCorrupt, "extra byte 0x0d, skipped"), headerSize))
		d.r.Skip(1)
	}
}

// body reads a body and what it embeds. owner is the value that holds it.
func (d prototypeDecoder) body(owner int32, depth int) {
	d.at("flags", depth)
	flags := d.r.U8()
	if flags&^knownFlags != 0 {
		d.fail(1, codecs.Errorf(codecs.ErrCorrupt, "flags 0x%02x", flags))
	}
	if depth > maxDepth {
		d.fail(1, codecs.Errorf(codecs.ErrLimit, "bodies embedded more than %d deep", maxDepth))
	}
	if len(d.proto.Bodies) >= maxBodies {
		d.fail(1, codecs.Errorf(codecs.ErrLimit, "more than %d bodies", maxBodies))
	}
	if d.r.Err() != nil {
		return
	}
	b := Body{Owner: owner, Flags: flags}
	if flags&hasParent != 0 {
		b.Parent = d.parent(depth)
	}
	index := len(d.proto.Bodies)
	d.proto.Bodies = append(d.proto.Bodies, b)
	if flags&hasData != 0 {
		d.groups(int32(index), depth)
	}
}

func (d prototypeDecoder) parent(depth int) uint64 {
	d.at("parent", depth)
	id := d.r.U64()
	if depth == 0 {
		d.ref("parent", SpacePrototype, id)
	} else {
		d.ref("embedded_parent", SpacePrototype, id)
	}
	return id
}

func (d prototypeDecoder) groups(body int32, depth int) {
	d.at("groups", 0)
	n := d.r.Count16(minGroup)
	for i := range n {
		d.at("groups", i)
		g := Group{Blueprint: d.r.U64(), Copy: d.r.U8(), Body: body}
		if d.r.Err() != nil {
			return
		}
		index := int32(len(d.proto.Groups))
		d.proto.Groups = append(d.proto.Groups, g)
		d.ref("declared_by", SpaceBlueprint, g.Blueprint)
		d.fields(simple, index, depth)
		d.fields(list, index, depth)
	}
}

func (d prototypeDecoder) fields(structure byte, group int32, depth int) {
	part, minElem := "simple_fields", minSimple
	if structure == list {
		part, minElem = "list_fields", minList
	}
	d.at(part, 0)
	n := d.r.Count16(minElem)
	for i := range n {
		d.at(part, i)
		d.field(structure, group, depth)
		if d.r.Err() != nil {
			return
		}
	}
}

func (d prototypeDecoder) field(structure byte, group int32, depth int) {
	f := Field{ID: d.r.U64(), Type: d.fieldType(), Group: group, Structure: structure}
	n := 1
	if structure == list {
		n = d.r.Count16(minValue(f.Type))
	}
	if d.r.Err() != nil {
		return
	}
	f.First = int32(len(d.proto.Values))
	index := len(d.proto.Fields)
	d.proto.Fields = append(d.proto.Fields, f)
	d.proto.Fields[index].Count = d.values(f, n, depth)
}

// values reads n values of f and returns how many there were, which is fewer
// when reading fails. The values of one field follow each other: room for all is
// made before those of an embedded body follow.
func (d prototypeDecoder) values(f Field, n, depth int) uint16 {
	d.proto.Values = append(d.proto.Values, make([]uint64, n)...)
	d.places = append(d.places, make([]int32, n)...)
	for i := range n {
		slot := f.First + int32(i)
		if !d.value(f.Type, slot, depth) {
			return uint16(i)
		}
	}
	return uint16(n)
}

func (d prototypeDecoder) value(t byte, slot int32, depth int) bool {
	d.places[slot] = int32(d.r.Pos())
	if t == 'R' {
		index := len(d.proto.Bodies)
		d.body(slot, depth+1)
		d.proto.Values[slot] = uint64(index)
		return len(d.proto.Bodies) > index
	}
	v := d.r.U64()
	d.proto.Values[slot] = v
	d.valueRef(t, v)
	return d.r.Err() == nil
}

func (d prototypeDecoder) valueRef(t byte, id uint64) {
	switch t {
	case 'A':
		d.ref("asset", SpaceAsset, id)
	case 'C':
		d.ref("curve", SpaceCurve, id)
	case 'P':
		d.ref("prototype", SpacePrototype, id)
	case 'S':
		d.ref("string", SpaceLocale, id)
	case 'T':
		d.ref("asset_type", SpaceAssetType, id)
	}
}

func minValue(t byte) int {
	if t == 'R' {
		return minBody
	}
	return plainValue
}
