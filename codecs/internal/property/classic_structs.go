package property

import (
	"strings"
	"sync"

	"pakdb/codecs/unreal"
)

// part is a field of a struct that is stored without tags.
type part struct {
	name string
	kind Kind
	of   string // of a Struct
}

// storedStruct is a struct that packages from one version up to another one store without
// tags.
type storedStruct struct {
	from, below int
	parts       []part
}

// storedStructs are they, by name. A struct's own fields are before those that it
// inherits: Plane is W, and then Vector.
var storedStructs = sync.OnceValue(func() map[string][]storedStruct {
	const ue2, ue3, end = 118, 178, 1 << 16
	all := map[string][]storedStruct{}
	for _, row := range []struct {
		from, below int
		name        string
		fields      string // types and their fields; a type that is no kind is a struct
	}{
		{0, end, "Vector", "Float X Y Z"},
		{0, end, "Rotator", "Int Pitch Yaw Roll"},
		{0, 100, "Color", "Byte R G B A"},
		{100, end, "Color", "Byte B G R A"},
		{0, ue2, "Guid", "Int A B C D"},
		{0, ue2, "Plane", "Float W X Y Z"},
		{0, ue2, "Coords", "Vector Origin XAxis YAxis ZAxis"},
		{0, ue2, "Scale", "Vector Scale; Float SheerRate; Byte SheerAxis"},
		{0, ue2, "PointRegion", "Object Zone; Int iLeaf; Byte ZoneNumber"},
		{ue3, end, "Vector2D", "Float X Y"},
		{ue3, end, "Vector4", "Float X Y Z W"},
		{ue3, end, "Quat", "Float X Y Z W"},
		{ue3, end, "Plane", "Float W X Y Z"},
		{ue3, end, "LinearColor", "Float R G B A"},
		{ue3, end, "Box", "Vector Min Max; Byte IsValid"},
		{ue3, end, "Matrix", "Plane XPlane YPlane ZPlane WPlane"},
		{ue3, end, "Guid", "Int A B C D"},
		{ue3, end, "TwoVectors", "Vector v1 v2"},
	} {
		var parts []part
		for fields := range strings.SplitSeq(row.fields, ";") {
			words := strings.Fields(fields)
			kind, of := KindNamed(words[0]+"Property"), ""
			if kind == Unknown {
				kind, of = Struct, words[0]
			}
			for _, name := range words[1:] {
				parts = append(parts, part{name, kind, of})
			}
		}
		all[row.name] = append(all[row.name], storedStruct{row.from, row.below, parts})
	}
	return all
})

// stored returns the parts of a struct that a version stores without tags, nil for
// one that is a list.
func stored(name string, version int) []part {
	for _, s := range storedStructs()[name] {
		if version >= s.from && version < s.below {
			return s.parts
		}
	}
	return nil
}

// structure reads the struct of node i: its parts, or a list.
func (p *classicParser) structure(i int, fields unreal.ObjectRef, tagged bool) {
	if p.depth++; p.depth > classicMaxDepth {
		p.In.Fail(errClassicDepth)
	}
	defer func() { p.depth-- }()
	name := p.o.List.Nodes[i].Type.Name
	parts := stored(name, p.Version)
	switch {
	case parts != nil:
		p.o.List.Nodes[i].Flags |= Binary
		for _, f := range parts {
			p.element(f.name, p.d.types.of(f.kind, f.of), 0)
		}
	case p.Version < 118 && (tagged || name != ""):
		p.o.List.Nodes[i].Flags |= Binary
		p.declaredParts(fields)
	default:
		p.list(i, fields)
	}
}

// declaredParts reads a struct of UE1 as it is declared: its own fields, then what
// it inherits.
func (p *classicParser) declaredParts(owner unreal.ObjectRef) {
	found := false
	for range classicMaxDepth {
		i, ok := owner.Export()
		if !ok || i >= len(p.d.f.Exports) {
			break
		}
		found = true
		for _, f := range p.d.declares(i) {
			p.declaredPart(f)
		}
		owner = p.d.f.Exports[i].Super
	}
	if !found || owner != 0 {
		p.In.Fail(errClassicKind)
	}
}

func (p *classicParser) declaredPart(f declared) {
	if f.typ == nil {
		p.In.Fail(errClassicKind)
		return
	}
	for k := range max(f.count, 1) {
		if p.In.Err() != nil {
			return
		}
		i := p.add(f.name, f.typ)
		p.o.List.Nodes[i].Index = int32(k)
		switch f.typ.Kind {
		case Struct:
			p.structure(i, f.fields, false)
		case Array:
			p.array(i, f.fields)
		default:
			p.plain(i)
		}
		if p.In.Err() == nil {
			p.end(i)
		}
	}
}
