package property

import (
	"cmp"
	"strings"
)

// Kind says what a value is. The engine's name of a kind with "Property" after it is
// the type of a property: Int is IntProperty.
type Kind uint8

// The kinds. Those up to Double are numbers whose size in a file is fixed.
const (
	Unknown Kind = iota // a type that this package has no reader for

	Bool
	Int8
	Int16
	Int
	Int64
	Byte // u8, or a name where the property has an enum
	UInt16
	UInt32
	UInt64
	Float
	Double

	Enum
	Name
	Str
	Utf8Str
	AnsiStr
	VerseStr
	Text
	Object
	Class
	WeakObject
	LazyObject
	Interface
	AssetObject // of UE4 below 514: a text
	AssetClass
	SoftObject
	SoftClass
	Delegate
	MulticastDelegate
	MulticastInline
	MulticastSparse
	FieldPath

	Struct
	Array
	Set
	Map
	Optional

	Opaque // bytes that were not understood; a node's kind only, never a type's
	kinds
)

// kindNames are the engine's, without "Property".
var kindNames = [kinds]string{
	Unknown: "Unknown", Bool: "Bool", Int8: "Int8", Int16: "Int16", Int: "Int", Int64: "Int64", Byte: "Byte",
	UInt16: "UInt16", UInt32: "UInt32", UInt64: "UInt64", Float: "Float", Double: "Double",
	Enum: "Enum", Name: "Name", Str: "Str", Utf8Str: "Utf8Str", AnsiStr: "AnsiStr", VerseStr: "VerseString", Text: "Text",
	Object: "Object", Class: "Class", WeakObject: "WeakObject", LazyObject: "LazyObject", Interface: "Interface",
	AssetObject: "AssetObject", AssetClass: "AssetClass", SoftObject: "SoftObject", SoftClass: "SoftClass",
	Delegate: "Delegate", MulticastDelegate: "MulticastDelegate", MulticastInline: "MulticastInlineDelegate",
	MulticastSparse: "MulticastSparseDelegate", FieldPath: "FieldPath",
	Struct: "Struct", Array: "Array", Set: "Set", Map: "Map", Optional: "Optional", Opaque: "Opaque",
}

// String returns the engine's name of the kind, without "Property".
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return kindNames[Unknown]
}

// KindNamed returns the kind of a property's type as the engine names it, such as
// "IntProperty", and Unknown where there is none. UE5's ObjectPtr is Object.
func KindNamed(property string) Kind {
	base, ok := strings.CutSuffix(property, "Property")
	if !ok {
		return Unknown
	}
	switch base {
	case "ObjectPtr":
		return Object
	case "ClassPtr":
		return Class
	}
	for k := Bool; k < Opaque; k++ {
		if kindNames[k] == base {
			return k
		}
	}
	return Unknown
}

// size returns how many bytes a number of the kind takes, 0 for other kinds.
func (k Kind) size() int {
	switch k {
	case Bool, Int8, Byte:
		return 1
	case Int16, UInt16:
		return 2
	case Int, UInt32, Float:
		return 4
	case Int64, UInt64, Double:
		return 8
	}
	return 0
}

// IsReference reports whether values of the kind refer to an object by its place in
// the tables of the package.
func (k Kind) IsReference() bool {
	return k == Object || k == Class || k == WeakObject || k == Interface
}

// Type is the type of a property. Types are shared by all values that have them and
// must not be changed.
type Type struct {
	Kind Kind
	// Name is that of the struct or enum, "" where it is not stated: tags below UE5
	// 1012 do not name the structs in maps and sets.
	Name string
	Path string // of the package that declares the struct or enum, where that is known
	Key  *Type  // of maps
	Elem *Type  // of arrays, sets, optionals, values of maps; of enums the number below, or nil

	native *native // how the struct's own serializer writes it; nil for a list
}

// maxTypeDepth bounds how deep types nest. The engine's own nest three deep.
const maxTypeDepth = 8

// String renders a type as "Array<Struct<Vector>>". A struct without a name is
// "Struct<None>".
func (t *Type) String() string {
	if t == nil {
		return kindNames[Unknown]
	}
	switch t.Kind {
	case Struct:
		if t.Name == "" {
			return "Struct<None>"
		}
		return "Struct<" + t.Name + ">"
	case Enum, Byte:
		if t.Name != "" {
			return t.Kind.String() + "<" + t.Name + ">"
		}
	case Array, Set, Optional:
		return t.Kind.String() + "<" + t.Elem.String() + ">"
	case Map:
		return "Map<" + t.Key.String() + "," + t.Elem.String() + ">"
	}
	return t.Kind.String()
}

// NewType returns a type that schemas can use. It finds how structs that have a
// serializer of their own are stored. A container has elements of type [Unknown] where elem
// is nil, and a map such keys: readers need not ask.
func NewType(kind Kind, name, path string, key, elem *Type) *Type {
	t := &Type{Kind: kind, Name: name, Path: path, Key: key, Elem: elem}
	switch kind {
	case Struct:
		t.native = nativeNamed(name)
	case Map:
		t.Key, t.Elem = cmp.Or(key, typeUnknown), cmp.Or(elem, typeUnknown)
	case Array, Set, Optional:
		t.Elem = cmp.Or(elem, typeUnknown)
	}
	return t
}
