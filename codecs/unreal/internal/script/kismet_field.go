package script

import "pakdb/codecs/unreal"

// field passes over a property of a function: 4.25 and later.
func (r header) field(depth int) {
	kind := r.fieldName()
	if kind == "None" || !r.ok() {
		return
	}
	if depth > 8 {
		r.failAt(errNesting)
		return
	}
	r.fieldName()
	if r.lay.fieldFlags {
		r.in.Skip(4)
	}
	if r.lay.editor && r.bool() {
		for range r.in.Count(12) {
			r.fieldName()
			unreal.FString(r.in)
			if !r.ok() {
				return
			}
		}
	}
	r.in.Skip(4 + 4 + 8 + 2) // array size, element size, flags, replication
	r.fieldName()            // of the function that is told of changes
	r.in.Skip(1)
	r.fieldTail(kind, depth)
}

// fieldTail passes over what only some kinds of properties have.
func (r header) fieldTail(kind string, depth int) {
	switch kind {
	case "ArrayProperty", "SetProperty", "OptionalProperty":
		r.field(depth + 1)
	case "MapProperty":
		r.field(depth + 1)
		r.field(depth + 1)
	case "EnumProperty":
		r.in.Skip(4)
		r.field(depth + 1)
	case "BoolProperty":
		r.in.Skip(6)
	case "ClassProperty", "SoftClassProperty", "ClassPtrProperty":
		r.in.Skip(8)
	case "FieldPathProperty":
		r.fieldName()
	case "ByteProperty", "StructProperty", "ObjectProperty", "ObjectPtrProperty", "WeakObjectProperty", "LazyObjectProperty", "SoftObjectProperty", "InterfaceProperty",
		"DelegateProperty", "MulticastDelegateProperty", "MulticastInlineDelegateProperty", "MulticastSparseDelegateProperty":
		r.in.Skip(4)
	}
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
