package rows

import (
	"strings"

	"pakdb/codecs/internal/property"
)

// declares reports whether the data of a class after its list says what a class, a
// struct, a function or an enum is made of: that has tables of its own.
func declares(class string) bool {
	switch class = strings.ToLower(class); class {
	case "class", "scriptstruct", "userdefinedstruct", "enum", "userdefinedenum", "function", "delegatefunction", "sparsedelegatefunction":
		return true
	}
	return strings.HasSuffix(class, "generatedclass")
}

// declared adds what the export declares.
func (m *maker) declared() {
	if s := m.x.Schema; s != nil {
		if s.Super != "" {
			m.exports[m.i].super = m.text(joinPath(s.SuperPath, s.Super))
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

// joinPath returns "/Script/Engine.Actor", or the name alone.
func joinPath(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// TypeText renders a type with all that is known of it: "Map<Name,Struct</Script/Engine.Actor>>", "Enum</Game/E.E,Byte>".
func TypeText(t *property.Type) string {
	if t == nil {
		return property.Unknown.String()
	}
	name := joinPath(t.Path, t.Name)
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

// typeName renders a type so that a property has the same one whether its list has tags
// or not: an enum over a byte is an enum, and what is loaded as a plain reference is one.
func typeName(t *property.Type) string {
	if t == nil {
		return property.Unknown.String()
	}
	switch t.Kind {
	case property.Byte:
		if t.Name != "" {
			return property.Enum.String() + "<" + t.Name + ">"
		}
	case property.WeakObject:
		return property.Object.String()
	case property.MulticastInline, property.MulticastSparse:
		return property.MulticastDelegate.String()
	case property.Array, property.Set, property.Optional:
		return t.Kind.String() + "<" + typeName(t.Elem) + ">"
	case property.Map:
		return t.Kind.String() + "<" + typeName(t.Key) + "," + typeName(t.Elem) + ">"
	}
	return strings.Clone(t.String())
}

// member returns the name of a constant without that of its enum, which its type has.
// Tags have it for some enums, and lists without tags do not show for which.
func member(text string) string {
	if i := strings.LastIndex(text, "::"); i >= 0 {
		return text[i+2:]
	}
	return text
}
