package property_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
)

// arrayOfNames is the export of UE 5.3 with an array of n names, element k having the
// number that number says.
func arrayOfNames(n int, number func(k int) uint32) []byte {
	u32 := binary.LittleEndian.AppendUint32
	b := []byte{}
	for _, v := range []uint32{1, 0, 2, 0, uint32(4 + 8*n), 0, 3, 0} { // A, ArrayProperty, size, index, NameProperty
		b = u32(b, v)
	}
	b = u32(append(b, 0), uint32(n))
	for k := range n {
		b = u32(u32(b, 4), number(k))
	}
	return append(b, make([]byte, 12)...) // None, no identifier
}

// An export is bounded in memory, whatever the counts and the names are.
func TestBoundsOfMemory(t *testing.T) {
	f := fixture{ue4: 522, ue5: 1009, flags: 0x80000200, names: "None A ArrayProperty NameProperty " + strings.Repeat("x", 1000)}
	for _, c := range []struct {
		name   string
		n      int
		number func(k int) uint32
		says   string
	}{
		{"values", property.DefaultMaxNodes + 1, func(int) uint32 { return 0 }, "more values"},
		{"names with numbers", 20000, func(k int) uint32 { return uint32(k + 1) }, "names with numbers"},
	} {
		d := property.NewDecoder(f.facts(), property.Options{})
		var o property.Export
		d.Export(&o, 0, arrayOfNames(c.n, c.number))
		if o.Status != property.Lost || !errors.Is(o.Why, codecs.ErrLimit) {
			t.Errorf("%s: %s, %v", c.name, o.Status, o.Why)
		}
		if size := 72 * cap(o.List.Nodes); size > 310<<20 {
			t.Errorf("%s: %d bytes of nodes", c.name, size)
		}
		d.Export(&o, 0, arrayOfNames(1000, c.number)) // the next export is none the worse
		if o.Status != property.Exact || len(o.List.Nodes) != 1001 {
			t.Errorf("%s: then %s, %v, %d nodes", c.name, o.Status, o.Why, len(o.List.Nodes))
		}
	}
}

// As many values as the largest tables have are read.
func TestManyValues(t *testing.T) {
	f := fixture{ue4: 522, ue5: 1009, flags: 0x80000200, names: "None A ArrayProperty NameProperty x"}
	const n = 600_000
	var o property.Export
	property.NewDecoder(f.facts(), property.Options{}).Export(&o, 0, arrayOfNames(n, func(int) uint32 { return 0 }))
	if o.Status != property.Exact || len(o.List.Nodes) != n+1 {
		t.Errorf("%s, %v, %d nodes", o.Status, o.Why, len(o.List.Nodes))
	}
}

// Values that do not end at their tag's end, or whose bools are neither 0 nor 1, are
// opaque, and those around them stay.
func TestOpaqueValues(t *testing.T) {
	const filtered = 0x80000200
	for _, f := range []fixture{
		{
			name: "4.27: a bool with bytes", ue4: 522, flags: filtered,
			names: "None bOn BoolProperty N IntProperty",
			hex: `01000000 00000000 02000000 00000000 02000000 00000000 01 00 FFFF
				03000000 00000000 04000000 00000000 04000000 00000000 00 05000000
				00000000 00000000 00000000`,
			want: `{"bOn":{"Opaque":"bytes left after the value","Size":2},"N":5}`,
		},
		{
			name: "5.8: values left out", ue4: 522, ue5: 1018, flags: filtered,
			names: "None bOn BoolProperty N IntProperty",
			hex: `00
				01000000 00000000 02000000 00000000 00000000 00000000 20
				03000000 00000000 04000000 00000000 00000000 00000000 20
				00000000 00000000 00000000`,
			want: `{"bOn":{"Opaque":"value that its writer left out","Size":0},"N":{"Opaque":"value that its writer left out","Size":0}}`,
		},
		{
			name: "5.8: 17 boxes, the last with a bool of 2", ue4: 522, ue5: 1018, flags: filtered,
			names: "None A ArrayProperty StructProperty Box2D /Script/CoreUObject",
			hex: `00
				01000000 00000000 02000000 00000000 01000000 03000000 00000000 01000000 04000000 00000000 01000000 05000000 00000000 00000000
					35020000 00 11000000` + strings.Repeat(strings.Repeat("00", 32)+"01", 16) + strings.Repeat("00", 32) + `02
				00000000 00000000 00000000`,
			want: `{"A":{"Opaque":"bool that is neither 0 nor 1 at 0x273: need 0, have 0","Size":565}}`,
		},
		{
			name: "5.8: bytes of an enum, as names and as numbers", ue4: 522, ue5: 1018, flags: filtered,
			names: "None A ArrayProperty ByteProperty EKind /Script/G B Red",
			hex: `00
				01000000 00000000 02000000 00000000 01000000 03000000 00000000 01000000 04000000 00000000 01000000 05000000 00000000 00000000
					0C000000 00 01000000 07000000 00000000
				06000000 00000000 02000000 00000000 01000000 03000000 00000000 01000000 04000000 00000000 01000000 05000000 00000000 00000000
					07000000 00 03000000 010203
				00000000 00000000 00000000`,
			want: `{"A":["Red"],"B":[1,2,3]}`,
		},
	} {
		d := property.NewDecoder(f.facts(), property.Options{})
		var o property.Export
		d.Export(&o, 0, f.bytes(t))
		_, got, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"Properties":`)
		if want := f.want + "}"; got != want || o.Status != property.Exact {
			t.Errorf("%s: %s, %v\n got %s\nwant %s", f.name, o.Status, o.Why, got, want)
		}
	}
}

// An enum that mappings keep in no number is no value of no bytes.
func TestEnumWithoutNumber(t *testing.T) {
	for _, kind := range []property.Kind{property.Struct, property.Str, property.Float} {
		lib := classC()
		enum := property.NewType(property.Enum, "EKind", "", nil, &property.Type{Kind: kind})
		lib.Add(&property.Schema{Name: "C", Path: "/Script/G", Super: "Base", SuperPath: "/Script/G", Positions: 4, Fields: []property.Field{{Name: "Kind", Type: enum, Count: 1}}})
		if o := exportC(t, lib); o.Status != property.Lost || !strings.Contains(o.Why.Error(), "type without a reader") {
			t.Errorf("%s: %s, %v", kind, o.Status, o.Why)
		}
	}
}
