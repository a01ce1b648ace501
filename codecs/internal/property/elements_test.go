package property_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
)

// Tags below UE5 1012 state the kind of elements and no more: elements that are containers
// are of unknown contents, and values of them opaque. Panicked before.
func TestElementsOfUnknownTypes(t *testing.T) {
	const names = "None A N IntProperty ArrayProperty SetProperty MapProperty OptionalProperty NameProperty"
	const none, array, set, maps, optional, name = "00000000", "04000000", "05000000", "06000000", "07000000", "08000000"
	const filtered, opaque = 0x80000200, `{"Opaque":"","Size":24}`
	reasons := regexp.MustCompile(`"Opaque":"[^"]*"`)
	field := func(kind, elem, value string) string { // A
		return fmt.Sprintf("01000000 00000000 %s 00000000 %02X000000 00000000 %s 00000000 00 %s", kind, len(strings.Fields(value))*4, elem, value)
	}
	list := func(fields string) string { // and N
		return fields + " 02000000 00000000 03000000 00000000 04000000 00000000 00 2A000000 00000000 00000000 00000000"
	}
	const one, two = "01000000 01000000 00000000 00000000 00000000 00000000", "00000000 01000000 01000000 00000000 00000000 00000000"
	var all []fixture
	for _, inner := range []string{array, set, maps, optional} {
		for _, c := range []struct{ hex, want string }{
			{field(array, inner, one), opaque},
			{field(array, inner, "00000000"), "[]"},
			{field(set, inner, two), opaque},
			{field(set, inner, "00000000 00000000"), "[]"},
			{field(maps, inner+" 00000000 "+inner, two), opaque},
			{field(maps, name+" 00000000 "+inner, "00000000 00000000"), "[]"},
			{field(optional, inner, one), opaque},
			{field(optional, inner, "00000000"), "null"},
		} {
			all = append(all, fixture{name: c.hex, names: names, hex: list(c.hex), want: `{"A":` + c.want + `,"N":42}`})
		}
	}
	all = append(all,
		fixture{name: "a set of no type after an array of sets", names: names, want: `{"A":` + opaque + `,"A_2":` + opaque + `,"N":42}`,
			hex: list(field(array, set, one) + field(set, none, two))},
		fixture{name: "a struct that has the first name, then a set of structs that no tag names", names: "Vector A N IntProperty StructProperty SetProperty None",
			hex: `01000000 00000000 04000000 00000000 0C000000 00000000 00000000 00000000 00000000000000000000000000000000 00 0000803F 00000040 00004040
				01000000 00000000 05000000 00000000 18000000 00000000 04000000 00000000 00 00000000 01000000 01234567 89ABCDEF 01234567 89ABCDEF
				06000000 00000000 00000000`,
			want: `{"A":{"X":1.0,"Y":2.0,"Z":3.0},"A_2":["67452301-EFCDAB89-67452301-EFCDAB89"]}`},
		fixture{name: "4.8: a map whose tag states no types", ue4: 482, names: "NameProperty A MapProperty None",
			hex:  `01000000 00000000 02000000 00000000 18000000 00000000 00000000 01000000 01000000 00000000 01000000 00000000 03000000 00000000 00000000`,
			want: `{"A":{"Opaque":"","Size":24}}`},
	)
	for _, f := range all {
		if f.flags = filtered; f.ue4 == 0 {
			f.ue4 = 522
		}
		d := property.NewDecoder(f.facts(), property.Options{})
		var o property.Export
		data := f.bytes(t)
		d.Export(&o, 0, data)
		check(t, d, &o, data)
		_, got, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"Properties":`)
		got = reasons.ReplaceAllString(got, `"Opaque":""`)
		if want := f.want + "}"; got != want || o.Status != property.Exact {
			t.Errorf("%s: %s, %v\n got %s\nwant %s", f.name, o.Status, o.Why, got, want)
		}
		for i := range o.List.Nodes { // types of containers are whole
			n := &o.List.Nodes[i]
			switch k := n.Type.Kind; {
			case k == property.Map && n.Type.Key == nil, (k == property.Map || k == property.Array || k == property.Set || k == property.Optional) && n.Type.Elem == nil:
				t.Errorf("%s: %s of nothing", f.name, k)
			}
		}
	}
}
