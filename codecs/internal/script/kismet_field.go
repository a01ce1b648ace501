package script

import (
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// kismetField is a parameter or a local variable of a function, or a variable of a class.
type kismetField struct {
	variable
	typ   string
	flags uint64
	count int32 // elements of an array of fixed size
	iface bool  // it is an interface
}

// String returns the name as code has it.
func (f *kismetField) String() string {
	if f.number != 0 && !Temporary(f.name) {
		return f.name + "_" + strconv.Itoa(int(f.number)-1)
	}
	return f.name
}

// declaration returns the type and the name.
func (f *kismetField) declaration() string {
	if f.count > 1 {
		return f.typ + " " + f.String() + "[" + strconv.Itoa(int(f.count)) + "]"
	}
	return f.typ + " " + f.String()
}

// field reads a property of a function: 4.25 and later.
func (r header) field(depth int) (f kismetField) {
	kind := r.fieldName()
	if kind == "None" || !r.ok() {
		return f
	}
	if depth > 8 {
		r.failAt(errNesting)
		return f
	}
	n := r.lay.name(r.in)
	name, ok := r.names.Name(n.Index)
	if !ok {
		r.failAt(errName)
	}
	f.variable = variable{name, uint32(n.Number)}
	if r.lay.fieldFlags {
		r.in.Skip(4)
	}
	if r.lay.editor && r.bool() {
		for range r.in.Count(12) {
			r.fieldName()
			unreal.FString(r.in)
			if !r.ok() {
				return f
			}
		}
	}
	f.count = r.in.I32()
	r.in.Skip(4) // size of an element
	f.flags = r.in.U64()
	r.in.Skip(2)
	r.fieldName() // of the function that is called on changes
	r.in.Skip(1)
	f.typ, f.iface = r.fieldType(kind, depth), kind == "InterfaceProperty"
	return f
}

// fieldType reads what only some kinds of properties have, and returns the type.
func (r header) fieldType(kind string, depth int) string {
	base := strings.ToLower(strings.TrimSuffix(kind, "Property"))
	switch kind {
	case "ArrayProperty", "SetProperty", "OptionalProperty":
		return base + "<" + r.field(depth+1).typ + ">"
	case "MapProperty":
		key := r.field(depth + 1).typ
		return "map<" + key + ", " + r.field(depth+1).typ + ">"
	case "EnumProperty":
		name := r.fieldRef()
		r.field(depth + 1)
		return name
	case "BoolProperty":
		r.in.Skip(6)
	case "ClassProperty", "SoftClassProperty", "ClassPtrProperty":
		r.fieldRef()
		class := "class"
		if kind == "SoftClassProperty" {
			class = "softclass"
		}
		return class + "<" + r.fieldRef() + ">"
	case "FieldPathProperty":
		r.fieldName()
	case "ByteProperty":
		if name := r.fieldRef(); name != "null" {
			return name
		}
	case "StructProperty", "ObjectProperty", "ObjectPtrProperty", "InterfaceProperty":
		return r.fieldRef()
	case "WeakObjectProperty", "LazyObjectProperty", "SoftObjectProperty":
		return strings.TrimSuffix(base, "object") + "<" + r.fieldRef() + ">"
	case "DelegateProperty", "MulticastDelegateProperty", "MulticastInlineDelegateProperty", "MulticastSparseDelegateProperty":
		r.fieldRef()
		return "delegate"
	case "StrProperty":
		return "string"
	}
	return base
}

// fieldRef reads a reference in front of the script, where sizes in memory do not count,
// and returns the name of the object.
func (r header) fieldRef() string {
	o := unreal.ObjectRef(r.in.I32())
	if !r.names.Has(o) {
		return "?"
	}
	return r.names.Bare(o)
}

// fieldName reads a name in front of the script, where sizes in memory do not
// count.
func (r header) fieldName() string {
	n := r.lay.name(r.in)
	text, ok := r.names.Name(n.Index)
	if !ok {
		r.failAt(errName)
	}
	return text
}
