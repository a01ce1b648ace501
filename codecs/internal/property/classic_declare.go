package property

import (
	"strings"

	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// declared is a property as a class or struct declares it.
type declared struct {
	name   string
	typ    *Type
	fields unreal.ObjectRef // of a struct, or of an array's elements: what declares its fields
	count  int              // elements of an array of fixed size
	next   unreal.ObjectRef
	ok     bool
}

// field reads the declaration that an export is, once.
func (d *ClassicDecoder) field(export int) declared {
	if f, ok := d.fields[export]; ok {
		return f
	}
	d.fields[export] = declared{} // an array of itself is none
	f := d.readField(export)
	d.fields[export] = f
	return f
}

func (d *ClassicDecoder) readField(export int) (f declared) {
	if !strings.HasSuffix(d.f.ClassOf(export), "Property") {
		return declared{name: d.f.NameOf(d.f.Exports[export].Name)}
	}
	data, err := d.data(export)
	if err != nil {
		return declared{name: d.f.NameOf(d.f.Exports[export].Name)}
	}
	read := script.ReadField(d.f, export, data)
	f = declared{name: read.Name, next: read.Next, count: read.Count, ok: read.Whole}
	if f.ok {
		d.fieldType(&f, &read)
	}
	return f
}

// fieldType finds the type of a property.
func (d *ClassicDecoder) fieldType(f *declared, read *script.Field) {
	switch read.Kind {
	case unreal.OldByte:
		enum := ""
		if read.Of != 0 {
			enum = d.f.ObjectOf(read.Of)
		}
		f.typ = d.types.of(Byte, enum)
	case unreal.OldObject, unreal.OldComponent, unreal.OldInterface:
		f.typ = d.types.of(Object, "")
	case unreal.OldClass:
		f.typ = d.types.of(Class, "")
	case unreal.OldStruct:
		f.fields = read.Of
		f.typ = d.types.of(Struct, d.f.ObjectOf(read.Of))
	case unreal.OldArray:
		inner, ok := read.Of.Export()
		if !ok || inner >= len(d.f.Exports) {
			return
		}
		if e := d.field(inner); e.ok && e.typ != nil {
			f.fields = e.fields
			f.typ = d.types.array(e.typ)
		}
	default:
		if k := plainKinds[read.Kind]; k != Unknown {
			f.typ = d.types.of(k, "")
		}
	}
}

// plainKinds are the kinds of properties that say no more than them.
var plainKinds = map[unreal.OldKind]Kind{unreal.OldInt: Int, unreal.OldStringRef: Int, unreal.OldBool: Bool, unreal.OldFloat: Float,
	unreal.OldName: Name, unreal.OldStr: Str, unreal.OldDelegate: Delegate}

// find returns what a class or struct, or one that it inherits from, declares under
// a name. Searching costs work: hostile classes have many fields, or inherit from
// themselves.
func (d *ClassicDecoder) find(owner unreal.ObjectRef, name string, work *int) (declared, bool) {
	for range unreal.MaxOuters {
		i, ok := owner.Export()
		if !ok || i >= len(d.f.Exports) {
			break
		}
		list := d.declares(i)
		if *work -= len(list) / 64; *work < 0 {
			return declared{}, false
		}
		for _, f := range list {
			if strings.EqualFold(f.name, name) {
				return f, true
			}
		}
		owner = d.f.Exports[i].Super
	}
	return declared{}, false
}

// declares returns the properties that a class or struct declares itself, in order.
// They lie in it, and each is the next one of another.
func (d *ClassicDecoder) declares(export int) []declared {
	if list, ok := d.owned[export]; ok {
		return list
	}
	var list []declared
	seen := map[int]bool{}
	for at := d.children[export]; ; {
		i, ok := at.Export()
		if !ok || i >= len(d.f.Exports) || seen[i] || d.f.Exports[i].Outer != unreal.ObjectRef(export+1) {
			break
		}
		seen[i] = true
		if next, code := d.next[i]; code {
			at = next
			continue
		}
		f := d.field(i)
		if f.ok {
			list = append(list, f)
		}
		if at = f.next; !f.ok {
			at = d.nextOf(i)
		}
	}
	d.owned[export] = list
	return list
}

// nextOf returns the next field after one that is no property.
func (d *ClassicDecoder) nextOf(export int) unreal.ObjectRef {
	data, err := d.data(export)
	if err != nil {
		return 0
	}
	return script.ReadField(d.f, export, data).Next
}

// types makes each type once.
type types struct {
	named  map[classicTypeKey]*Type
	arrays map[*Type]*Type
}

type classicTypeKey struct {
	kind Kind
	name string
}

func (t *types) of(kind Kind, name string) *Type {
	if name == "None" {
		name = ""
	}
	k := classicTypeKey{kind, name}
	if t.named[k] == nil {
		t.named[k] = &Type{Kind: kind, Name: name}
	}
	return t.named[k]
}

func (t *types) array(elem *Type) *Type {
	if t.arrays[elem] == nil {
		t.arrays[elem] = &Type{Kind: Array, Elem: elem}
	}
	return t.arrays[elem]
}
