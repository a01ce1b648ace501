package script

import (
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// classicSource knows what a package of UE1 to UE3 declares: names of functions and
// operators, types of variables, members of enums.
type classicSource struct {
	names   *Names
	f       *unreal.PackageFacts
	data    func(export int) ([]byte, error)
	objects map[int]*ClassicObject
	within  map[int][]int                       // by export: those that lie in it
	byName  map[int]map[string]unreal.ObjectRef // by class or state: its functions, in lower case
	fields  map[int]*Field
	natives map[int]*ClassicObject
	arrays  map[unreal.ObjectRef]bool // variables of fixed size of which code names elements
	common  Natives
}

func newClassicSource(f *unreal.PackageFacts, data func(int) ([]byte, error), list []ClassicObject) *classicSource {
	s := &classicSource{names: NewNames(f), f: f, data: data, objects: map[int]*ClassicObject{}, within: map[int][]int{},
		byName: map[int]map[string]unreal.ObjectRef{}, fields: map[int]*Field{},
		natives: map[int]*ClassicObject{}, arrays: map[unreal.ObjectRef]bool{}, common: CommonNatives(f.Version)}
	for i := range f.Exports {
		if outer, ok := f.Exports[i].Outer.Export(); ok {
			s.within[outer] = append(s.within[outer], i)
		}
	}
	for i := range list {
		o := &list[i]
		s.objects[o.Export] = o
		for _, r := range o.arrays {
			s.arrays[r] = true
		}
		if o.Err == nil && o.Native != 0 && s.natives[o.Native] == nil {
			s.natives[o.Native] = o
		}
	}
	return s
}

// fieldOf returns a property, constant or enum of the package, nil for what is none.
func (s *classicSource) fieldOf(r unreal.ObjectRef) *Field {
	i, ok := r.Export()
	if !ok || i >= len(s.f.Exports) {
		return nil
	}
	if f, ok := s.fields[i]; ok {
		return f
	}
	s.fields[i] = nil
	if class := s.f.ClassOf(i); class != "Const" && class != "Enum" && !strings.HasSuffix(class, "Property") {
		return nil
	}
	data, err := s.data(i)
	if err != nil {
		return nil
	}
	f := ReadField(s.f, i, data)
	s.fields[i] = &f
	return &f
}

// declared returns the fields of an owner, in the order of their declaration. They lie in it,
// and each is the next one of another.
func (s *classicSource) declared(owner int) (list []*Field) {
	o := s.objects[owner]
	if o == nil {
		return nil
	}
	at := o.Children
	for range s.within[owner] {
		i, ok := at.Export()
		if !ok || i >= len(s.f.Exports) || s.f.Exports[i].Outer != unreal.ObjectRef(owner+1) {
			break
		}
		if code := s.objects[i]; code != nil {
			at = code.Next
			continue
		}
		f := s.fieldOf(at)
		if f == nil {
			break
		}
		list = append(list, f)
		at = f.Next
	}
	return list
}

// parameters returns those of a function, the returned value among them.
func (s *classicSource) parameters(function int) []*Field {
	return slices.DeleteFunc(s.declared(function), func(f *Field) bool { return f.Flags&FlagParameter == 0 })
}

// returned returns the members of the enum that a function returns, nil for none.
func (s *classicSource) returned(function int) []string {
	for _, p := range s.parameters(function) {
		if p.Flags&FlagReturn != 0 {
			return s.enumOf(p)
		}
	}
	return nil
}

// enumOf returns the members of the enum that a property is of, or its elements; nil for
// none.
func (s *classicSource) enumOf(f *Field) []string {
	if f.Kind == unreal.OldArray {
		if f = s.fieldOf(f.Of); f == nil {
			return nil
		}
	}
	if f.Kind != unreal.OldByte || f.Of == 0 {
		return nil
	}
	if e := s.fieldOf(f.Of); e != nil {
		return e.Members
	}
	if _, ok := f.Of.Import(); ok {
		return engineEnumOf(s.f.ObjectOf(f.Of), s.f.Version)
	}
	return nil
}

// enumOfVariable is enumOf, of one of the package or of the Engine package.
func (s *classicSource) enumOfVariable(r unreal.ObjectRef, f *Field) []string {
	if f != nil {
		return s.enumOf(f)
	}
	name := engineVariables[strings.ToLower(s.names.Member(r, "."))]
	return engineEnumOf(name, s.f.Version)
}

// native returns how calls of a native function are written, and its parameters: nil where
// the package does not declare it.
func (s *classicSource) native(number int) (notation, []*Field) {
	if o := s.natives[number]; o != nil {
		return s.declaration(o)
	}
	if name, ok := s.common[number]; ok {
		return commonNotation(number, name), nil
	}
	return notation{name: "native#" + strconv.Itoa(number)}, nil
}

func (s *classicSource) declaration(o *ClassicObject) (notation, []*Field) {
	params := s.parameters(o.Export)
	operands := len(slices.DeleteFunc(slices.Clone(params), func(f *Field) bool { return f.Flags&FlagReturn != 0 }))
	return o.notation(operands), params
}

// final is native, of a function that code names.
func (s *classicSource) final(fn unreal.ObjectRef) (notation, []*Field) {
	if i, ok := fn.Export(); ok && s.objects[i] != nil {
		return s.declaration(s.objects[i])
	}
	name := s.names.Bare(fn)
	if n, ok := mangledNotation(name); ok {
		return n, nil
	}
	return notation{name: name}, nil
}

// ownerOf returns the state or class that an export lies in, 0 for none.
func (s *classicSource) ownerOf(r unreal.ObjectRef) unreal.ObjectRef {
	r = s.f.OuterOf(r)
	if i, ok := r.Export(); ok && i < len(s.f.Exports) && s.f.ClassOf(i) != "Class" && s.f.ClassOf(i) != "State" {
		return 0
	}
	return r
}

// find returns the function of a name that a class or state of the package declares itself.
func (s *classicSource) find(owner unreal.ObjectRef, name string) unreal.ObjectRef {
	o, ok := owner.Export()
	if !ok {
		return 0
	}
	list, ok := s.byName[o]
	if !ok {
		list = map[string]unreal.ObjectRef{}
		for _, i := range s.within[o] {
			if s.f.ClassOf(i) == "Function" {
				list[strings.ToLower(s.f.ObjectOf(unreal.ObjectRef(i+1)))] = unreal.ObjectRef(i + 1)
			}
		}
		s.byName[o] = list
	}
	return list[strings.ToLower(name)]
}

// above returns what a class or state inherits from, 0 where the package does not say so.
// A state's function is followed by those of its class.
func (s *classicSource) above(owner unreal.ObjectRef) unreal.ObjectRef {
	i, ok := owner.Export()
	if !ok || i >= len(s.f.Exports) {
		return 0
	}
	if super := s.f.Exports[i].Super; super != 0 {
		return super
	}
	if s.f.ClassOf(i) == "State" {
		return s.f.OuterOf(owner)
	}
	return 0
}

// inherited returns the parameters of the function that a name calls from code of an export,
// nil where the package does not declare it.
func (s *classicSource) inherited(code int, name string) []*Field {
	owner := s.scope(code)
	for range unreal.MaxOuters {
		if fn, ok := s.find(owner, name).Export(); ok {
			return s.parameters(fn)
		}
		if owner = s.above(owner); owner == 0 {
			break
		}
	}
	return nil
}

// scope returns the class or state that code lies in, or is.
func (s *classicSource) scope(code int) unreal.ObjectRef {
	self := unreal.ObjectRef(code + 1)
	if s.f.ClassOf(code) != "Function" {
		return self
	}
	return s.ownerOf(self)
}

// super returns the text in front of a call of a bound function by code of an export: "" for
// one of the class itself, or one that nobody may override; else "Super." or, where a
// nearer class has one of that name, "Super(Class).".
func (s *classicSource) super(code int, fn unreal.ObjectRef) string {
	name, owner := s.names.Bare(fn), s.ownerOf(fn)
	if i, ok := fn.Export(); ok && s.objects[i] != nil && s.objects[i].Err == nil && s.objects[i].Flags&flagFinal != 0 {
		return ""
	}
	scope := s.scope(code)
	overridden := s.f.ClassOf(code) == "Function" && strings.EqualFold(s.f.ObjectOf(unreal.ObjectRef(code+1)), name) && owner != scope
	nearer := 0
	for range unreal.MaxOuters {
		if scope == owner || scope == 0 {
			break
		}
		if s.find(scope, name) != 0 {
			overridden = true
			nearer++
		}
		scope = s.above(scope)
	}
	class := s.scope(code)
	for i, ok := class.Export(); ok && s.f.ClassOf(i) == "State"; i, ok = class.Export() {
		class = s.f.OuterOf(class)
	}
	_, exported := fn.Export()
	switch {
	case nearer > 1:
		return "Super(" + s.names.Bare(owner) + ")."
	case overridden, exported && owner != class:
		return "Super."
	}
	return ""
}

// Literal returns a constant that is an object of a package of UE1 to UE3, its class and
// its path: class'Botpack.UDamage', "none" for 0.
func Literal(n *Names, r unreal.ObjectRef) string {
	if r == 0 {
		return "none"
	}
	class := "Class"
	if i, ok := r.Import(); ok && i < len(n.Facts.Imports) {
		class = n.Facts.NameOf(n.Facts.Imports[i].Class)
	}
	if i, ok := r.Export(); ok && i < len(n.Facts.Exports) {
		class = n.Facts.ClassOf(i)
	}
	if class == "Class" {
		class = "class"
	}
	return class + "'" + strings.TrimPrefix(n.Path(r), ".") + "'"
}
