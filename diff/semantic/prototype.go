package semantic

import (
	"context"
	"database/sql/driver"
	"strconv"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
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
		name := facts.Text(v[5])
		if v[1] != nil {
			owner = facts.Integer(v[1])
		}
		blueprint, copies := facts.Integer(v[2]), facts.Integer(v[3])
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
			name += "[" + strconv.FormatInt(facts.Integer(v[4]), 10) + "]"
		}
		if owner >= 0 {
			name = names[owner] + "." + name
		}
		names[facts.Integer(v[0])] = name
		fields = append(fields, field{name: name, value: valueText(v[6])})
	})
	return fields, err
}
