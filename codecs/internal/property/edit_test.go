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

// The class of an object that becomes an import has to be known: an error about the value that
// was given.
func TestObjectsOfUnknownClasses(t *testing.T) {
	f := fixture{ue4: 522, flags: 0x80000200, names: "None O ObjectProperty",
		hex: "01000000 00000000 02000000 00000000 04000000 00000000 00 00000000 00000000 00000000 00000000"}
	d := property.NewDecoder(f.facts(), property.Options{})
	e, err := d.Edit(0, f.bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	object, err := e.Find("O")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"/Game/A.B", "Texture2D'/Game/A.B'"} {
		if err := e.Set(object, text); !errors.Is(err, property.ErrValue) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
