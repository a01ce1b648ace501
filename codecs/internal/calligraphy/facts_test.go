package calligraphy_test

import (
	"math"
	"reflect"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
)

func ref(kind string, space codecs.Space, id uint64) codecs.Ref {
	return codecs.Ref{Kind: kind, Space: space, ID: codecs.ID64(id)}
}

func symbolOf(space codecs.Space, id uint64, path string) codecs.Symbol {
	return codecs.Symbol{Space: space, ID: codecs.ID64(id), Path: path}
}

func factsOf(t *testing.T, name string) *codecs.Facts {
	t.Helper()
	for _, f := range everyKind() {
		if f.name == name {
			facts, err := inspect(f.name, f.body)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range facts.Problems {
				t.Error(p)
			}
			return facts
		}
	}
	t.Fatal("no such vector")
	return nil
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func TestDirectories(t *testing.T) {
	tests := []struct {
		name, kind string
		space      codecs.Space
		path       string
		blueprint  uint64
	}{
		{"Curve.directory", "calligraphy-curve-directory", "curve", "Calligraphy/A/B.curve", 0},
		{"Type.directory", "calligraphy-type-directory", "asset_type", "Calligraphy/A/B.type", 0},
		{"Blueprint.directory", "calligraphy-blueprint-directory", "blueprint", "Calligraphy/A/B.blueprint", 0},
		{"Prototype.directory", "calligraphy-prototype-directory", "prototype", "Calligraphy/A/B.prototype", 61},
	}
	for _, test := range tests {
		t.Run(test.kind, func(t *testing.T) {
			f := factsOf(t, test.name)
			same(t, "kind", f.Kind, test.kind)
			same(t, "detail", detail(f), &calligraphy.Facts{Version: 10, Space: test.space,
				Records: []calligraphy.Record{
					{ID: 41, GUID: 51, Blueprint: test.blueprint, Path: test.path},
					{ID: 42, GUID: 52, Blueprint: test.blueprint, Path: test.path, Flags: 1},
				}})
			same(t, "symbols", f.Defines(), []codecs.Symbol{
				symbolOf(test.space, 41, test.path), symbolOf("calligraphy_guid", 51, test.path),
				symbolOf(test.space, 42, test.path), symbolOf("calligraphy_guid", 52, test.path),
			})
			same(t, "refs", f.Refs, nil)
		})
	}
}

func TestReplacements(t *testing.T) {
	f := factsOf(t, "Replacement.directory")
	same(t, "detail", detail(f), &calligraphy.Facts{Version: 10,
		Replacements: []calligraphy.Replacement{{Old: 1, New: 2, Name: "A.B"}, {Old: 2, Name: "A.C"}}})
	same(t, "symbols", f.Defines(), nil)
}

func TestCurve(t *testing.T) {
	c := detail(factsOf(t, "a.curve")).Curve
	same(t, "start", c.Start, -1)
	same(t, "values", c.Values[:2], []float64{0, 1})
	same(t, "NaN bits", math.Float64bits(c.Values[2]), 0x7ff8000000000001)
}

func TestAssetType(t *testing.T) {
	f := factsOf(t, "a.type")
	same(t, "assets", detail(f).Assets, []calligraphy.Asset{{ID: 11, GUID: 12, Flags: 1, Name: "One"}, {}})
	same(t, "symbols", f.Defines(), []codecs.Symbol{symbolOf("asset", 11, "")})
}

func TestBlueprint(t *testing.T) {
	f := factsOf(t, "a.blueprint")
	same(t, "blueprint", detail(f).Blueprint, &calligraphy.Blueprint{
		RuntimeClass: "PowerPrototype", Default: 21,
		Parents:      []calligraphy.Link{{Blueprint: 22, Copies: 1}},
		Contributing: []calligraphy.Link{{Blueprint: 23, Copies: 2}},
		Members: []calligraphy.Member{
			{ID: 31, Name: "Icon", Type: 'A', Structure: 'S', Subtype: 24},
			{ID: 32, Name: "Count", Type: 'L', Structure: 'L'},
			{ID: 33, Name: "Curve", Type: 'C', Structure: 'S', Subtype: 26},
			{ID: 34, Name: "Part", Type: 'R', Structure: 'L', Subtype: 25},
		}})
	same(t, "refs", f.Refs, []codecs.Ref{
		ref("default", "prototype", 21), ref("blueprint_parent", "blueprint", 22), ref("contributing", "blueprint", 23),
		ref("subtype", "asset_type", 24), ref("subtype", "blueprint", 25),
	})
}

func TestPrototypeRefs(t *testing.T) {
	f := factsOf(t, "a.prototype")
	embedded := []codecs.Ref{
		ref("embedded_parent", "prototype", 72), ref("declared_by", "blueprint", 82), ref("prototype", "prototype", 101),
	}
	want := []codecs.Ref{
		ref("parent", "prototype", 71), ref("declared_by", "blueprint", 81),
		ref("asset", "asset", 300), ref("curve", "curve", 302), ref("prototype", "prototype", 305),
		{Kind: "string", Space: "locale_string", ID: codecs.ID64(306), Flags: codecs.Native}, ref("asset_type", "asset_type", 307),
	}
	want = append(want, embedded...)
	want = append(want, ref("asset", "asset", 401), ref("asset", "asset", 402))
	want = append(want, embedded...)
	same(t, "refs", f.Refs, want)
}

// How nesting is expressed, spelled out on a small body.
func TestPrototypeNesting(t *testing.T) {
	leaf := tree{Flags: 1, Parent: 9}
	body := new(writer).raw("PTP\x0b").body(tree{Flags: 3, Parent: 1, Groups: []treeGroup{{Blueprint: 2, Copy: 3,
		Simple: []treeField{{ID: 4, Type: 'L', Values: []uint64{5}}},
		Lists: []treeField{
			{ID: 6, Type: 'R', Bodies: []tree{leaf, {Flags: 2, Groups: []treeGroup{{Blueprint: 7,
				Simple: []treeField{{ID: 8, Type: 'B', Values: []uint64{1}}}}}}}},
			{ID: 10, Type: 'A'},
		}}}}).b
	f, err := inspect("a.defaults", body)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "prototype", detail(f).Prototype, &calligraphy.Prototype{
		Bodies: []calligraphy.Body{{Parent: 1, Owner: -1, Flags: 3}, {Parent: 9, Owner: 1, Flags: 1}, {Owner: 2, Flags: 2}},
		Groups: []calligraphy.Group{{Blueprint: 2, Body: 0, Copy: 3}, {Blueprint: 7, Body: 2}},
		Fields: []calligraphy.Field{
			{ID: 4, Group: 0, First: 0, Count: 1, Type: 'L', Structure: 'S'},
			{ID: 6, Group: 0, First: 1, Count: 2, Type: 'R', Structure: 'L'},
			{ID: 8, Group: 1, First: 3, Count: 1, Type: 'B', Structure: 'S'},
			{ID: 10, Group: 0, First: 4, Count: 0, Type: 'A', Structure: 'L'},
		},
		Values: []uint64{5, 1, 2, 1},
	})
}

// TestMembersOfValues: the view x_calligraphy_field cuts ids out of texts by their width.
func TestMembersOfValues(t *testing.T) {
	p := calligraphy.Prototype{
		Bodies: []calligraphy.Body{{Owner: -1}},
		Groups: []calligraphy.Group{{Blueprint: 1 << 63, Copy: 255}, {Blueprint: 1<<63 - 1}},
		Fields: []calligraphy.Field{
			{ID: 4, Group: 0, Count: 1, Type: 'L', Structure: 'S'},
			{ID: math.MaxUint64, Group: 1, First: 1, Count: 1, Type: 'L', Structure: 'S'},
		},
		Values: []uint64{5, 6},
	}
	same(t, "texts", (&calligraphy.Facts{Prototype: &p}).Batch().Texts, []string{
		"-9223372036854775808 +0000000000000000004 255", "+9223372036854775807 -0000000000000000001 0"})
}

func TestResource(t *testing.T) {
	f := factsOf(t, "a.cell")
	same(t, "kind", f.Kind, "calligraphy-cell")
	same(t, "resource", detail(f).Resource,
		&calligraphy.Resource{Signature: 0x1000, Version: 7, ClassID: 3862899546, Class: "EntityMarkerPrototype"})
}
