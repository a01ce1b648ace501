package property

import (
	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// readStruct reads what classes, structs and functions have in common: parent,
// children, fields, script. From UE 4.25 on fields are stored with it; before they
// are exports of their own.
func readStruct(p *parser, o *Export, x *unreal.PackageExport) {
	v := p.v
	if v.custom[Framework] < 29 {
		p.ref() // the next field
	}
	super := p.ref()
	p.leaf("Super", typeObject, uint64(int64(super)), "")
	if v.custom[Framework] < 29 {
		p.ref() // the first child
	} else {
		list := p.add("Children", p.d.types.of(Array, nil, typeObject))
		for range p.count(4) {
			p.element(typeObject)
		}
		p.close(list)
	}
	if v.custom[Core] >= 4 {
		s := &Schema{Name: p.d.pkg.NameOf(x.Name), Path: p.d.name}
		if super != 0 {
			s.SuperPath, s.Super = p.d.Declared(super)
		}
		n := p.count(16)
		fields := p.add("ChildProperties", p.d.types.of(Array, nil, typeField))
		for range n {
			f := readField(p, true)
			if !p.ok() {
				return
			}
			f.Position = s.Positions
			s.Positions += f.Count
			s.Fields = append(s.Fields, f)
		}
		p.close(fields)
		o.Schema = s
	}
	p.in.Skip(4) // size of the script in memory
	size := p.count(1)
	from := int32(p.in.Off())
	p.in.Skip(size)
	p.l.code = [2]int32{from, from + int32(size)}
}

var typeField = &Type{Kind: Struct, Name: "Field"}

// readField reads a property as a class stores it. top adds a node for it.
func readField(p *parser, top bool) (f Field) {
	if !p.down() {
		return f
	}
	defer p.up()
	v := p.v
	kindName := p.name()
	if top && kindName == "None" {
		p.fail(codecs.Errorf(codecs.ErrCorrupt, "field without a type"))
	}
	if kindName == "None" || !p.ok() {
		return f
	}
	f.Name = p.name()
	if v.engine < 508 || v.editor {
		p.in.Skip(4) // object flags
	}
	if v.editor && !v.cooked && p.b32() {
		for range p.count(12) {
			p.name()
			p.str()
		}
	}
	f.Count = int(p.in.I32())
	p.in.Skip(4) // size of an element
	f.Flags = p.in.U64()
	p.in.Skip(2)
	p.name() // function that is called when it was replicated
	p.in.Skip(1)
	if p.ok() && (f.Count < 1 || f.Count > maxPositions) {
		p.fail(codecs.Errorf(codecs.ErrCorrupt, "field %s has %d elements", f.Name, f.Count))
	}
	f.Type = readFieldType(p, KindNamed(kindName), kindName)
	if top && p.ok() {
		n := p.add("", typeField)
		p.leaf("Type", typeStr, 0, f.Type.String())
		p.leaf("Name", typeName, 0, f.Name)
		p.leaf("ArrayDim", typeInt, uint64(f.Count), "")
		p.leaf("PropertyFlags", typeUInt64, f.Flags, "")
		p.close(n)
	}
	return f
}

// readFieldType reads what a property of a kind has beside.
func readFieldType(p *parser, kind Kind, name string) *Type {
	t := NewType(kind, "", "", nil, nil)
	inner := func() *Type {
		f := readField(p, false)
		if f.Type == nil && p.ok() {
			p.fail(codecs.Errorf(codecs.ErrCorrupt, "%s without the type of its elements", name))
		}
		return f.Type
	}
	switch kind {
	case Array, Set, Optional:
		t.Elem = inner()
	case Map:
		t.Key = inner()
		t.Elem = inner()
	case Byte:
		if r := p.ref(); r != 0 {
			// Stored as unversioned mappings have it: an enum over a byte.
			path, enum := p.d.Declared(r)
			t = NewType(Enum, enum, path, nil, typeByte)
		}
	case Enum:
		path, enum := p.d.Declared(p.ref())
		t = NewType(Enum, enum, path, nil, inner())
	case Struct:
		path, of := p.d.Declared(p.ref())
		t = NewType(Struct, of, path, nil, nil)
	case Bool:
		p.in.Skip(6)
	case Object, WeakObject, LazyObject, SoftObject, Interface, Delegate, MulticastDelegate, MulticastInline, MulticastSparse:
		p.ref()
	case Class, SoftClass:
		p.ref()
		p.ref()
	case FieldPath:
		p.name()
	case Unknown:
		p.fail(codecs.Errorf(codecs.ErrUnknown, "field of type %s", name))
	}
	return t
}

func readFunction(p *parser, o *Export, x *unreal.PackageExport) {
	readStruct(p, o, x)
	flags := p.in.U32()
	p.leaf("FunctionFlags", typeUInt32, uint64(flags), "")
	if flags&0x40 != 0 {
		p.in.Skip(2)
	}
	if p.v.ue4 >= 451 {
		p.ref()
		p.in.Skip(4)
	}
}

// readUserStruct reads a struct of the game's, and the values its fields begin with.
func readUserStruct(p *parser, o *Export, x *unreal.PackageExport) {
	readStruct(p, o, x)
	p.leaf("StructFlags", typeUInt32, uint64(p.in.U32()), "")
	if !upToDate(p) || p.v.custom[Framework] < 32 || !p.ok() {
		return
	}
	at := p.add("DefaultProperties", p.d.structOf(o.Schema.pathName()))
	if !p.ok() {
		return
	}
	start := p.mark()
	if p.v.schemas {
		// The struct's own fields; nobody can know them from another package yet.
		if all, err := slots(p.d.schemas, o.Schema); err != nil {
			p.fail(err)
		} else {
			readUnversioned(p, all)
		}
	} else {
		path, name := o.Schema.pathName()
		readList(p, path, name)
	}
	if !p.ok() {
		why := p.in.Err()
		p.back(start)
		makeOpaque(p, at, p.in.Len(), why)
		p.in.Skip(p.in.Len())
		return
	}
	p.close(at)
}

// pathName returns where a schema is declared, and its name.
func (s *Schema) pathName() (path, name string) {
	if s == nil {
		return "", ""
	}
	return s.Path, s.Name
}

// upToDate reports whether the struct compiled: then it has defaults.
func upToDate(p *parser) bool {
	i := p.l.Find(-1, "Status", 0)
	if i < 0 {
		return true
	}
	n := &p.l.Nodes[i]
	return n.Text == "UDSS_UpToDate" || n.Text == "EUserDefinedStructureStatus::UDSS_UpToDate" || n.Text == "" && n.Bits == 0
}

func readClass(p *parser, o *Export, x *unreal.PackageExport) {
	readStruct(p, o, x)
	functions := p.add("FuncMap", p.d.types.of(Map, typeName, typeObject))
	for range p.count(12) {
		p.element(typeName)
		p.element(typeObject)
	}
	p.close(functions)
	p.leaf("ClassFlags", typeUInt32, uint64(p.in.U32()), "")
	p.field("ClassWithin", typeObject)
	p.field("ClassConfigName", typeName)
	p.field("ClassGeneratedBy", typeObject)
	list := p.add("Interfaces", p.d.types.of(Array, nil, typeStruct))
	for range p.count(12) {
		one := p.add("", typeStruct)
		p.field("Class", typeObject)
		p.field("PointerOffset", typeInt)
		p.wideBool("bImplementedByK2")
		p.close(one)
	}
	p.close(list)
	p.b32()
	p.name()
	if p.v.ue4 >= 241 {
		p.wideBool("bCooked")
	}
	p.field("ClassDefaultObject", typeObject)
	if p.v.custom[FortniteMain] >= 57 && p.in.Len() > 0 && p.ok() {
		tags := p.add("EditorTags", p.d.types.of(Map, typeName, typeStr))
		for range p.count(12) {
			p.element(typeName)
			p.element(typeStr)
		}
		p.close(tags)
	}
}
