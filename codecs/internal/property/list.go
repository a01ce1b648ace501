package property

import (
	"encoding/binary"
	"iter"
	"math"
	"strconv"
	"strings"
)

// Node is a value. Nodes of a [List] lie in the order of the file, those of a
// struct's fields and a container's elements after their own, so that a tree is one
// slice without pointers between nodes.
//
//	Kind                       Bits                               Text          children
//	Bool                       0 or 1
//	Int8 to Int64              the value, sign-extended
//	Byte, UInt16 to UInt64     the value
//	Float, Double              IEEE 754 binary64 bits
//	Enum                       the number, where Text is ""       member
//	Name, Str, Utf8Str, ...                                       the text
//	Text                       flags | history << 32 (u8)         source        what the history has
//	Object, Class, Weak, ...   the reference, an i32
//	LazyObject                                                    32 hex digits
//	SoftObject, SoftClass                                         asset path    SubPath, a Str, unless empty
//	Delegate                   reference of the object            function
//	Multicast...                                                                Delegates
//	FieldPath                  reference of the owner                           Names
//	Struct                                                        Guid: digits; fields
//	                                                              SoftObjectPath:
//	                                                              asset path
//	Array, Set, Map            of Set and Map: how many children
//	                           are keys to remove from what is
//	                           inherited; they come first                       elements; key, value, key, value
//	Optional                   1 if set                                         the value
//	Opaque                                                        why           none; the bytes are at Offset
type Node struct {
	Name   string // of the field; "" for elements
	Text   string
	Bits   uint64
	Type   *Type
	Index  int32 // of the element of a fixed array that the field is
	Next   int32 // index of the first node that is not below this one
	Offset int32 // of the value in the export's bytes
	Size   int32 // bytes of the value
	Kind   Kind  // Type.Kind, but for opaque values
	Flags  Flags
}

// Flags qualify a node.
type Flags uint8

const (
	// Packed arrays have no nodes for their elements, which are numbers, or structs of
	// numbers: see [List.Packed].
	Packed Flags = 1 << iota
	// Zero values are those that unversioned lists state in a bit alone. A zero struct
	// of unknown fields has no children.
	Zero
	// Binary structs were written by their own serializer, not as a list.
	Binary
	// Guessed values are of containers whose tags do not name the struct: the first
	// struct of a fixed list that fits the bytes was taken.
	Guessed
	// ClassData is on nodes at the top that are no properties: what a class stores
	// after its list, such as Rows.
	ClassData
)

// Int returns the value of an integer, a bool or a reference.
func (n *Node) Int() int64 { return int64(n.Bits) }

// Float returns the value of a Float or Double.
func (n *Node) Float() float64 { return math.Float64frombits(n.Bits) }

// IsSoft reports whether a value is the path of an object.
func (n *Node) IsSoft() bool {
	switch n.Kind {
	case SoftObject, SoftClass, AssetObject, AssetClass:
		return true
	case Struct:
		switch strings.ToLower(n.Type.Name) {
		case "softobjectpath", "softclasspath", "stringassetreference", "stringclassreference":
			return true
		}
	}
	return false
}

// List is the values of an export, as a tree. A List may be read by several
// goroutines; [Decoder.Export] fills it anew and keeps its memory.
type List struct {
	Nodes []Node

	data  []byte // the export's bytes, for what is packed
	order binary.ByteOrder
	wide  bool // vectors have f64

	places  []place // by node, of lists that are to be edited
	top     place   // of the list of the export itself
	nowhere place   // of lists that are only read
	placed  bool    // places and links are wanted

	links []Link   // where the bytes refer to tables, of lists that are to be edited
	code  [2]int32 // the range of the script of a class or function
}

// reset empties the list, for an export with those bytes.
func (l *List) reset(data []byte, order binary.ByteOrder, wide bool) {
	l.Nodes, l.data, l.order, l.wide = l.Nodes[:0], data, order, wide
	l.places, l.top = l.places[:0], place{}
	l.links, l.code = nil, [2]int32{}
}

// Children yields the nodes directly below node i, those at the top for -1.
func (l *List) Children(i int) iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) {
		at, end := 0, len(l.Nodes)
		if i >= 0 {
			at, end = i+1, int(l.Nodes[i].Next)
		}
		for at < end {
			if !yield(at, &l.Nodes[at]) {
				return
			}
			at = int(l.Nodes[at].Next)
		}
	}
}

// Find returns the position of the node directly below parent with that name and
// index of a fixed array, or -1. The parent of those at the top is -1.
func (l *List) Find(parent int, name string, index int32) int {
	for i, n := range l.Children(parent) {
		if n.Index == index && strings.EqualFold(n.Name, name) {
			return i
		}
	}
	return -1
}

// Count returns how many elements an array or set has, or pairs a map, without
// those to remove.
func (l *List) Count(i int) int {
	n := &l.Nodes[i]
	if n.Flags&Packed != 0 {
		return int(n.Bits)
	}
	count := 0
	for range l.Children(i) {
		count++
	}
	switch n.Kind {
	case Set:
		return count - int(n.Bits)
	case Map:
		return (count - int(n.Bits)) / 2
	}
	return count
}

// Packed returns the bytes of the elements of a packed array, one after another in
// the byte order of the package, and how many bytes each takes.
func (l *List) Packed(i int) (data []byte, size int) {
	n := &l.Nodes[i]
	if n.Flags&Packed == 0 || n.Bits == 0 {
		return nil, 0
	}
	size = elementSize(n.Type.Elem, l.wide)
	end := int(n.Offset) + int(n.Size)
	return l.data[end-size*int(n.Bits) : end], size
}

// Unpack returns the elements of a packed array from one on, at most limit of them, as
// nodes at the top of a list.
func (l *List) Unpack(i, from, limit int) *List {
	out := &List{}
	out.reset(l.data, l.order, l.wide)
	data, size := l.Packed(i)
	if size == 0 {
		return out
	}
	elem := l.Nodes[i].Type.Elem
	at := int(l.Nodes[i].Offset+l.Nodes[i].Size) - len(data)
	for k := from; k < len(data)/size && k < from+limit; k++ {
		out.appendFixed(elem, "", at+k*size)
	}
	return out
}

// elementSize returns how many bytes each value of a type takes, 0 where they differ.
func elementSize(t *Type, wide bool) int {
	if t.Kind == Struct {
		if t.native == nil || t.native.layout == nil {
			return 0
		}
		return t.native.layout.size(wide)
	}
	if t.Kind == Byte && t.Name != "" {
		return 0 // a name
	}
	return t.Kind.size()
}

// appendFixed adds a number, or a struct of numbers, whose bytes are at an offset.
func (l *List) appendFixed(t *Type, name string, at int) {
	i := len(l.Nodes)
	l.Nodes = append(l.Nodes, Node{Name: name, Kind: t.Kind, Type: t, Offset: int32(at), Next: int32(i + 1)})
	if l.placed {
		l.places = append(l.places, place{})
	}
	size := t.Kind.size()
	if t.Kind == Struct {
		l.Nodes[i].Flags = Binary
		size = l.appendLayout(t.native.layout, at)
	} else {
		l.Nodes[i].Bits = number(t.Kind, l.data[at:], l.order)
	}
	l.Nodes[i].Size, l.Nodes[i].Next = int32(size), int32(len(l.Nodes))
}

// appendLayout adds the fields of a layout and returns its size.
func (l *List) appendLayout(lay *layout, at int) (size int) {
	start := at
	for k := range lay.fields {
		f := &lay.fields[k]
		t := f.narrow
		if l.wide {
			t = f.wide
		}
		i := len(l.Nodes)
		l.appendFixed(t, f.name, at)
		at += int(l.Nodes[i].Size)
	}
	return at - start
}

// number decodes the number at the start of b.
func number(k Kind, b []byte, order binary.ByteOrder) uint64 {
	switch k {
	case Bool, Byte:
		return uint64(b[0])
	case Int8:
		return uint64(int64(int8(b[0])))
	case Int16:
		return uint64(int64(int16(order.Uint16(b))))
	case UInt16:
		return uint64(order.Uint16(b))
	case Int:
		return uint64(int64(int32(order.Uint32(b))))
	case UInt32:
		return uint64(order.Uint32(b))
	case Int64, UInt64, Double:
		return order.Uint64(b)
	case Float:
		return math.Float64bits(float64(math.Float32frombits(order.Uint32(b))))
	}
	return 0
}

// Walk yields the position of every value that is no struct, container or part of a
// text or reference, and of every packed array, with its path: "Stats.Damage",
// "Rows[Rifle].Cost", "Slots[3]", "Limits[2]" for an element of a fixed array but the
// first. The path is valid until the next step. Empty structs and containers, and
// structs that are one text (GUIDs, paths of objects), are yielded as well. Nothing is
// allocated for a value.
func (d *Decoder) Walk(l *List) iter.Seq2[[]byte, int] {
	return func(yield func([]byte, int) bool) {
		w := walker{d: d, l: l, yield: yield}
		w.children(-1, make([]byte, 0, 128))
	}
}

type walker struct {
	d     *Decoder
	l     *List
	yield func([]byte, int) bool
}

// children walks what is below a node and reports whether to go on.
func (w *walker) children(parent int, path []byte) bool {
	kind := Struct
	removed, position := 0, 0
	if parent >= 0 {
		kind = w.l.Nodes[parent].Kind
		if kind == Set || kind == Map {
			removed = int(w.l.Nodes[parent].Bits)
		}
	}
	key := -1
	for i, n := range w.l.Children(parent) {
		if removed > 0 {
			removed--
			continue
		}
		here := path
		switch {
		case kind == Map && key < 0:
			key = i
			continue
		case kind == Map:
			here = append(w.d.AppendKey(append(path, '['), w.l, key), ']')
			key = -1
		case kind == Array || kind == Set:
			here = append(strconv.AppendInt(append(path, '['), int64(position), 10), ']')
			position++
		case kind == Optional:
		default:
			here = appendField(path, n)
		}
		if !w.node(i, n, here) {
			return false
		}
	}
	return true
}

func (w *walker) node(i int, n *Node, path []byte) bool {
	switch n.Kind {
	case Struct, Array, Set, Map, Optional:
		if int(n.Next) > i+1 && n.Text == "" {
			return w.children(i, path)
		}
	}
	return w.yield(path, i)
}

// appendField adds a field's name to the path of its struct.
func appendField(path []byte, n *Node) []byte {
	if n.Name == "" {
		return path // what an instanced struct holds
	}
	if len(path) > 0 {
		path = append(path, '.')
	}
	path = append(path, n.Name...)
	if n.Index > 0 {
		path = append(strconv.AppendInt(append(path, '['), int64(n.Index), 10), ']')
	}
	return path
}

// AppendKey renders a node as the key of a map: objects by their path, texts as they are,
// numbers in decimal, and a struct or container as its values between commas.
func (d *Decoder) AppendKey(dst []byte, l *List, i int) []byte {
	n := &l.Nodes[i]
	switch n.Kind {
	case Name, Str:
		return append(dst, n.Text...)
	case Bool:
		return strconv.AppendBool(dst, n.Bits != 0)
	case Struct, Array, Set, Map, Optional:
		if n.Text != "" {
			break
		}
		parent := i
		if n.Flags&Packed != 0 {
			l, parent = l.Unpack(i, 0, int(n.Bits)), -1
		}
		between := ""
		for at := range l.Children(parent) {
			dst = d.AppendKey(append(dst, between...), l, at)
			between = ","
		}
		return dst
	}
	switch v := d.Value(l, i).(type) {
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case string:
		if v == "" && n.Kind.IsReference() {
			v = "None"
		}
		return append(dst, v...)
	}
	return dst
}

// Reset empties the list for a reader of another generation of the engine, which
// adds the nodes itself: data is the export's bytes, where the elements of packed
// arrays are, as numbers in that byte order.
func (l *List) Reset(data []byte, order binary.ByteOrder) { l.reset(data, order, false) }
