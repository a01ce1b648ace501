package property_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// fixture is an export written by hand, as FORMAT.md says.
type fixture struct {
	name     string
	ue4, ue5 int
	flags    uint32
	custom   []unreal.CustomVersion
	names    string // of the name table, separated by spaces
	hex      string
	want     string // the JSON, from the properties on
}

// handmade returns exports of the class /Script/G.C.
func handmade() []fixture {
	const filtered, unversioned = 0x80000200, 0x80002200
	return []fixture{
		{
			name: "4.10: bool in the tag, enum of a byte, array of structs without a tag of its own", ue4: 482, flags: filtered,
			names: "None bOn BoolProperty Kind ByteProperty EKind Red Parts ArrayProperty StructProperty N IntProperty",
			hex: `01000000 00000000 02000000 00000000 00000000 00000000 01
				03000000 00000000 04000000 00000000 08000000 00000000 05000000 00000000 06000000 00000000
				07000000 00000000 08000000 00000000 30000000 00000000 09000000 00000000
				02000000
					0A000000 00000000 0B000000 00000000 04000000 00000000 2A000000 00000000 00000000
					00000000 00000000
				00000000 00000000 00000000`,
			want: `{"bOn":true,"Kind":"Red","Parts":[{"N":42},{}]}`,
		},
		{
			name: "4.27: inner tag, set, map of names to vectors that are guessed, soft path", ue4: 522, flags: filtered,
			names: "None Points ArrayProperty StructProperty Vector Tags SetProperty NameProperty Red At MapProperty Soft SoftObjectProperty /Game/A.A",
			hex: `01000000 00000000 02000000 00000000 41000000 00000000 03000000 00000000 00
					01000000
					01000000 00000000 03000000 00000000 0C000000 00000000 04000000 00000000 00000000000000000000000000000000 00
					0000803F 00000040 00004040
				05000000 00000000 06000000 00000000 10000000 00000000 07000000 00000000 00
					00000000 01000000 08000000 00000000
				09000000 00000000 0A000000 00000000 1C000000 00000000 07000000 00000000 03000000 00000000 00
					00000000 01000000 08000000 02000000 0000803F 00000040 00004040
				0B000000 00000000 0C000000 00000000 0E000000 00000000 00
					0D000000 00000000 02000000 4200
				00000000 00000000 00000000`,
			want: `{"Points":[{"X":1.0,"Y":2.0,"Z":3.0}],"Tags":["Red"],"At":[{"Key":"Red_1","Value":{"X":1.0,"Y":2.0,"Z":3.0}}],"Soft":{"AssetPathName":"/Game/A.A","SubPathString":"B"}}`,
		},
		{
			name: "4.27: an array of structs that are lists in spite of their serializer, with a vector inside", ue4: 522, flags: filtered,
			names: "None A ArrayProperty StructProperty NiagaraVariableBase V Vector",
			hex: `01000000 00000000 02000000 00000000 7A000000 00000000 03000000 00000000 00
					01000000
					01000000 00000000 03000000 00000000 45000000 00000000 04000000 00000000 00000000000000000000000000000000 00
						05000000 00000000 03000000 00000000 0C000000 00000000 06000000 00000000 00000000000000000000000000000000 00
							0000803F 00000040 00004040
						00000000 00000000
				00000000 00000000 00000000`,
			want: `{"A":[{"V":{"X":1.0,"Y":2.0,"Z":3.0}}]}`,
		},
		{
			name: "5.3: vectors of f64, texts, a number of a name, a value that does not fit", ue4: 522, ue5: 1009, flags: filtered,
			names: "None V StructProperty Vector2D T TextProperty Bad IntProperty D DoubleProperty",
			hex: `01000000 03000000 02000000 00000000 10000000 00000000 03000000 00000000 00000000000000000000000000000000 00
					000000000000F03F 00000000000000C0
				04000000 00000000 05000000 00000000 15000000 00000000 00
					08000000 00 00000000 02000000 4B00 02000000 5300
				06000000 00000000 07000000 00000000 03000000 00000000 00 010203
				08000000 00000000 09000000 00000000 08000000 00000000 00 000000000000E03F
				00000000 00000000 00000000`,
			want: `{"V_2":{"X":1.0,"Y":-2.0},"T":{"Namespace":"","Key":"K","SourceString":"S"},"Bad":{"Opaque":"unexpected end of data at 0x88: need 4, have 3","Size":3},"D":0.5}`,
		},
		{
			name: "5.8: control byte, complete type names, flags of tags", ue4: 522, ue5: 1018, flags: filtered,
			names: "None bOn BoolProperty M MapProperty NameProperty StructProperty Guid /Script/CoreUObject E EnumProperty EKind /Script/G ByteProperty EKind::Red U Utf8StrProperty",
			hex: `00
				01000000 00000000 02000000 00000000 00000000 00000000 10
				03000000 00000000 04000000 00000000 02000000 05000000 00000000 00000000
					06000000 00000000 01000000 07000000 00000000 01000000 08000000 00000000 00000000
					28000000 08
					01000000 02000000 00000000  01000000 03000000 00000000
					67452301 EFCDAB89 01000000 02000000
				09000000 00000000 0A000000 00000000 02000000 0B000000 00000000 01000000 0C000000 00000000 00000000
					0D000000 00000000 00000000
					08000000 01 02000000 0E000000 00000000
				0F000000 00000000 10000000 00000000 00000000 06000000 00 02000000 C3A4
				00000000 00000000 00000000`,
			want: `{"bOn":true,"M":[{"Key":"M","Value":"01234567-89ABCDEF-00000001-00000002"}],"E[2]":"EKind::Red","U":"ä"}`,
		},
		{
			name: "unversioned: skips, zeros, an enum as its number, a fixed array, a nested list", ue4: 522, ue5: 1018, flags: unversioned,
			names: "None Red",
			hex: `0002 8102 0105
				01
				05
				0003 000000000000F03F 0000000000000040 0000000000000840
				01000000 01000000 00000000
				00000000`,
			want: `{"Kind":"EKind::Blue","Limits[1]":0,"Part":{"At":{"X":1.0,"Y":2.0,"Z":3.0}},"Names":["Red"]}`,
		},
	}
}

func (f *fixture) facts() *unreal.PackageFacts {
	out := &unreal.PackageFacts{Engine: "UE5", Version: f.ue4, Version5: f.ue5, Flags: f.flags, Custom: f.custom, Name: "/Game/P"}
	for _, n := range strings.Fields(f.names + " /Script/G C") {
		out.Names = append(out.Names, unreal.PackageName{Text: n})
	}
	n := int32(len(out.Names))
	out.NameCount = int(n)
	out.Imports = []unreal.PackageImport{
		{Name: unreal.ObjectName{Index: n - 2}},
		{Name: unreal.ObjectName{Index: n - 1}, Outer: -1},
	}
	out.Exports = []unreal.PackageExport{{Class: -2, Name: unreal.ObjectName{Index: n - 1}}}
	return out
}

func (f *fixture) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(f.hex), ""))
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return b
}

// classC is the class of the unversioned fixture.
func classC() *property.Library {
	l := property.NewLibrary()
	enum := property.NewType(property.Enum, "EKind", "", nil, &property.Type{Kind: property.Byte})
	l.AddEnum(&property.EnumSchema{Name: "EKind", Path: "/Script/G", Members: []property.Member{{Name: "Red"}, {Name: "Blue", Value: 5}}})
	l.Add(&property.Schema{Name: "C", Path: "/Script/G", Super: "Base", SuperPath: "/Script/G", Positions: 4, Fields: []property.Field{
		{Name: "Kind", Type: enum, Position: 0, Count: 1},
		{Name: "Limits", Type: &property.Type{Kind: property.Int}, Position: 1, Count: 2},
	}})
	l.Add(&property.Schema{Name: "Base", Path: "/Script/G", Positions: 2, Fields: []property.Field{
		{Name: "Part", Type: property.NewType(property.Struct, "Part", "", nil, nil), Position: 0, Count: 1},
		{Name: "Names", Type: &property.Type{Kind: property.Array, Elem: &property.Type{Kind: property.Name}}, Position: 1, Count: 1},
	}})
	l.Add(&property.Schema{Name: "Part", Path: "/Script/G", Positions: 1, Fields: []property.Field{
		{Name: "At", Type: property.NewType(property.Struct, "Vector", "", nil, nil), Position: 0, Count: 1},
	}})
	return l
}

func TestHandmade(t *testing.T) {
	for _, f := range handmade() {
		d := property.NewDecoder(f.facts(), property.Options{Schemas: classC()})
		var o property.Export
		d.Export(&o, 0, f.bytes(t))
		_, got, _ := strings.Cut(string(d.AppendJSON(nil, &o, 0)), `"Properties":`)
		if want := f.want + "}"; got != want || o.Status != property.Exact {
			t.Errorf("%s: %s, %v\n got %s\nwant %s", f.name, o.Status, o.Why, got, want)
		}
	}
}

// FuzzTagged and FuzzUnversioned: whatever the bytes are, the values nest, lie within
// them, and are found by walking.
func FuzzTagged(f *testing.F) {
	fuzz(f, func(x *fixture) bool { return x.flags&0x2000 == 0 })
}

func FuzzUnversioned(f *testing.F) {
	fuzz(f, func(x *fixture) bool { return x.flags&0x2000 != 0 })
}

func fuzz(f *testing.F, wanted func(*fixture) bool) {
	var forms []fixture
	for _, x := range handmade() {
		if wanted(&x) {
			f.Add(uint8(len(forms)), x.bytes(f))
			forms = append(forms, x)
		}
	}
	lib := classC()
	f.Fuzz(func(t *testing.T, form uint8, data []byte) {
		x := &forms[int(form)%len(forms)]
		d := property.NewDecoder(x.facts(), property.Options{Schemas: lib, MaxNodes: 1 << 14})
		var o property.Export
		d.Export(&o, 0, data)
		check(t, d, &o, data)
		text := d.AppendJSON(nil, &o, 0)
		if err := codecstest.CheckJSON(bytes.NewReader(text)); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	})
}

// withPart returns the facts of a package that also imports the struct Part.
func (f *fixture) withPart() *unreal.PackageFacts {
	out := f.facts()
	out.Names = append(out.Names, unreal.PackageName{Text: "Part"})
	out.NameCount++
	out.Imports = append(out.Imports, unreal.PackageImport{Name: unreal.ObjectName{Index: int32(len(out.Names)) - 1}, Outer: -1})
	return out
}
