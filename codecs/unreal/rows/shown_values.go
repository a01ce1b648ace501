package rows

import (
	"database/sql/driver"
	"errors"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// ValueColumns are the columns of [Package.Rows].
func ValueColumns() []string { return []string{"export", "object", "class", "field", "type", "value"} }

// Rows calls write with each value: the number of its export, the path and the class of
// that, the path of the field in it, and the value: a number or a text. An export whose
// list was not read has one row, with the reason. The error is that of write, or has all
// that is damaged.
func (p *Package) Rows(write func(...driver.Value) error) error {
	return p.eachOrDamage(func(d *property.Decoder, i int, x *property.Export) error {
		self := unreal.ObjectRef(i + 1)
		path, class := p.pathOf(self), p.ClassOf(i)
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

// JSON calls write with the text of each export: see [property.Decoder.AppendJSON]. The
// error is as that of [Package.Rows].
func (p *Package) JSON(write func([]byte) error) error {
	var text []byte
	return p.eachOrDamage(func(d *property.Decoder, i int, x *property.Export) error {
		text = d.AppendJSON(text[:0], x, i)
		return write(text)
	})
}

func (p *Package) eachOrDamage(do func(*property.Decoder, int, *property.Export) error) error {
	all := []error{p.Each(do)}
	for _, problem := range p.Problems() {
		all = append(all, problem)
	}
	return errors.Join(all...)
}
