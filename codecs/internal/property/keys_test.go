package property_test

import (
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
)

// oneField returns a fixture and a library: an unversioned export of a class whose only
// property F has that type, with the bytes of its value.
func oneField(typ *property.Type, names, value string) (fixture, *property.Library) {
	l := property.NewLibrary()
	l.Add(&property.Schema{Name: "C", Path: "/Script/G", Positions: 1, Fields: []property.Field{{Name: "F", Type: typ, Count: 1}}})
	return fixture{name: typ.String(), ue4: 522, ue5: 1018, flags: 0x80002200, names: names, hex: "0003 " + value + " 00000000"}, l
}

// TestMapKeys: a key shows its value as a field would, whatever its kind is.
func TestMapKeys(t *testing.T) {
	plain := func(k property.Kind) *property.Type { return &property.Type{Kind: k} }
	for _, tt := range []struct {
		key      *property.Type
		hex      string
		want     string
		children []property.Field // of a struct
	}{
		{plain(property.Object), "FEFFFFFF", "/Script/G.C", nil},
		{plain(property.Object), "01000000", "C", nil},
		{plain(property.Object), "00000000", "None", nil},
		{plain(property.Class), "FEFFFFFF", "/Script/G.C", nil},
		{plain(property.WeakObject), "FFFFFFFF", "/Script/G", nil},
		{plain(property.Interface), "FEFFFFFF", "/Script/G.C", nil},
		{plain(property.SoftObject), "01000000 00000000 02000000 00000000 01000000 42", "A.Red:B", nil},
		{plain(property.Delegate), "FEFFFFFF 02000000 00000000", "/Script/G.C.Red", nil},
		{plain(property.FieldPath), "01000000 02000000 00000000 00000000", "Red", nil},
		{plain(property.Name), "02000000 03000000", "Red_2", nil},
		{plain(property.Str), "02000000 4200", "B", nil},
		{plain(property.Float), "CDCCCC3D", "0.1", nil},
		{plain(property.Int), "FFFFFFFF", "-1", nil},
		{plain(property.UInt64), "FFFFFFFFFFFFFFFF", "18446744073709551615", nil},
		{plain(property.Bool), "01", "true", nil},
		{plain(property.Optional), "01000000 FEFFFFFF", "/Script/G.C", nil},
		{property.NewType(property.Struct, "Guid", "", nil, nil), "01000000 02000000 03000000 04000000", "00000001000000020000000300000004", nil},
		{property.NewType(property.Struct, "IntPoint", "", nil, nil), "01000000 02000000", "1,2", nil},
		{property.NewType(property.Struct, "Key", "", nil, nil), "0005 FEFFFFFF 02000000 02000000 00000000 01000000 00000000", "/Script/G.C,Red,A",
			[]property.Field{{Name: "O", Type: plain(property.Object), Count: 1}, {Name: "N", Count: 1, Position: 1,
				Type: &property.Type{Kind: property.Array, Elem: plain(property.Name)}}}},
	} {
		if tt.key.Kind == property.Optional {
			tt.key.Elem = plain(property.Object)
		}
		typ := &property.Type{Kind: property.Map, Key: tt.key, Elem: plain(property.Int)}
		f, lib := oneField(typ, "None A Red", "00000000 01000000 "+tt.hex+" 2A000000")
		if tt.children != nil {
			lib.Add(&property.Schema{Name: "Key", Positions: len(tt.children), Fields: tt.children})
		}
		d := property.NewDecoder(f.facts(), property.Options{Schemas: lib})
		var o property.Export
		d.Export(&o, 0, f.bytes(t))
		var got []string
		for path := range d.Walk(&o.List) {
			got = append(got, string(path))
		}
		if want := "F[" + tt.want + "]"; strings.Join(got, " ") != want || o.Status != property.Exact {
			t.Errorf("%s: %q, %s %v; want %q", f.name, got, o.Status, o.Why, want)
		}
	}
}
