package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// Flags of properties.
const (
	FlagOptional  = 0x10
	FlagNet       = 0x20
	FlagParameter = 0x80
	FlagOut       = 0x100
	FlagReturn    = 0x400
)

// Field is a property, constant or enum as a class, struct or function of UE1 to UE3
// declares it.
type Field struct {
	Export   int
	Name     string
	Kind     unreal.OldKind
	Class    string           // "IntProperty", "Const", "Enum"
	Next     unreal.ObjectRef // the next field of the same owner
	Count    int              // elements of an array of fixed size
	Flags    uint64
	Category string
	Of       unreal.ObjectRef // enum, class, struct, function, or the property that elements have
	Meta     unreal.ObjectRef // of a class: what it derives from; of a map: what values have
	Net      int              // where the condition of its replication is; -1: none
	Value    string           // of a constant
	Members  []string         // of an enum
	Whole    bool             // it was read to its last byte
}

// Property reports whether the field is one.
func (f *Field) Property() bool { return strings.HasSuffix(f.Class, "Property") }

// ReadField reads a field from the bytes of its export. What it does not understand ends
// it: Whole is false, and Next and what was read before stay.
func ReadField(p *unreal.PackageFacts, export int, data []byte) (f Field) {
	f.Export, f.Class, f.Net = export, p.ClassOf(export), -1
	f.Kind = unreal.OldKindOf(f.Class)
	f.Name = p.NameOf(p.Exports[export].Name)
	r := unreal.NewOldReader(p, data)
	if r.Version >= unreal.VerNetIndex {
		r.In.Skip(4)
	}
	r.SkipList()
	if r.Version < 756 {
		r.Ref()
	}
	if f.Next = r.Ref(); r.In.Err() != nil {
		f.Next = 0
		return f
	}
	switch {
	case f.Class == "Const":
		f.Value = r.FString()
	case f.Class == "Enum":
		for range r.Count(1) {
			if f.Members = append(f.Members, r.NameText()); r.In.Err() != nil {
				break
			}
		}
	case f.Property():
		f.property(r)
	default:
		return f
	}
	open := f.Kind == unreal.OldDelegate || f.Kind == unreal.OldMap
	f.Whole = r.In.Err() == nil && (r.In.Len() == 0 || open)
	return f
}

func (f *Field) property(r *unreal.OldReader) {
	f.Count = int(r.In.U16())
	r.In.Skip(2)
	if r.Version >= 220 {
		f.Flags = r.In.U64()
	} else {
		f.Flags = uint64(r.In.U32())
	}
	f.Category = r.NameText()
	if r.Version > 400 {
		r.Ref() // the enum whose members number the elements
	}
	if f.Flags&FlagNet != 0 {
		f.Net = int(r.In.U16())
	}
	switch f.Kind {
	case unreal.OldByte, unreal.OldObject, unreal.OldComponent, unreal.OldInterface, unreal.OldStruct, unreal.OldArray, unreal.OldDelegate:
		f.Of = r.Ref()
	case unreal.OldClass, unreal.OldMap:
		f.Of, f.Meta = r.Ref(), r.Ref()
	}
}
