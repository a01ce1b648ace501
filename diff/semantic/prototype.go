package semantic

import (
	"context"
	"database/sql/driver"
	"strconv"

	"pakdb/diff"
	"pakdb/diff/internal/side"
)

// prototypeFields names the values of a Marvel Heroes prototype by the field, the
// place in a list, and the value that holds the body they are in:
// "Powers[2].Damage". Copies of a mixin are told apart by their number, and so
// are blueprints that declare a field of the same name.
func (s *Comparer) prototypeFields(ctx context.Context, build int64, f *diff.File) ([]field, error) {
	type key struct {
		owner, copy int64
		name        string
	}
	first := map[key]int64{} // the blueprint that a name was seen with first
	names := map[int64]string{}
	var fields []field
	err := s.each(ctx, prototypeValues, []driver.Value{build, f.ContentID}, func(v []driver.Value) {
		owner := int64(-1)
		name := side.Text(v[5])
		if v[1] != nil {
			owner = side.Integer(v[1])
		}
		blueprint, copies := side.Integer(v[2]), side.Integer(v[3])
		k := key{owner: owner, copy: copies, name: name}
		if other, seen := first[k]; !seen {
			first[k] = blueprint
		} else if other != blueprint {
			name += "@" + strconv.FormatUint(uint64(blueprint), 16)
		}
		if copies != 0 {
			name += "#" + strconv.FormatInt(copies, 10)
		}
		if v[4] != nil {
			name += "[" + strconv.FormatInt(side.Integer(v[4]), 10) + "]"
		}
		if owner >= 0 {
			name = names[owner] + "." + name
		}
		names[side.Integer(v[0])] = name
		fields = append(fields, field{name: name, value: valueText(v[6])})
	})
	return fields, err
}
