package pkgtable

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pakdb/codecs/family/unreal"
	"pakdb/codecs/property"
	"pakdb/codecs/property/classic"
)

// Values are the values in the exports of a package of UE1 to UE5.
type Values struct {
	*Package
	Options property.Options
	// Bytes returns those of an export.
	Bytes func(export int) ([]byte, error)

	Coverage property.Coverage // of the exports that were read so far
}

// ValueColumns are the columns of [Values.Rows].
func ValueColumns() []string { return []string{"export", "object", "class", "field", "type", "value"} }

// Rows calls write with each value: the number of its export, the path and the class of
// that, the path of the field in it, and the value: a number or a text. An export whose
// list was not read has one row, with the reason.
func (v *Values) Rows(write func(...driver.Value) error) error {
	return v.each(func(d *property.Decoder, i int, x *property.Export) error {
		self := unreal.ObjectRef(i + 1)
		path, class := v.pathOf(self), v.ClassOf(i)
		if x.Status == property.Lost {
			return write(int64(self), path, class, nil, "Opaque", x.Why.Error())
		}
		for field, at := range x.List.Walk() {
			n := &x.List.Nodes[at]
			kind := n.Type.String()
			if n.Kind == property.Opaque {
				kind = "Opaque " + kind
			}
			if err := write(int64(self), path, class, string(field), kind, valueOf(d, &x.List, at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// JSON calls write with the text of each export: see [property.Decoder.AppendJSON].
func (v *Values) JSON(write func([]byte) error) error {
	var text []byte
	return v.each(func(d *property.Decoder, i int, x *property.Export) error {
		text = d.AppendJSON(text[:0], x, i)
		return write(text)
	})
}

// each reads all exports. One whose bytes cannot be had is passed over; the error of
// the first is returned in the end.
func (v *Values) each(do func(*property.Decoder, int, *property.Export) error) error {
	v.Coverage = property.Coverage{}
	if !strings.HasPrefix(v.Engine, "UE4") && !strings.HasPrefix(v.Engine, "UE5") {
		return v.eachOld(do)
	}
	return v.eachNew(do)
}

// eachOld reads the exports of a package of UE1 to UE3.
func (v *Values) eachOld(do func(*property.Decoder, int, *property.Export) error) error {
	old, err := classic.NewDecoder(v.PackageFacts, v.Bytes, classic.Options{})
	if err != nil {
		return err
	}
	return v.read(property.NewDecoder(v.PackageFacts, v.Options), old.Export, do)
}

// read reads all exports with the reader that is given. d knows the paths of objects.
func (v *Values) read(d *property.Decoder, export func(*property.Export, int, []byte), do func(*property.Decoder, int, *property.Export) error) error {
	var first error
	var x property.Export
	for i := range v.Exports {
		data, err := v.Bytes(i)
		if err != nil {
			first = cmp.Or(first, fmt.Errorf("export %d: %w", i+1, err))
			continue
		}
		export(&x, i, data)
		v.Coverage.Add(&x.Coverage)
		if err := do(d, i, &x); err != nil {
			return err
		}
	}
	return first
}

// eachNew reads the exports of a package of UE4 or UE5: first those that declare
// classes, structs and enums, which the values of others may need.
func (v *Values) eachNew(do func(*property.Decoder, int, *property.Export) error) error {
	lib := property.NewLibrary()
	if v.Options.Schemas != nil {
		lib = property.NewLibrary(v.Options.Schemas)
	}
	options := v.Options
	options.Schemas = lib
	d := property.NewDecoder(v.PackageFacts, options)
	var x property.Export
	for i := range v.Exports {
		if class := v.ClassOf(i); !strings.HasSuffix(class, "Class") && !strings.HasSuffix(class, "Struct") && !strings.HasSuffix(class, "Enum") {
			continue
		}
		data, err := v.Bytes(i)
		if err != nil {
			continue // the second time says so
		}
		d.Export(&x, i, data)
		switch {
		case x.Schema != nil:
			lib.Add(x.Schema)
		case x.Enum != nil:
			lib.AddEnum(x.Enum)
		}
	}
	d = property.NewDecoder(v.PackageFacts, options)
	return v.read(d, d.Export, do)
}

// shownElements is how many elements of a packed array a row has.
const shownElements = 8

// valueOf returns a value as SQLite has it: an integer, a float, or a text.
func valueOf(d *property.Decoder, l *property.List, at int) driver.Value {
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
			return fmt.Sprint(valueOf(d, l, i))
		}
	}
	return l.Nodes[at].Text
}

// elements lists the first elements of an array: "1000: 1, 2, 3, ...".
func elements(d *property.Decoder, l *property.List, at int) string {
	count, parent := l.Count(at), at
	if l.Nodes[at].Flags&property.Packed != 0 {
		l, parent = l.Unpack(at, 0, shownElements), -1
	}
	var shown []string
	for i := range l.Children(parent) {
		if len(shown) == shownElements {
			break
		}
		shown = append(shown, elementText(d, l, i))
	}
	text := strings.Join(shown, ", ")
	if count > len(shown) {
		text = fmt.Sprintf("%d: %s, ...", count, text)
	}
	return text
}

func elementText(d *property.Decoder, l *property.List, at int) string {
	if l.Nodes[at].Kind != property.Struct {
		return fmt.Sprint(valueOf(d, l, at))
	}
	var fields []string
	for i := range l.Children(at) {
		fields = append(fields, elementText(d, l, i))
	}
	return "(" + strings.Join(fields, " ") + ")"
}
