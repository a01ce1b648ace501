package calligraphy_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
)

// decode(encode(x)) == x, for anything of each kind.
func TestRoundTrip(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind.kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := &calligraphy.Facts{Version: rapid.SampledFrom([]uint8{10, 11}).Draw(t, "version")}
				kind.fill(t, want)
				got, err := inspect(kind.file, encode(kind.kind, want))
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Problems) > 0 || got.Kind != kind.kind {
					t.Fatalf("kind %s, problems %v", got.Kind, got.Problems)
				}
				if err := checkFacts(got); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.Detail, want) {
					t.Fatalf("\n got %+v\nwant %+v", got.Detail, want)
				}
			})
		})
	}
}

// The tree of a prototype survives flattening.
func TestRoundTripPrototype(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawTree(t, 3)
		body := ptp().body(want).b
		f, err := inspect("a.prototype", body)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Problems) > 0 {
			t.Fatal(f.Problems)
		}
		if err := checkFacts(f); err != nil {
			t.Fatal(err)
		}
		if got := treeOf(detail(f).Prototype, 0); !reflect.DeepEqual(got, want) {
			t.Fatalf("\n got %+v\nwant %+v", got, want)
		}
	})
}

type kindCase struct {
	kind, file string
	fill       func(*rapid.T, *calligraphy.Facts)
}

func kinds() []kindCase {
	records := func(space codecs.Space) func(*rapid.T, *calligraphy.Facts) {
		return func(t *rapid.T, f *calligraphy.Facts) { drawRecords(t, f, space) }
	}
	return []kindCase{
		{"calligraphy-curve-directory", "Curve.directory", records("curve")},
		{"calligraphy-type-directory", "Type.directory", records("asset_type")},
		{"calligraphy-blueprint-directory", "Blueprint.directory", records("blueprint")},
		{"calligraphy-prototype-directory", "Prototype.directory", records("prototype")},
		{"calligraphy-replacement-directory", "Replacement.directory", drawReplacements},
		{"calligraphy-curve", "a.curve", drawCurve},
		{"calligraphy-type", "a.type", drawAssets},
		{"calligraphy-blueprint", "a.blueprint", drawBlueprint},
	}
}

func drawID(t *rapid.T) uint64 {
	return rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "id")
}
func drawName(t *rapid.T) string {
	return rapid.StringMatching(`[A-Za-z0-9_ .é]{0,12}`).Draw(t, "name")
}

// many returns 0 to n values in a slice that is never nil.
func many[T any](t *rapid.T, n int, draw func() T) []T {
	out := make([]T, rapid.IntRange(0, n).Draw(t, "n"))
	for i := range out {
		out[i] = draw()
	}
	return out
}

func drawRecords(t *rapid.T, f *calligraphy.Facts, space codecs.Space) {
	f.Space = space
	f.Records = many(t, 5, func() calligraphy.Record {
		r := calligraphy.Record{ID: drawID(t), GUID: drawID(t), Flags: rapid.Uint8().Draw(t, "flags"),
			Path: "Calligraphy/" + drawName(t) + "/" + drawName(t)}
		if space == "prototype" {
			r.Blueprint = drawID(t)
		}
		return r
	})
}

func drawReplacements(t *rapid.T, f *calligraphy.Facts) {
	f.Replacements = many(t, 5, func() calligraphy.Replacement {
		return calligraphy.Replacement{Old: drawID(t), New: drawID(t), Name: drawName(t)}
	})
}

func drawCurve(t *rapid.T, f *calligraphy.Facts) {
	f.Curve = &calligraphy.Curve{Start: rapid.Int32Range(math.MinInt32+1, math.MaxInt32-10).Draw(t, "start"),
		Values: many(t, 8, func() float64 { return rapid.Float64().Draw(t, "value") })}
}

func drawAssets(t *rapid.T, f *calligraphy.Facts) {
	f.Assets = many(t, 5, func() calligraphy.Asset {
		return calligraphy.Asset{ID: drawID(t), GUID: drawID(t), Flags: rapid.Uint8().Draw(t, "flags"), Name: drawName(t)}
	})
}

func drawBlueprint(t *rapid.T, f *calligraphy.Facts) {
	f.Blueprint = &calligraphy.Blueprint{RuntimeClass: drawName(t), Default: drawID(t),
		Parents: drawLinks(t), Contributing: drawLinks(t),
		Members: many(t, 5, func() calligraphy.Member { return drawMember(t) })}
}

// drawLinks returns nil for none, as the inspector does.
func drawLinks(t *rapid.T) []calligraphy.Link {
	links := many(t, 3, func() calligraphy.Link {
		return calligraphy.Link{Blueprint: drawID(t), Copies: rapid.Uint8().Draw(t, "copies")}
	})
	if len(links) == 0 {
		return nil
	}
	return links
}

func drawMember(t *rapid.T) calligraphy.Member {
	m := calligraphy.Member{ID: drawID(t), Name: drawName(t), Type: rapid.SampledFrom([]byte("ABCDLPRST")).Draw(t, "type"),
		Structure: rapid.SampledFrom([]byte("SL")).Draw(t, "structure")}
	if bytes.IndexByte([]byte("ACPR"), m.Type) >= 0 {
		m.Subtype = drawID(t)
	}
	return m
}

// drawTree returns a body with at most depth levels of bodies in it. Slices are
// nil when empty, as treeOf makes them.
func drawTree(t *rapid.T, depth int) tree {
	out := tree{Flags: rapid.Uint8Range(0, 7).Draw(t, "flags")}
	if out.Flags&1 != 0 {
		out.Parent = drawID(t)
	}
	if out.Flags&2 != 0 {
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			out.Groups = append(out.Groups, treeGroup{Blueprint: drawID(t), Copy: rapid.Uint8().Draw(t, "copy"),
				Simple: drawFields(t, depth, 1, 1), Lists: drawFields(t, depth, 0, 3)})
		}
	}
	return out
}

func drawFields(t *rapid.T, depth, least, most int) []treeField {
	var out []treeField
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		f := treeField{ID: drawID(t), Type: rapid.SampledFrom([]byte("ABCDLPRST")).Draw(t, "type")}
		if depth == 0 && f.Type == 'R' {
			f.Type = 'L'
		}
		for range rapid.IntRange(least, most).Draw(t, "values") {
			if f.Type == 'R' {
				f.Bodies = append(f.Bodies, drawTree(t, depth-1))
			} else {
				f.Values = append(f.Values, drawID(t))
			}
		}
		out = append(out, f)
	}
	return out
}

// checkFacts verifies what the documentation of the facts promises of any of
// them, damaged files included.
func checkFacts(f *codecs.Facts) error {
	for _, r := range f.Refs {
		if r.ID.Lo == 0 || r.ID.Bits != 64 || r.Space == "" || r.Kind == "" {
			return fmt.Errorf("reference %+v", r)
		}
	}
	for _, s := range f.Defines() {
		if s.ID.Lo == 0 || s.ID.Bits != 64 || s.Space == "" || s.Name != "" {
			return fmt.Errorf("symbol %+v", s)
		}
	}
	if p := f.Detail.(*calligraphy.Facts).Prototype; p != nil {
		return checkPrototype(p)
	}
	return nil
}

func checkPrototype(p *calligraphy.Prototype) error {
	for i, g := range p.Groups {
		if int(g.Body) >= len(p.Bodies) {
			return fmt.Errorf("group %d is in body %d of %d", i, g.Body, len(p.Bodies))
		}
	}
	owned := 0
	for i, f := range p.Fields {
		if int(f.Group) >= len(p.Groups) || int(f.First)+int(f.Count) > len(p.Values) {
			return fmt.Errorf("field %d: %+v", i, f)
		}
		if f.Type != 'R' {
			continue
		}
		for slot := f.First; slot < f.First+int32(f.Count); slot++ {
			owned++
			if b := p.Values[slot]; b >= uint64(len(p.Bodies)) || p.Bodies[b].Owner != slot {
				return fmt.Errorf("value %d embeds body %d", slot, b)
			}
		}
	}
	if len(p.Bodies) > 0 && (p.Bodies[0].Owner != -1 || owned != len(p.Bodies)-1) {
		return fmt.Errorf("%d of %d bodies are embedded", owned, len(p.Bodies))
	}
	return nil
}
