package property_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pakdb/codecs/internal/property"
)

// Tags that are made have the bytes that the engine wrote, but for the identifiers of user
// structs, and for containers, which get no tags.
func TestTags(t *testing.T) {
	all := slices.Concat(folder(t, "uasset-rs"), folder(t, "uassetapi"), pak(t, samples, "cue4parse-UE5_8", "Legacy-Tagged-Zlib.pak"))
	equal, refused, other := 0, 0, map[string]int{}
	for _, p := range all {
		d := property.NewDecoder(p.facts, property.Options{})
		for i := range p.facts.Exports {
			e, err := d.Edit(i, p.data[i])
			if err != nil {
				continue
			}
			e.Tags(func(typ *property.Type, made, stored []byte, err error) {
				switch {
				case errors.Is(err, property.ErrRefused):
					refused++
				case err != nil:
					t.Errorf("%s: %v", p.name, err)
				case bytes.Equal(made, stored):
					equal++
				default:
					if other[typ.Kind.String()]++; typ.Elem == nil {
						t.Errorf("%s: %s is\n%x, not\n%x", p.name, typ, made, stored)
					}
				}
			})
		}
	}
	if equal < 1000 {
		t.Errorf("only %d equal", equal)
	}
	t.Logf("%d equal, %d refused, others %v", equal, refused, other)
}
