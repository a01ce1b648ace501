package rows

import (
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// maxDefaults bounds the text of the default values of one class.
const maxDefaults = 1 << 20

// defaultsOf returns the default values of a class of UE1 to UE3, a line for each, two blanks
// in front. sized has the arrays of fixed size, of which element 0 looks as any value.
func defaultsOf(f *unreal.PackageFacts, d *property.ClassicDecoder, data func(int) ([]byte, error), export int, sized map[string]bool) (dst []byte) {
	bytes, err := data(export)
	if err != nil {
		return fmt.Appendf(dst, "  // opaque: %v\n", err)
	}
	var x property.Export
	d.Export(&x, export, bytes)
	if x.Status == property.Lost {
		return fmt.Appendf(dst, "  // opaque: %v\n", x.Why)
	}
	w := defaultsWriter{names: script.NewNames(f)}
	for i, n := range x.List.Children(-1) {
		if len(dst) > maxDefaults {
			return append(dst, "  // more values than are shown\n"...)
		}
		if n.Kind != property.Array {
			name := n.Name
			if n.Index > 0 || sized[strings.ToLower(name)] {
				name += "(" + strconv.Itoa(int(n.Index)) + ")"
			}
			dst = fmt.Appendf(dst, "  %s=%s\n", name, w.value(&x.List, i))
			continue
		}
		l, parent := &x.List, i
		if n.Flags&property.Packed != 0 {
			l, parent = x.List.Unpack(i, 0, int(n.Bits)), -1
		}
		at := 0
		for k := range l.Children(parent) {
			dst = fmt.Appendf(dst, "  %s(%d)=%s\n", n.Name, at, w.value(l, k))
			at++
		}
	}
	return dst
}

// values returns the values of a default object of UE4 or UE5. It fails for a list that is not
// understood.
func (p *Package) values(d *property.Decoder, export int) (list []script.KismetValue, err error) {
	data, err := p.Bytes(export)
	if err != nil {
		return nil, err
	}
	var x property.Export
	if d.Export(&x, export, data); x.Status == property.Lost {
		return nil, x.Why
	}
	w, size := defaultsWriter{decoder: d}, 0
	for i, n := range x.List.Children(-1) {
		if n.Flags&property.ClassData != 0 {
			continue
		}
		name := n.Name
		if n.Index > 0 {
			name += "[" + strconv.Itoa(int(n.Index)) + "]"
		}
		text := w.value(&x.List, i)
		if size += len(name) + len(text); size > maxDefaults {
			return append(list, script.KismetValue{Name: "...", Text: "more values than are shown"}), nil
		}
		list = append(list, script.KismetValue{Name: name, Text: text})
	}
	return list, nil
}

// defaultsWriter writes values as default properties have them: of UE4 and UE5 with a decoder,
// of UE1 to UE3 with names.
type defaultsWriter struct {
	names   *script.Names
	decoder *property.Decoder
}

func (w *defaultsWriter) value(l *property.List, at int) string {
	n := &l.Nodes[at]
	switch n.Kind {
	case property.Bool:
		return strconv.FormatBool(n.Bits != 0)
	case property.Byte:
		if n.Text != "" {
			return n.Text
		}
	case property.Float:
		text := strconv.FormatFloat(n.Float(), 'f', -1, 32)
		if !strings.ContainsAny(text, ".IN") {
			text += ".0"
		}
		return text
	case property.Str:
		return strconv.Quote(n.Text)
	case property.Name:
		return "'" + n.Text + "'"
	case property.Object, property.Class:
		if w.names == nil {
			break
		}
		return script.Literal(w.names, unreal.ObjectRef(n.Int()))
	case property.Delegate:
		return n.Text
	case property.Opaque:
		return "? // opaque: " + n.Text
	case property.Struct, property.Array:
		var parts []string
		if n.Flags&property.Packed != 0 {
			return fmt.Sprintf("(%d values)", n.Bits)
		}
		for i, c := range l.Children(at) {
			text := w.value(l, i)
			switch {
			case c.Name != "" && c.Index > 0:
				text = fmt.Sprintf("%s[%d]=%s", c.Name, c.Index, text)
			case c.Name != "":
				text = c.Name + "=" + text
			}
			parts = append(parts, text)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	if w.decoder != nil {
		return fmt.Sprint(w.decoder.Value(l, at))
	}
	return strconv.FormatInt(n.Int(), 10)
}
