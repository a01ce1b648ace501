package property

import (
	"math/bits"
	"strings"

	"pakdb/codecs"
)

// Schema is the properties of a class or struct: what an unversioned list is read by.
type Schema struct {
	Name string // "Actor", without the letter that C++ puts before it
	Path string // of the package that declares it: "/Script/Engine"; "" when not known
	// Super is the parent's name, "" for none; SuperPath is as Path.
	Super, SuperPath string
	// Fields are the own properties, in the order of positions.
	Fields []Field
	// Positions is how many positions the own properties take, those without a Field
	// included: the editor's own.
	Positions int
}

// Field is a property of a class or struct.
type Field struct {
	Name     string
	Type     *Type
	Position int // of the first element, among the schema's own
	Count    int // elements of a fixed array; 1 for all others
	Flags    uint64
}

// EnumSchema is the members of an enum.
type EnumSchema struct {
	Name, Path string
	Members    []Member
}

// Member is a constant of an enum.
type Member struct {
	Name  string // without the enum's name
	Value int64
}

// NameOf returns the name of a value, "" when no member has it. A value of several flags
// is "A | B", as tags have it.
func (e *EnumSchema) NameOf(v int64) string {
	// Members are usually numbered by their position.
	if v >= 0 && v < int64(len(e.Members)) && e.Members[v].Value == v {
		return e.Members[v].Name
	}
	for i := range e.Members {
		if e.Members[i].Value == v {
			return e.Members[i].Name
		}
	}
	return e.flags(v)
}

// flags returns the names of the bits of v, lowest first, "" unless each bit is a member.
// Members of an enum of flags have one bit or none, but for the last one, which the engine
// adds.
func (e *EnumSchema) flags(v int64) string {
	var names [64]string
	for _, m := range e.Members {
		switch {
		case m.Value == 0 || strings.HasSuffix(m.Name, "_MAX"):
		case m.Value&(m.Value-1) != 0:
			return ""
		default:
			names[bits.TrailingZeros64(uint64(m.Value))] = m.Name
		}
	}
	text := ""
	for rest := uint64(v); rest != 0; rest &= rest - 1 {
		name := names[bits.TrailingZeros64(rest)]
		if name == "" {
			return ""
		}
		text += " | " + name
	}
	return strings.TrimPrefix(text, " | ")
}

// Schemas knows classes, structs and enums. A path is that of the declaring package,
// "/Script/Engine", or "" where the reader does not know it; then the first one of
// that name is right. Names are compared without case. What is not known is nil.
//
// Implementations are safe for concurrent use.
type Schemas interface {
	Struct(path, name string) *Schema
	Enum(path, name string) *EnumSchema
}

// Library collects schemas, of mappings and of packages. The zero value is empty. Fill
// it first, then read it from as many goroutines as wanted.
type Library struct {
	structs map[string]*Schema
	enums   map[string]*EnumSchema
	base    []Schemas
}

// NewLibrary returns a library that also knows what the given ones know; its own
// schemas come first, then those of base in order.
func NewLibrary(base ...Schemas) *Library {
	return &Library{structs: map[string]*Schema{}, enums: map[string]*EnumSchema{}, base: base}
}

// Add adds a schema, for its path and name, and for its name alone unless that is
// taken.
func (l *Library) Add(s *Schema) { add(&l.structs, s.Path, s.Name, s) }

// AddEnum adds an enum as [Library.Add] adds schemas.
func (l *Library) AddEnum(e *EnumSchema) { add(&l.enums, e.Path, e.Name, e) }

func add[T any](m *map[string]*T, path, name string, v *T) {
	if *m == nil {
		*m = map[string]*T{}
	}
	if path != "" {
		(*m)[schemaKey(path, name)] = v
	}
	if bare := strings.ToLower(name); (*m)[bare] == nil {
		(*m)[bare] = v
	}
}

func schemaKey(path, name string) string { return strings.ToLower(path + "." + name) }

// Struct returns the schema of a class or struct.
func (l *Library) Struct(path, name string) *Schema {
	if s := find(l.structs, path, name); s != nil {
		return s
	}
	for _, b := range l.base {
		if s := b.Struct(path, name); s != nil {
			return s
		}
	}
	return nil
}

// Enum returns the members of an enum.
func (l *Library) Enum(path, name string) *EnumSchema {
	if e := find(l.enums, path, name); e != nil {
		return e
	}
	for _, b := range l.base {
		if e := b.Enum(path, name); e != nil {
			return e
		}
	}
	return nil
}

// find looks for the path first. A bare name answers only where the path is unknown
// on either side: a class of another package is another class.
func find[T any](m map[string]*T, path, name string) *T {
	if path != "" {
		if v := m[schemaKey(path, name)]; v != nil {
			return v
		}
		v := m[strings.ToLower(name)]
		if v != nil && pathOf(v) != "" {
			return nil
		}
		return v
	}
	return m[strings.ToLower(name)]
}

func pathOf(v any) string {
	switch v := v.(type) {
	case *Schema:
		return v.Path
	case *EnumSchema:
		return v.Path
	}
	return ""
}

// slot is what one position of a class with its parents has.
type slot struct {
	field *Field // nil: a property that no value can be read of
	index int32  // element of a fixed array
}

// Bounds of classes: the engine's own have at most some 40 parents and 4,000
// positions.
const (
	maxParents   = 64
	maxPositions = 1 << 16
	maxLaidOut   = 1 << 20 // positions that a decoder remembers, of 16 bytes each
)

// slots lays out a schema with its parents: own positions first, then the parent's.
func slots(schemas Schemas, s *Schema) ([]slot, error) {
	var all []slot
	name := s.Name
	for depth := 0; s != nil; depth++ {
		base := len(all)
		if depth == maxParents || s.Positions < 0 || base+s.Positions > maxPositions {
			return nil, codecs.Errorf(codecs.ErrLimit, "parents of %s: %d with %d positions", name, depth, base+s.Positions)
		}
		all = append(all, make([]slot, s.Positions)...)
		for i := range s.Fields {
			f := &s.Fields[i]
			for k := range f.Count {
				if at := f.Position + k; at >= 0 && at < s.Positions {
					all[base+at] = slot{f, int32(k)}
				}
			}
		}
		if s.Super == "" {
			break
		}
		parent := schemas.Struct(s.SuperPath, s.Super)
		if parent == nil {
			return nil, &NoSchemaError{s.SuperPath, s.Super}
		}
		s = parent
	}
	return all, nil
}

// NoSchemaError says that a list cannot be read because the properties of a class or
// struct are not known. It unwraps to [codecs.ErrNotFound].
type NoSchemaError struct{ Path, Name string }

func (e *NoSchemaError) Error() string { return "no schema for " + e.class() }

// class returns "/Script/Game.Rifle", or the name alone.
func (e *NoSchemaError) class() string { return strings.TrimPrefix(e.Path+"."+e.Name, ".") }

func (e *NoSchemaError) Unwrap() error { return codecs.ErrNotFound }

// fieldNamed returns the type of a property of a class or struct or of its parents,
// nil when it is not known.
func fieldNamed(p *parser, path, owner, name string) *Type {
	for range maxParents {
		s := p.d.schemas.Struct(path, owner)
		if s == nil || !p.toil(1+len(s.Fields)/64) {
			return nil
		}
		for i := range s.Fields {
			if strings.EqualFold(s.Fields[i].Name, name) {
				return s.Fields[i].Type
			}
		}
		path, owner = s.SuperPath, s.Super
	}
	return nil
}
