package rows

import (
	"strconv"
	"strings"

	"pakdb/codecs/internal/property"
)

// place is where a value is in its export.
type place struct {
	field []byte // with [] for the outermost element; valid until the next value
	name  string // of the innermost field
	keyed bool   // there is a [] in field
	index int32  // which element it is; -1: the one of key
	key   string
	data  bool // it is no property: the class stores it after its list
}

// walker visits the values of an export: those that [property.Decoder.Walk] has, and arrays
// of numbers as one.
type walker struct {
	d     *property.Decoder
	l     *property.List
	visit func(l *property.List, at int, p *place)
}

// walk visits all values.
func walk(d *property.Decoder, l *property.List, visit func(l *property.List, at int, p *place)) {
	w := walker{d, l, visit}
	w.children(-1, place{field: make([]byte, 0, 128)})
}

func (w *walker) children(parent int, in place) {
	kind := property.Struct
	removed, position := 0, int32(0)
	if parent >= 0 {
		kind = w.l.Nodes[parent].Kind
		if kind == property.Set || kind == property.Map {
			removed = int(w.l.Nodes[parent].Bits)
		}
	}
	key := -1
	for i, n := range w.l.Children(parent) {
		if removed > 0 {
			removed--
			continue
		}
		here := in
		switch {
		case kind == property.Map && key < 0:
			key = i
			continue
		case kind == property.Map:
			text := string(w.d.AppendKey(nil, w.l, key))
			if k := w.l.Nodes[key].Kind; k == property.Enum || k == property.Byte {
				text = member(text)
			}
			here.element(-1, text)
			key = -1
		case kind == property.Array || kind == property.Set:
			here.element(position, "")
			position++
		case kind == property.Optional || n.Name == "":
		default:
			if len(here.field) > 0 {
				here.field = append(here.field, '.')
			}
			here.data = in.data || parent < 0 && n.Flags&property.ClassData != 0
			here.field, here.name = append(here.field, n.Name...), n.Name
			if n.Index > 0 {
				here.element(n.Index, "")
			}
		}
		w.node(i, n, here)
	}
}

func (w *walker) node(i int, n *property.Node, p place) {
	switch n.Kind {
	case property.Struct, property.Array, property.Set, property.Map, property.Optional:
		if int(n.Next) > i+1 && n.Text == "" && !isPlain(w.l, i) {
			w.children(i, p)
			return
		}
	}
	if isCurve(n) && n.Flags&property.Packed != 0 {
		w.keys(w.l.Unpack(i, 0, maxKeys), p)
		return
	}
	w.visit(w.l, i, &p)
}

// maxKeys bounds the keys of a curve that are values of their own.
const maxKeys = 1 << 16

// isCurve reports whether an array has the keys of a curve: all of them are wanted,
// however many there are.
func isCurve(n *property.Node) bool {
	return n.Kind == property.Array && n.Type.Elem.Kind == property.Struct && strings.HasSuffix(n.Type.Elem.Name, "CurveKey")
}

// keys visits the elements of an array that was packed.
func (w *walker) keys(l *property.List, in place) {
	packed := walker{w.d, l, w.visit}
	position := int32(0)
	for i, n := range l.Children(-1) {
		here := in
		here.element(position, "")
		position++
		packed.node(i, n, here)
	}
}

// element goes to an element: by its index, or by its key where that is -1.
func (p *place) element(index int32, key string) {
	p.field = append(p.field, '[')
	switch {
	case !p.keyed:
		p.keyed, p.index, p.key = true, index, key
	case index >= 0:
		p.field = strconv.AppendInt(p.field, int64(index), 10)
	case key == "":
		p.field = append(p.field, '"', '"') // [] is the outermost
	default:
		p.field = append(p.field, key...)
	}
	p.field = append(p.field, ']')
}
