package property

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// NewClassicEditor returns a decoder of a package of UE1 to UE3 that can be edited. data returns
// the bytes of an export; its error is the only one.
func NewClassicEditor(f *unreal.PackageFacts, data func(export int) ([]byte, error)) (*Decoder, error) {
	d := NewDecoder(f, Options{})
	var err error
	d.classic, err = NewClassicDecoder(f, data)
	return d, err
}

// compact reports a package of UE1 or UE2, where references, names and counts are compact
// indices, and tags have type and size in one byte.
func (d *Decoder) compact() bool { return d.classic != nil && d.pkg.Version < unreal.VerUE3 }

// index appends what the engine calls INDEX.
func (w *encoder) index(dst []byte, v int32) []byte {
	if w.d.compact() {
		return unreal.AppendCompactIndex(dst, v)
	}
	return w.u32(dst, uint32(v))
}

// Longest names of the engines.
const (
	maxOldName   = 63
	maxUE3Name   = 127
	ue3ByteNames = 633 // from here on tags of a Byte name its enum, and the value is a member's name
)

// oldName appends a name. Those of UE1 and UE2 have no number.
func (w *encoder) oldName(dst []byte, t *Type, text string) ([]byte, error) {
	most := maxUE3Name
	if w.d.compact() {
		most = maxOldName
	}
	if len(text) > most || strings.IndexFunc(text, func(r rune) bool { return r > 0x7E || r < ' ' }) >= 0 {
		return nil, wrong(t, text[:min(len(text), 32)], "at most 63 ASCII characters, in UE3 127")
	}
	if w.d.pkg.Version >= unreal.VerNameNumber {
		n := w.d.nameFor(text)
		return w.u32(w.index(dst, n.Index), uint32(n.Number)), nil
	}
	if text == "" {
		text = "None"
	}
	return w.index(dst, w.d.numbered(text, 0).Index), nil
}

// oldString appends a text: a byte for each character if all are of Latin-1.
func (w *encoder) oldString(dst []byte, text string) []byte {
	if text == "" {
		return w.index(dst, 0)
	}
	if b, err := latin1.Encode(text); err == nil {
		return append(append(w.index(dst, int32(len(b)+1)), b...), 0)
	}
	units := append(utf16.Encode([]rune(text)), 0)
	dst = w.index(dst, -int32(len(units)))
	for _, u := range units {
		dst = binary.LittleEndian.AppendUint16(dst, u)
	}
	return dst
}

// oldValue appends a value as packages of UE1 to UE3 store it: see [encoder.value].
func (w *encoder) oldValue(dst []byte, t *Type, like int, text string) ([]byte, error) {
	switch t.Kind {
	case Bool:
		v, err := parseBool(t, text)
		return append(dst, byte(v)), err
	case Byte:
		named := t.Name != "" && w.d.pkg.Version >= ue3ByteNames
		if like >= 0 {
			named = w.l.Nodes[like].Text != ""
		}
		if named {
			return w.oldName(dst, t, text)
		}
		bits, err := parseNumber(t, Byte, text)
		return append(dst, byte(bits)), err
	case Int, Float:
		bits, err := parseNumber(t, t.Kind, text)
		return appendNumber(dst, t.Kind, bits, w.order), err
	case Name:
		return w.oldName(dst, t, text)
	case Str:
		return w.oldString(dst, text), nil
	case Object, Class:
		return w.oldRef(dst, like, text)
	case Delegate:
		at := strings.LastIndexByte(text, '.')
		if at < 0 {
			return nil, wrong(t, text, "Object.Function")
		}
		dst, err := w.oldRef(dst, like, text[:at])
		if err != nil {
			return nil, err
		}
		return w.oldName(dst, t, text[at+1:])
	}
	return nil, refuse("%s as a whole: set its fields, add or remove its elements", t)
}

// oldRef appends a reference to an object that the tables of the package have.
func (w *encoder) oldRef(dst []byte, like int, text string) ([]byte, error) {
	old := unreal.ObjectRef(0)
	if like >= 0 {
		old = unreal.ObjectRef(int32(w.l.Nodes[like].Int()))
	}
	imports := len(w.d.pkg.Imports)
	r, err := w.d.refFor(text, old)
	if err == nil && len(w.d.pkg.Imports) > imports {
		err = refuse("a reference to %s: new imports of a package of UE1 to UE3", text)
	}
	return w.index(dst, int32(r)), err
}

// oldTag appends the tag of a value of size bytes. flag is the value of a Bool, which has none.
func (w *encoder) oldTag(dst []byte, name string, t *Type, index int32, flag byte, size int) ([]byte, error) {
	dst, err := w.oldName(dst, t, name)
	if err != nil {
		return nil, err
	}
	number := map[Kind]byte{Byte: 1, Int: 2, Bool: 3, Float: 4, Object: 5, Name: 6, Class: 8, Str: 13}[t.Kind]
	if number == 0 {
		return nil, refuse("%s: a new %s", name, t)
	}
	if w.d.compact() {
		if index > 0 {
			return nil, refuse("%s: a new element of an array of fixed size", name)
		}
		info, bytes := packedSize(size)
		return append(append(dst, info|number|flag<<7), bytes...), nil
	}
	if dst, err = w.oldName(dst, t, t.Kind.String()+"Property"); err != nil {
		return nil, err
	}
	dst = w.u32(w.u32(dst, uint32(size)), uint32(index))
	switch v := w.d.pkg.Version; {
	case t.Kind == Bool && v >= 673:
		return append(dst, flag), nil
	case t.Kind == Bool:
		return w.u32(dst, uint32(flag)), nil
	case t.Kind == Byte && v >= ue3ByteNames:
		return w.oldName(dst, t, t.Name)
	}
	return dst, nil
}

// oldTagged appends a tag and a value.
func (w *encoder) oldTagged(name string, t *Type, index int32, text string) ([]byte, error) {
	if t.Kind == Bool {
		v, err := parseBool(t, text)
		if err != nil {
			return nil, err
		}
		return w.oldTag(nil, name, t, index, byte(v), 0)
	}
	value, err := w.oldValue(nil, t, -1, text)
	if err != nil {
		return nil, err
	}
	dst, err := w.oldTag(nil, name, t, index, 0, len(value))
	return append(dst, value...), err
}

// packedTrue is the bit of a packed tag that is the value of a Bool, and else says that an index
// follows.
const packedTrue = 0x80

// packedSize returns the bits of a packed tag for a size, and the bytes that follow.
func packedSize(size int) (info byte, bytes []byte) {
	switch {
	case size == 1:
		return 0 << 4, nil
	case size == 2:
		return 1 << 4, nil
	case size == 4:
		return 2 << 4, nil
	case size == 12:
		return 3 << 4, nil
	case size == 16:
		return 4 << 4, nil
	case size <= 0xFF:
		return 5 << 4, []byte{byte(size)}
	case size <= 0xFFFF:
		return 6 << 4, binary.LittleEndian.AppendUint16(nil, uint16(size))
	}
	return 7 << 4, binary.LittleEndian.AppendUint32(nil, uint32(size))
}

// packSizes makes the tags of values that grow say so. A size that takes more bytes makes the
// values around it longer, whose tags come before it.
func (e *Draft) packSizes(splices []owned, patches []splice, grown map[int]int) ([]owned, []splice) {
	for i := len(e.export.List.Nodes) - 1; i >= 0; i-- {
		place := &e.export.List.places[i]
		if grown[i] == 0 || !place.tagged {
			continue
		}
		old := e.data[place.flag]
		info, bytes := packedSize(int(e.export.List.Nodes[i].Size) + grown[i])
		width := [8]int{5: 1, 6: 2, 7: 4}[old>>4&7]
		patches = append(patches, splice{int(place.flag), int(place.flag) + 1, []byte{old&^0x70 | info}})
		splices = append(splices, owned{splice: splice{int(place.size), int(place.size) + width, bytes}, owner: i})
		for _, outer := range e.ancestors(i) {
			if outer != i {
				grown[outer] += len(bytes) - width
			}
		}
	}
	return splices, patches
}

// countCompact is [Draft.count] where it is a compact index.
func (e *Draft) countCompact(c *change, at int32, by int) {
	r := bin.NewReader(e.data, 0, e.d.order())
	r.Seek(int(at))
	n := unreal.CompactIndex(r)
	c.splices = append(c.splices, splice{int(at), r.Pos(), unreal.AppendCompactIndex(nil, n+int32(by))})
}

// declaredOld returns the type of a field of the object's own list, as a class of the package
// declares it.
func (e *Draft) declaredOld(name string) *Type {
	owner := e.d.pkg.Exports[e.index].Class
	if e.d.classic.code[e.index] != nil {
		owner = unreal.ObjectRef(e.index + 1)
	}
	work := 1 << 20
	if f, ok := e.d.classic.find(owner, name, &work); ok && f.count <= 1 {
		return f.typ
	}
	return nil
}
