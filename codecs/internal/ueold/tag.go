package ueold

import (
	"errors"

	"pakdb/codecs/family/unreal"
)

// Kind is the type of a property.
type Kind uint8

// The kinds of properties; those up to FixedArray have the numbers that tags below
// 223 store.
const (
	None Kind = iota
	Byte
	Int
	Bool
	Float
	Object
	Name
	Delegate
	Class
	Array
	Struct
	Vector
	Rotator
	Str
	Map
	FixedArray
	Component
	Interface
	StringRef
	Unknown
)

// KindOf returns the kind that a class of properties has: "IntProperty".
func KindOf(property string) Kind {
	switch property {
	case "ByteProperty", "BioMask4Property":
		return Byte
	case "IntProperty", "PointerProperty":
		return Int
	case "BoolProperty":
		return Bool
	case "FloatProperty":
		return Float
	case "ObjectProperty":
		return Object
	case "NameProperty":
		return Name
	case "DelegateProperty":
		return Delegate
	case "ClassProperty":
		return Class
	case "ArrayProperty":
		return Array
	case "StructProperty":
		return Struct
	case "StrProperty", "StringProperty":
		return Str
	case "MapProperty":
		return Map
	case "FixedArrayProperty":
		return FixedArray
	case "ComponentProperty":
		return Component
	case "InterfaceProperty":
		return Interface
	case "StringRefProperty":
		return StringRef
	}
	return Unknown
}

// Tag stands in front of a value.
type Tag struct {
	Name   string // "None" ends a list
	Kind   Kind
	Type   string // as the tag names it, from 223 on: "IntProperty"
	Struct string // which one a Struct is: "Vector"
	Enum   string // of a Byte, from 633 on; "None" or "" for a plain one
	Index  int    // in an array of fixed size
	Size   int    // of the value, bytes
	Bool   bool   // the value of a Bool, which has no bytes
}

var errSize = errors.New("value beyond the end")

// Tag reads the tag of the next value; a list ends with one whose Name is "None".
func (r *Reader) Tag() (t Tag) {
	t.Name = r.NameText()
	if t.Name == "None" || r.In.Err() != nil {
		return t
	}
	if r.Version < VerTypedTags {
		r.packedTag(&t)
	} else {
		r.typedTag(&t)
	}
	if r.In.Err() == nil && (t.Size < 0 || t.Size > r.In.Len()) {
		r.In.Fail(errSize)
	}
	return t
}

// packedTag reads type, size and place from one byte and what that announces.
func (r *Reader) packedTag(t *Tag) {
	info := r.In.U8()
	t.Kind = Kind(info & 15)
	if t.Kind == Struct {
		t.Struct = r.NameText()
	}
	switch info >> 4 & 7 {
	case 0:
		t.Size = 1
	case 1:
		t.Size = 2
	case 2:
		t.Size = 4
	case 3:
		t.Size = 12
	case 4:
		t.Size = 16
	case 5:
		t.Size = int(r.In.U8())
	case 6:
		t.Size = int(r.In.U16())
	case 7:
		t.Size = int(r.In.I32())
	}
	switch {
	case t.Kind == Bool:
		t.Bool, t.Size = info&0x80 != 0, 0
	case info&0x80 != 0:
		t.Index = r.packedIndex()
	}
}

// packedIndex reads a place in an array: one, two or four bytes, most significant
// first.
func (r *Reader) packedIndex() int {
	switch b := int(r.In.U8()); {
	case b < 0x80:
		return b
	case b&0xC0 == 0x80:
		return b&0x7F<<8 | int(r.In.U8())
	default:
		return b&0x3F<<24 | int(r.In.U8())<<16 | int(r.In.U8())<<8 | int(r.In.U8())
	}
}

// typedTag reads a tag of 223 and later.
func (r *Reader) typedTag(t *Tag) {
	t.Type = r.NameText()
	t.Kind = KindOf(t.Type)
	t.Size, t.Index = int(r.In.I32()), int(r.In.I32())
	switch {
	case t.Kind == Struct:
		t.Struct = r.NameText()
	case t.Kind == Bool && r.Version >= 673:
		t.Bool = r.bool(uint32(r.In.U8()))
	case t.Kind == Bool:
		t.Bool = r.bool(r.In.U32())
	case t.Kind == Byte && r.Version >= 633:
		t.Enum = r.NameText()
	}
}

var errBool = errors.New("bool is neither 0 nor 1")

func (r *Reader) bool(v uint32) bool {
	if v > 1 {
		r.In.Fail(errBool)
	}
	return v == 1
}

// SkipList passes over a list of properties.
func (r *Reader) SkipList() {
	for r.In.Err() == nil {
		t := r.Tag()
		if t.Name == "None" {
			return
		}
		r.In.Skip(t.Size)
	}
}

// HasStack reports whether an object's bytes begin with the state of its script,
// by its flags.
func HasStack(f *unreal.PackageFacts, e *unreal.PackageExport) bool {
	if f.Version >= 195 { // 64 bits, of which the high ones are the old flags
		return e.Flags>>32&0x02000000 != 0
	}
	return e.Flags&0x02000000 != 0
}

// SkipStack passes over the state of an object's script.
func (r *Reader) SkipStack() {
	node := r.Ref()
	r.Ref()
	if r.Version < 691 {
		r.In.Skip(8)
	} else {
		r.In.Skip(4)
	}
	if r.Version < 566 {
		r.In.Skip(4)
	} else {
		r.In.Skip(2)
	}
	if r.Version >= 189 {
		for range r.Count(3) {
			r.Index()
			r.Index()
			if r.Index(); r.In.Err() != nil {
				return
			}
		}
	}
	if node != 0 {
		r.Index()
	}
}
