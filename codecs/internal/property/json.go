package property

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// AppendJSON appends an export that [Decoder.Export] read as export i, in the shape
// that FModel's users know:
//
//	{"Type": "DataTable", "Name": "DT_Weapons", "Outer": "...", "Class": "/Script/Engine.DataTable",
//	 "Template": "...", "Properties": {...}, "Rows": {...}}
//
// What the class stores after its properties follows under its own names: Rows,
// TableNamespace, KeysToEntries, Names, ChildProperties. A lost list is "Opaque" with
// the reason, bytes that were not read are "Unread". No object repeats a member: the
// second A is "A_2". Values:
//
//	numbers           1, 1.5; NaN and infinities as texts
//	enums, names      "EKind::Red"; the number of an enum whose members are not known
//	objects           {"ObjectName": "Texture2D'T_Logo'", "ObjectPath": "/Game/T_Logo.T_Logo"}, null for none
//	soft paths        {"AssetPathName": "...", "SubPathString": "..."}
//	texts             {"Namespace", "Key", "SourceString"}, {"TableId", "Key"}, {"CultureInvariantString"}, or their history
//	structs           {"X": 1.0, "Y": 2.0, "Z": 3.0}; GUIDs as "8-8-8-8" hex digits
//	arrays, sets      [...]
//	maps              [{"Key": ..., "Value": ...}]
//	delegates         {"Object": ..., "FunctionName": "..."}, {"InvocationList": [...]}
//	instanced structs {"StructType": "/Script/Game.Part", "Value": {...}}
//	fixed arrays      "Name", "Name[1]", "Name[2]"
//	opaque            {"Opaque": "reason", "Size": 20}
func (d *Decoder) AppendJSON(dst []byte, o *Export, i int) []byte {
	w := jsonWriter{dst: dst, d: d, l: &o.List}
	x := &d.pkg.Exports[i]
	w.raw(`{"Type":`)
	w.text(d.pkg.ClassOf(i))
	w.member("Name", d.pkg.NameOf(x.Name))
	w.member("Outer", d.ObjectPath(x.Outer))
	w.member("Class", d.ObjectPath(x.Class))
	super := x.Super
	for _, n := range o.List.Children(-1) {
		if isSuper(n) {
			super = unreal.ObjectRef(n.Int()) // the same in all samples
		}
	}
	w.member("Super", d.ObjectPath(super))
	w.member("Template", d.ObjectPath(x.Archetype))
	if o.Status == Lost {
		w.member("Opaque", o.Why.Error())
	} else {
		w.raw(`,"Properties":{`)
		w.fields(-1, func(n *Node) bool { return n.Flags&ClassData == 0 })
		w.raw("}")
		for at, n := range o.List.Children(-1) {
			if n.Flags&ClassData != 0 && !isSuper(n) {
				w.raw(",")
				w.text(n.Name)
				w.raw(":")
				w.value(at, true)
			}
		}
	}
	if o.Tail > 0 {
		w.raw(`,"Unread":`)
		w.dst = strconv.AppendInt(w.dst, int64(o.Tail), 10)
	}
	w.raw("}")
	return w.dst
}

// isSuper reports the parent that a class or struct names after its properties.
func isSuper(n *Node) bool { return n.Flags&ClassData != 0 && n.Name == "Super" && n.Kind == Object }

// jsonWriter appends values of one list.
type jsonWriter struct {
	dst []byte
	d   *Decoder
	l   *List
}

func (w *jsonWriter) raw(s string) { w.dst = append(w.dst, s...) }

// member appends a text under a name, unless it is empty.
func (w *jsonWriter) member(name, value string) {
	if value != "" {
		w.raw(",")
		w.text(name)
		w.raw(":")
		w.text(value)
	}
}

// text appends a JSON string.
func (w *jsonWriter) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			b, _ := json.Marshal(s)
			w.dst = append(w.dst, b...)
			return
		}
	}
	w.dst = append(append(append(w.dst, '"'), s...), '"')
}

// members are the names that an object has so far. The zero value has none.
type members struct {
	few  [8]string
	n    int
	many map[string]int // once there are more: how often each was asked for
}

// add returns the name under which a member is written: name, or name and a number
// where the object has that already.
func (m *members) add(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD") // as JSON has it
	if m.many == nil {
		if !slices.Contains(m.few[:m.n], name) && m.n < len(m.few) {
			m.few[m.n] = name
			m.n++
			return name
		}
		m.many = map[string]int{}
		for _, other := range m.few[:m.n] {
			m.many[other] = 1
		}
	}
	own := name
	for m.many[own] > 0 {
		m.many[name]++
		own = name + "_" + strconv.Itoa(m.many[name])
	}
	m.many[own] = max(m.many[own], 1)
	return own
}

// fields appends the fields below a node.
func (w *jsonWriter) fields(parent int, wanted func(*Node) bool) {
	first := true
	var m members
	for i, n := range w.l.Children(parent) {
		if wanted != nil && !wanted(n) {
			continue
		}
		if !first {
			w.raw(",")
		}
		first = false
		name := n.Name
		if n.Index > 0 {
			name += "[" + strconv.Itoa(int(n.Index)) + "]"
		}
		w.text(m.add(name))
		w.raw(":")
		w.value(i, false)
	}
}

// value appends the value of a node. named says that maps with texts as keys are
// objects, as tables have it.
func (w *jsonWriter) value(i int, named bool) {
	n := &w.l.Nodes[i]
	switch n.Kind {
	case Bool:
		w.dst = strconv.AppendBool(w.dst, n.Bits != 0)
	case Int8, Int16, Int, Int64:
		w.dst = strconv.AppendInt(w.dst, n.Int(), 10)
	case UInt16, UInt32, UInt64:
		w.dst = strconv.AppendUint(w.dst, n.Bits, 10)
	case Byte, Enum:
		if n.Text != "" {
			w.text(n.Text)
		} else {
			w.dst = strconv.AppendInt(w.dst, n.Int(), 10)
		}
	case Float:
		w.float(n.Float(), 32)
	case Double:
		w.float(n.Float(), 64)
	case Object, Class, WeakObject, Interface:
		w.object(unreal.ObjectRef(n.Int()))
	case SoftObject, SoftClass, AssetObject, AssetClass:
		w.soft(i)
	case Delegate:
		w.raw(`{"Object":`)
		w.object(unreal.ObjectRef(n.Int()))
		w.raw(`,"FunctionName":`)
		w.text(n.Text)
		w.raw("}")
	case MulticastDelegate, MulticastInline, MulticastSparse:
		w.raw(`{"InvocationList":`)
		w.list(i, 0)
		w.raw("}")
	case FieldPath:
		w.raw(`{"Path":`)
		w.list(i, 0)
		w.raw(`,"ResolvedOwner":`)
		w.object(unreal.ObjectRef(n.Int()))
		w.raw("}")
	case Text:
		w.localized(i)
	case Struct:
		w.structure(i)
	case Array:
		w.list(i, 0)
	case Set:
		w.list(i, int(n.Bits))
	case Map:
		w.pairs(i, named)
	case Optional:
		if n.Bits == 0 {
			w.raw("null")
		} else {
			w.value(i+1, false)
		}
	case Opaque:
		w.raw(`{"Opaque":`)
		w.text(n.Text)
		w.raw(`,"Size":` + strconv.Itoa(int(n.Size)) + "}")
	default:
		w.text(n.Text)
	}
}

// float appends the shortest decimal that reads back alike, always with a point.
func (w *jsonWriter) float(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		w.raw(`"NaN"`)
		return
	case math.IsInf(f, 0):
		w.text(map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0])
		return
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	start := len(w.dst)
	w.dst = strconv.AppendFloat(w.dst, f, format, -1, bits)
	if !strings.ContainsAny(string(w.dst[start:]), ".e") {
		w.raw(".0")
	}
}

func (w *jsonWriter) object(r unreal.ObjectRef) {
	if r == 0 {
		w.raw("null")
		return
	}
	class := ""
	if i, ok := r.Export(); ok && i < len(w.d.pkg.Exports) {
		class = w.d.pkg.ClassOf(i)
	}
	if i, ok := r.Import(); ok && i < len(w.d.pkg.Imports) {
		class = w.d.pkg.NameOf(w.d.pkg.Imports[i].Class)
	}
	w.raw(`{"ObjectName":`)
	w.text(class + "'" + w.d.pkg.ObjectOf(r) + "'")
	w.raw(`,"ObjectPath":`)
	path := w.d.ObjectPath(r)
	if _, ok := r.Export(); ok && w.d.name != "" {
		path = w.d.name + "." + path
	}
	w.text(path)
	w.raw("}")
}

func (w *jsonWriter) soft(i int) {
	w.raw(`{"AssetPathName":`)
	w.text(w.l.Nodes[i].Text)
	w.raw(`,"SubPathString":`)
	sub := ""
	if k := w.l.Find(i, "SubPath", 0); k >= 0 {
		sub = w.l.Nodes[k].Text
	}
	w.text(sub)
	w.raw("}")
}

// localized appends a text: what it is looked up by, or how it came about.
func (w *jsonWriter) localized(i int) {
	n := &w.l.Nodes[i]
	w.raw("{")
	switch history := int8(n.Bits >> 32); {
	case history == historyNone:
		w.raw(`"CultureInvariantString":`)
		w.text(n.Text)
	case history == historyBase:
		w.fields(i, nil)
		if int(n.Next) > i+1 {
			w.raw(",")
		}
		w.raw(`"SourceString":`)
		w.text(n.Text)
	default:
		w.fields(i, nil)
	}
	w.raw("}")
}

func (w *jsonWriter) structure(i int) {
	n := &w.l.Nodes[i]
	switch {
	case n.Type.Name == "Guid" && len(n.Text) == 32:
		w.text(n.Text[:8] + "-" + n.Text[8:16] + "-" + n.Text[16:24] + "-" + n.Text[24:])
	case n.IsSoft() && n.Flags&Binary != 0:
		w.soft(i)
	case n.Type.Name == "GameplayTagContainer" && n.Flags&Binary != 0:
		w.list(i, 0)
	case n.Type.Name == "InstancedStruct" && n.Flags&Binary != 0:
		if int(n.Next) == i+1 {
			w.raw("null")
			return
		}
		w.raw(`{"StructType":`)
		w.text(w.d.ObjectPath(unreal.ObjectRef(n.Int())))
		w.raw(`,"Value":`)
		w.value(i+1, false)
		w.raw("}")
	default:
		w.raw("{")
		w.fields(i, nil)
		w.raw("}")
	}
}

// unpackStep is how many elements of a packed array become nodes at once.
const unpackStep = 256

// list appends the elements of an array or set after the first few.
func (w *jsonWriter) list(i, skip int) {
	w.raw("[")
	if n := &w.l.Nodes[i]; n.Flags&Packed != 0 {
		for at := 0; at < int(n.Bits); at += unpackStep {
			if at > 0 {
				w.raw(",")
			}
			part := jsonWriter{dst: w.dst, d: w.d, l: w.l.Unpack(i, at, unpackStep)}
			part.elements(-1, 0)
			w.dst = part.dst
		}
	} else {
		w.elements(i, skip)
	}
	w.raw("]")
}

func (w *jsonWriter) elements(parent, skip int) {
	first := true
	for k := range w.l.Children(parent) {
		if skip > 0 {
			skip--
			continue
		}
		if !first {
			w.raw(",")
		}
		first = false
		w.value(k, false)
	}
}

// pairs appends a map, without the keys that it removes.
func (w *jsonWriter) pairs(i int, named bool) {
	n := &w.l.Nodes[i]
	named = named && (n.Type.Key.Kind == Name || n.Type.Key.Kind == Str)
	brackets := "[]"
	if named {
		brackets = "{}"
	}
	w.raw(brackets[:1])
	key, skip, first := -1, int(n.Bits), true
	var m members
	for k := range w.l.Children(i) {
		switch {
		case skip > 0:
			skip--
		case key < 0:
			key = k
		default:
			if !first {
				w.raw(",")
			}
			first = false
			w.pair(&m, key, k, named)
			key = -1
		}
	}
	w.raw(brackets[1:])
}

func (w *jsonWriter) pair(m *members, key, value int, named bool) {
	if named {
		w.text(m.add(w.l.Nodes[key].Text))
		w.raw(":")
		w.value(value, true)
		return
	}
	w.raw(`{"Key":`)
	w.value(key, false)
	w.raw(`,"Value":`)
	w.value(value, false)
	w.raw("}")
}
