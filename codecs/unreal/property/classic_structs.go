package property

import (
	"strings"

	"pakdb/codecs/unreal"
)

// part is a field of a struct that is stored without tags.
type part struct {
	name string
	kind Kind
	of   string // of a Struct
}

// floats returns parts that are f32.
func floats(names string) (parts []part) {
	for name := range strings.FieldsSeq(names) {
		parts = append(parts, part{name, Float, ""})
	}
	return parts
}

func all(of string, names string) (parts []part) {
	for name := range strings.FieldsSeq(names) {
		parts = append(parts, part{name, Struct, of})
	}
	return parts
}

func numbers(kind Kind, names string) (parts []part) {
	for name := range strings.FieldsSeq(names) {
		parts = append(parts, part{name, kind, ""})
	}
	return parts
}

// stored returns the parts of a struct that a version stores without tags, nil for
// one that is a list. A struct's own fields stand before those that it inherits:
// Plane is W, and then Vector.
func stored(name string, version int) []part {
	switch name {
	case "Vector":
		return floats("X Y Z")
	case "Rotator":
		return numbers(Int, "Pitch Yaw Roll")
	case "Color":
		if version < 100 {
			return numbers(Byte, "R G B A")
		}
		return numbers(Byte, "B G R A")
	}
	switch {
	case version < 118:
		return binaryUE1(name)
	case version >= 178:
		return binaryUE3(name)
	}
	return nil
}

func binaryUE1(name string) []part {
	switch name {
	case "Guid":
		return numbers(Int, "A B C D")
	case "Plane":
		return floats("W X Y Z")
	case "Coords":
		return all("Vector", "Origin XAxis YAxis ZAxis")
	case "Scale":
		return append(all("Vector", "Scale"), part{"SheerRate", Float, ""}, part{"SheerAxis", Byte, ""})
	case "PointRegion":
		return []part{{"Zone", Object, ""}, {"iLeaf", Int, ""}, {"ZoneNumber", Byte, ""}}
	}
	return nil
}

func binaryUE3(name string) []part {
	switch name {
	case "Vector2D":
		return floats("X Y")
	case "Vector4", "Quat":
		return floats("X Y Z W")
	case "Plane":
		return floats("W X Y Z")
	case "LinearColor":
		return floats("R G B A")
	case "Box":
		return append(all("Vector", "Min Max"), part{"IsValid", Byte, ""})
	case "Matrix":
		return all("Plane", "XPlane YPlane ZPlane WPlane")
	case "Guid":
		return numbers(Int, "A B C D")
	case "TwoVectors":
		return all("Vector", "v1 v2")
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
		p.list(fields)
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
