package rows

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs/family/unreal"
	"pakdb/codecs/property"
)

// shownElements is how many elements of a packed array a row has.
const shownElements = 8

// Value returns a value as SQLite has it: an integer, a float, or a text.
func Value(d *property.Decoder, l *property.List, at int) any {
	n := &l.Nodes[at]
	switch n.Kind {
	case property.Bool, property.Int8, property.Int16, property.Int, property.Int64, property.UInt16, property.UInt32:
		return n.Int()
	case property.UInt64:
		if n.Bits > math.MaxInt64 {
			return strconv.FormatUint(n.Bits, 10)
		}
		return n.Int()
	case property.Byte, property.Enum:
		if n.Text == "" {
			return n.Int()
		}
	case property.Float:
		// The shortest decimal: 0.1 is not 0.10000000149011612 because it was an f32.
		f, _ := strconv.ParseFloat(strconv.FormatFloat(n.Float(), 'g', -1, 32), 64)
		return f
	case property.Double:
		return n.Float()
	case property.Object, property.Class, property.WeakObject, property.Interface:
		return d.ObjectPath(unreal.ObjectRef(n.Int()))
	case property.SoftObject, property.SoftClass, property.Struct:
		if sub := l.Find(at, "SubPath", 0); sub >= 0 {
			return n.Text + ":" + l.Nodes[sub].Text
		}
	case property.Delegate:
		return d.ObjectPath(unreal.ObjectRef(n.Int())) + "." + n.Text
	case property.Text:
		return localized(d, l, at)
	case property.Array, property.MulticastDelegate, property.MulticastInline, property.MulticastSparse, property.FieldPath:
		return elements(d, l, at)
	}
	return n.Text
}

// localized returns the source of a text, or the table and the key that it is in.
func localized(d *property.Decoder, l *property.List, at int) string {
	table, key := l.Find(at, "TableId", 0), l.Find(at, "Key", 0)
	if table >= 0 && key >= 0 {
		return l.Nodes[table].Text + "#" + l.Nodes[key].Text
	}
	for _, name := range []string{"Format", "SourceText"} {
		if i := l.Find(at, name, 0); i >= 0 {
			return localized(d, l, i)
		}
	}
	for _, name := range []string{"SourceValue", "SourceDateTime"} {
		if i := l.Find(at, name, 0); i >= 0 {
			return fmt.Sprint(Value(d, l, i))
		}
	}
	return l.Nodes[at].Text
}

// elements lists the first elements of an array: "1000: 1, 2, 3, ...".
func elements(d *property.Decoder, l *property.List, at int) string {
	count := l.Count(at)
	shown := firstElements(d, l, at)
	text := strings.Join(shown, ", ")
	if count > len(shown) {
		text = fmt.Sprintf("%d: %s, ...", count, text)
	}
	return text
}

// firstElements renders the first elements of an array.
func firstElements(d *property.Decoder, l *property.List, at int) (shown []string) {
	parent := at
	if l.Nodes[at].Flags&property.Packed != 0 {
		l, parent = l.Unpack(at, 0, shownElements), -1
	}
	for i := range l.Children(parent) {
		if len(shown) == shownElements {
			break
		}
		shown = append(shown, elementText(d, l, i))
	}
	return shown
}

func elementText(d *property.Decoder, l *property.List, at int) string {
	if l.Nodes[at].Kind != property.Struct {
		return fmt.Sprint(Value(d, l, at))
	}
	var fields []string
	for i := range l.Children(at) {
		fields = append(fields, elementText(d, l, i))
	}
	return "(" + strings.Join(fields, " ") + ")"
}

// manyElements is how many elements an array of numbers must have more of to be one
// value.
const manyElements = 16

// isPlain reports whether an array is one value: it has many elements, and all are
// numbers or structs of numbers.
func isPlain(l *property.List, at int) bool {
	n := &l.Nodes[at]
	if n.Kind != property.Array || l.Count(at) <= manyElements || isCurve(n) {
		return false
	}
	if n.Flags&property.Packed != 0 {
		return true
	}
	for i := at + 1; i < int(n.Next); i++ {
		e := &l.Nodes[i]
		if !isNumber(e) && (e.Kind != property.Struct || e.Text != "" || int(e.Next)-i > manyElements) {
			return false
		}
	}
	return true
}

func isNumber(n *property.Node) bool {
	return n.Kind >= property.Bool && n.Kind <= property.Double && n.Text == ""
}

// plainText renders an array that is one value: its first elements, and the start of
// the BLAKE3 of all.
func plainText(d *property.Decoder, l *property.List, at int) string {
	h := blake3.New()
	if data, _ := l.Packed(at); data != nil {
		_, _ = h.Write(data)
	} else {
		for i := at + 1; i < int(l.Nodes[at].Next); i++ {
			if e := &l.Nodes[i]; e.Kind != property.Struct {
				_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, e.Bits))
			}
		}
	}
	return fmt.Sprintf("%s, ... #%x", strings.Join(firstElements(d, l, at), ", "), h.Sum(nil)[:8])
}
