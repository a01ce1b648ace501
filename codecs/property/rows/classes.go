package rows

import (
	"strings"

	"pakdb/codecs/property"
)

// declares reports whether the data of a class behind its list says what a class, a
// struct, a function or an enum is made of: that has tables of its own.
func declares(class string) bool {
	switch class {
	case "Class", "ScriptStruct", "UserDefinedStruct", "Enum", "UserDefinedEnum", "Function", "DelegateFunction", "SparseDelegateFunction":
		return true
	}
	return strings.HasSuffix(class, "GeneratedClass")
}

// declared adds what the export declares.
func (m *maker) declared() {
	if s := m.x.Schema; s != nil {
		if s.Super != "" {
			m.exports[m.i].super = m.text(strings.TrimPrefix(s.SuperPath+"."+s.Super, "."))
		}
		for i := range s.Fields {
			f := &s.Fields[i]
			m.fields = append(m.fields, fieldRow{export: m.i, name: m.text(f.Name), typ: m.text(TypeText(f.Type)),
				place: int32(f.Position), count: int32(f.Count), flags: f.Flags})
		}
	}
	if e := m.x.Enum; e != nil {
		for _, member := range e.Members {
			m.members = append(m.members, memberRow{m.i, m.text(member.Name), member.Value})
		}
	}
}

// TypeText renders a type with all that is known of it, so that [ParseType] can make it
// again: "Map<Name,Struct</Script/Engine.Actor>>", "Enum</Game/E.E,Byte>".
func TypeText(t *property.Type) string {
	if t == nil {
		return property.Unknown.String()
	}
	name := strings.TrimPrefix(t.Path+"."+t.Name, ".")
	switch t.Kind {
	case property.Struct, property.Byte:
		if t.Name != "" {
			return t.Kind.String() + "<" + name + ">"
		}
	case property.Enum:
		return t.Kind.String() + "<" + name + "," + TypeText(t.Elem) + ">"
	case property.Array, property.Set, property.Optional:
		return t.Kind.String() + "<" + TypeText(t.Elem) + ">"
	case property.Map:
		return t.Kind.String() + "<" + TypeText(t.Key) + "," + TypeText(t.Elem) + ">"
	}
	return t.Kind.String()
}
