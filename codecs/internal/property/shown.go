package property

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// shownElements is how many elements of an array a text shows.
const shownElements = 8

// Value returns a value as SQLite has it: an integer, a float, or a text. References to
// objects are paths: see [Decoder.ObjectPath].
func (d *Decoder) Value(l *List, at int) any {
	n := &l.Nodes[at]
	switch n.Kind {
	case Bool, Int8, Int16, Int, Int64, UInt16, UInt32:
		return n.Int()
	case UInt64:
		if n.Bits > math.MaxInt64 {
			return strconv.FormatUint(n.Bits, 10)
		}
		return n.Int()
	case Byte, Enum:
		if n.Text == "" {
			return n.Int()
		}
	case Float:
		// The shortest decimal: 0.1 is not 0.10000000149011612 because it was an f32.
		f, _ := strconv.ParseFloat(strconv.FormatFloat(n.Float(), 'g', -1, 32), 64)
		return f
	case Double:
		return n.Float()
	case Object, Class, WeakObject, Interface:
		return d.ObjectPath(unreal.ObjectRef(n.Int()))
	case SoftObject, SoftClass, Struct:
		if sub := l.Find(at, "SubPath", 0); sub >= 0 {
			return n.Text + ":" + l.Nodes[sub].Text
		}
	case Delegate:
		return d.ObjectPath(unreal.ObjectRef(n.Int())) + "." + n.Text
	case Text:
		return localized(d, l, at)
	case Array, MulticastDelegate, MulticastInline, MulticastSparse, FieldPath:
		return elements(d, l, at)
	}
	return n.Text
}

// localized returns the source of a text, or the table and the key that it is in.
func localized(d *Decoder, l *List, at int) string {
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
			return fmt.Sprint(d.Value(l, i))
		}
	}
	return l.Nodes[at].Text
}

// elements lists the first elements of an array: "1000: 1, 2, 3, ...".
func elements(d *Decoder, l *List, at int) string {
	count := l.Count(at)
	shown := d.FirstElements(l, at)
	text := strings.Join(shown, ", ")
	if count > len(shown) {
		text = fmt.Sprintf("%d: %s, ...", count, text)
	}
	return text
}

// FirstElements renders the first eight elements of an array, structs in parentheses.
func (d *Decoder) FirstElements(l *List, at int) (shown []string) {
	parent := at
	if l.Nodes[at].Flags&Packed != 0 {
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

func elementText(d *Decoder, l *List, at int) string {
	if l.Nodes[at].Kind != Struct {
		return fmt.Sprint(d.Value(l, at))
	}
	var fields []string
	for i := range l.Children(at) {
		fields = append(fields, elementText(d, l, i))
	}
	return "(" + strings.Join(fields, " ") + ")"
}
