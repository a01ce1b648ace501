package pkgtable

import (
	"database/sql/driver"
	"errors"

	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/property"
	"pakdb/codecs/unreal/rows"
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
		for field, at := range d.Walk(&x.List) {
			n := &x.List.Nodes[at]
			kind := n.Type.String()
			if n.Kind == property.Opaque {
				kind = "Opaque " + kind
			}
			if err := write(int64(self), path, class, string(field), kind, d.Value(&x.List, at)); err != nil {
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

// Declare adds the classes, structs and enums of the package to a library.
func (v *Values) Declare(lib *property.Library) {
	(&rows.Package{PackageFacts: v.PackageFacts, Options: v.Options, Bytes: v.Bytes}).Declares(lib, v.Options)
}

// each reads all exports. The error, in the end, has all that is damaged.
func (v *Values) each(do func(*property.Decoder, int, *property.Export) error) error {
	p := &rows.Package{PackageFacts: v.PackageFacts, Options: v.Options, Bytes: v.Bytes}
	err := p.Each(do)
	v.Coverage = p.Coverage
	all := []error{err}
	for _, problem := range p.Problems() {
		all = append(all, problem)
	}
	return errors.Join(all...)
}
