package unreal

import (
	"errors"
	"strings"
)

// OldKind is the type of a property.
type OldKind uint8

// The kinds of properties; those up to FixedArray have the numbers that tags below
// 223 store.
const (
	OldNone OldKind = iota
	OldByte
	OldInt
	OldBool
	OldFloat
	OldObject
	OldName
	OldDelegate
	OldClass
	OldArray
	OldStruct
	OldVector
	OldRotator
	OldStr
	OldMap
	OldFixedArray
	OldComponent
	OldInterface
	OldStringRef
	OldUnknown
)

// oldKinds are the kinds of classes of properties, without "Property".
var oldKinds = map[string]OldKind{
	"Byte": OldByte, "BioMask4": OldByte, "Int": OldInt, "Pointer": OldInt, "Bool": OldBool, "Float": OldFloat,
	"Object": OldObject, "Name": OldName, "Delegate": OldDelegate, "Class": OldClass, "Array": OldArray, "Struct": OldStruct,
	"Str": OldStr, "String": OldStr, "Map": OldMap, "FixedArray": OldFixedArray, "Component": OldComponent,
	"Interface": OldInterface, "StringRef": OldStringRef,
}

// OldKindOf returns the kind that a class of properties has: "IntProperty".
func OldKindOf(property string) OldKind {
	base, ok := strings.CutSuffix(property, "Property")
	if kind, known := oldKinds[base]; ok && known {
		return kind
	}
	return OldUnknown
}

// OldTag is the tag before a value.
type OldTag struct {
	Name   string // "None" ends a list
	Kind   OldKind
	Type   string // as the tag names it, from 223 on: "IntProperty"
	Struct string // which one a Struct is: "Vector"
	Enum   string // of a Byte, from 633 on; "None" or "" for a plain one
	Index  int    // in an array of fixed size
	Size   int    // of the value, bytes
	Bool   bool   // the value of a Bool, which has no bytes

	// Where the tag has its size, from 223 on an i32, and the value of a Bool. Below, InfoAt is
	// the byte that has both, and the size's own bytes are at SizeAt, if there are any.
	InfoAt, SizeAt int
}

var errSize = errors.New("value beyond the end")

// Tag reads the tag of the next value; a list ends with one whose Name is "None".
func (r *OldReader) Tag() (t OldTag) {
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
func (r *OldReader) packedTag(t *OldTag) {
	t.InfoAt = r.In.Pos()
	info := r.In.U8()
	t.Kind = OldKind(info & 15)
	if t.Kind == OldStruct {
		t.Struct = r.NameText()
	}
	t.SizeAt = r.In.Pos()
	switch code := info >> 4 & 7; code {
	default:
		t.Size = [...]int{1, 2, 4, 12, 16}[code]
	case 5:
		t.Size = int(r.In.U8())
	case 6:
		t.Size = int(r.In.U16())
	case 7:
		t.Size = int(r.In.I32())
	}
	switch {
	case t.Kind == OldBool:
		t.Bool, t.Size = info&0x80 != 0, 0
	case info&0x80 != 0:
		t.Index = r.packedIndex()
	}
}

// packedIndex reads a place in an array: one, two or four bytes, most significant
// first.
func (r *OldReader) packedIndex() int {
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
func (r *OldReader) typedTag(t *OldTag) {
	t.Type = r.NameText()
	t.Kind = OldKindOf(t.Type)
	t.SizeAt = r.In.Pos()
	t.Size, t.Index = int(r.In.I32()), int(r.In.I32())
	t.InfoAt = r.In.Pos()
	switch {
	case t.Kind == OldStruct:
		t.Struct = r.NameText()
	case t.Kind == OldBool && r.Version >= 673:
		t.Bool = r.bool(uint32(r.In.U8()))
	case t.Kind == OldBool:
		t.Bool = r.bool(r.In.U32())
	case t.Kind == OldByte && r.Version >= 633:
		t.Enum = r.NameText()
	}
}

var errBool = errors.New("bool is neither 0 nor 1")

func (r *OldReader) bool(v uint32) bool {
	if v > 1 {
		r.In.Fail(errBool)
	}
	return v == 1
}

// SkipList passes over a list of properties.
func (r *OldReader) SkipList() {
	for r.In.Err() == nil {
		t := r.Tag()
		if t.Name == "None" {
			return
		}
		r.In.Skip(t.Size)
	}
}

// OldHasStack reports whether an object's bytes begin with the state of its script,
// by its flags.
func OldHasStack(f *PackageFacts, e *PackageExport) bool {
	if f.Version >= 195 { // 64 bits, of which the high ones are the old flags
		return e.Flags>>32&0x02000000 != 0
	}
	return e.Flags&0x02000000 != 0
}

// SkipStack passes over the state of an object's script.
func (r *OldReader) SkipStack() {
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
