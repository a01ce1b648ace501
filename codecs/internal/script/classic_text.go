package script

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// word is what a flag adds to a declaration.
type word struct {
	flag uint64
	text string
}

var (
	functionWords = []word{{0x80000, "protected"}, {0x40000, "private"}, {0x10, "preoperator"}, {0x400, "native"}, {0x1, "final"}, {0x4, "iterator"}, {0x8, "latent"},
		{0x20, "singular"}, {0x100, "simulated"}, {0x200, "exec"}, {0x2000, "static"}}
	stateWords = []word{{0x1, ""}, {0x2, "auto"}, {0x4, "simulated"}}
	classWords = []word{{0x1, "abstract"}, {0x8, "transient"}, {0x400, "perobjectconfig"}}
	// variableWords have the same flags in all generations.
	variableWords = []word{{0x2, "const"}, {0x4, "input"}, {0x8, "export"}, {0x1000, "native"}, {0x2000, "transient"},
		{0x4000, "config"}, {0x8000, "localized"}, {0x20000, "editconst"}, {0x40000, "globalconfig"}}
	parameterWords = []word{{FlagOptional, "optional"}, {FlagOut, "out"}, {0x200, "skip"}, {0x800, "coerce"}}
)

// words returns the words of flags, each with a blank after it.
func words(list []word, flags uint64) string {
	var b strings.Builder
	for _, w := range list {
		if flags&w.flag != 0 && w.text != "" {
			b.WriteString(w.text + " ")
		}
	}
	return b.String()
}

// AppendClassic appends the code of a package of UE1 to UE3 as people write it: its classes,
// each with its variables, functions, states, and the default properties that values returns
// of an export; sized has the variables that are arrays of fixed size, in lower case. What
// could not be disassembled has the reason as a comment. The error is that of data.
func AppendClassic(dst []byte, f *unreal.PackageFacts, data func(export int) ([]byte, error), values func(export int, sized map[string]bool) []byte) ([]byte, error) {
	list, err := Classic(f, data)
	if err != nil {
		return dst, err
	}
	w := classicWriter{classicSource: newClassicSource(f, data, list), writer: writer{dst}, values: values}
	for i := range f.Exports {
		switch o := w.objects[i]; {
		case f.ClassOf(i) != "Class":
		case o != nil:
			w.class(o)
		case len(w.codeIn(i)) > 0: // a class that exists in the program only
			w.class(&ClassicObject{Function: Function{Export: i}, name: f.NameOf(f.Exports[i].Name)})
		}
	}
	return w.dst, nil
}

// classicWriter writes the code of a package.
type classicWriter struct {
	*classicSource
	writer
	values func(int, map[string]bool) []byte
}

// class writes a class.
func (w *classicWriter) class(o *ClassicObject) {
	w.gap()
	head := "class " + o.name
	if super := w.f.Exports[o.Export].Super; super != 0 {
		head += " extends " + w.names.Bare(super)
	}
	if o.Within != 0 && !strings.EqualFold(w.names.Bare(o.Within), "Object") {
		head += " within " + w.names.Bare(o.Within)
	}
	head += strings.TrimSuffix(" "+words(classWords, uint64(o.ClassFlags)), " ")
	if o.ClassFlags&0x4 != 0 && o.Config != "" && o.Config != "None" {
		head += " config(" + o.Config + ")"
	}
	w.line(0, head+";")
	if o.Err != nil {
		w.line(0, "// opaque: "+o.Err.Error())
	}
	w.fieldsOf(o.Export)
	w.replication(o)
	for _, code := range w.codeIn(o.Export) {
		w.gap()
		if code.Class == "State" {
			w.state(code)
		} else {
			w.function(code, 0)
		}
	}
	at := o.Export
	if i, ok := o.Default.Export(); ok {
		at = i
	}
	if list := w.values(at, w.sizedIn(o.Export)); len(list) > 0 {
		w.gap()
		w.line(0, "defaultproperties {")
		w.dst = append(w.dst, list...)
		w.line(0, "}")
	}
}

// sizedIn returns the variables of a class, and of those that it inherits from, which are
// arrays of fixed size.
func (w *classicWriter) sizedIn(class int) map[string]bool {
	found := map[string]bool{}
	for at, n := unreal.ObjectRef(class+1), 0; n < unreal.MaxOuters; n++ {
		i, ok := at.Export()
		if !ok || i >= len(w.f.Exports) {
			break
		}
		for _, f := range w.declared(i) {
			if f.Count > 1 {
				found[strings.ToLower(f.Name)] = true
			}
		}
		at = w.f.Exports[i].Super
	}
	return found
}

// codeIn returns the functions and states that lie in an export, in the order of the source.
func (w *classicWriter) codeIn(export int) (list []*ClassicObject) {
	for _, i := range w.within[export] {
		if o := w.objects[i]; o != nil && (o.Class == "Function" || o.Class == "State") {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b *ClassicObject) int { return cmp.Compare(a.Line, b.Line) })
	return list
}

// fieldsOf writes the constants, enums, structs and variables of a class.
func (w *classicWriter) fieldsOf(class int) {
	var constants, enums, variables []string
	for _, f := range w.declared(class) {
		switch text := w.declaration(f); {
		case f.Class == "Const":
			constants = append(constants, text)
		case f.Class == "Enum":
			enums = append(enums, text)
		case !strings.HasPrefix(f.Name, "__"):
			variables = append(variables, text)
		}
	}
	w.group(constants)
	w.group(enums)
	for _, o := range w.structsIn(class) {
		w.gap()
		w.structure(o, 0)
	}
	w.group(variables)
}

// declaration returns the declaration of a constant, an enum, or a variable of a class or
// struct.
func (w *classicWriter) declaration(f *Field) string {
	switch f.Class {
	case "Const":
		return "const " + f.Name + " = " + f.Value + ";"
	case "Enum":
		return "enum " + f.Name + " { " + strings.Join(f.Members, ", ") + " };"
	}
	return w.variable(f)
}

// structsIn returns the structs that lie in an export.
func (w *classicWriter) structsIn(export int) (list []*ClassicObject) {
	for _, i := range slices.Backward(w.within[export]) {
		if o := w.objects[i]; o != nil && (o.Class == "Struct" || o.Class == "ScriptStruct") {
			list = append(list, o)
		}
	}
	return list
}

// maxStructs bounds structs in structs; those of damaged packages may lie in each other.
const maxStructs = 8

func (w *classicWriter) structure(o *ClassicObject, depth int) {
	head := "struct " + o.name
	if super := w.f.Exports[o.Export].Super; super != 0 {
		head += " extends " + w.names.Bare(super)
	}
	w.line(depth, head+" {")
	if o.Err != nil {
		w.line(depth+1, "// opaque: "+o.Err.Error())
	}
	for _, inner := range w.structsIn(o.Export) {
		if depth == maxStructs {
			w.line(depth+1, "// structs in structs")
			break
		}
		w.structure(inner, depth+1)
	}
	for _, f := range w.declared(o.Export) {
		w.line(depth+1, w.declaration(f))
	}
	w.line(depth, "};")
}

// variable returns the declaration of one of a class or struct.
func (w *classicWriter) variable(f *Field) string {
	group := ""
	if f.Flags&1 != 0 {
		group = "()"
		if outer := w.f.OuterOf(unreal.ObjectRef(f.Export + 1)); f.Category != "None" && f.Category != "" && !strings.EqualFold(f.Category, w.names.Bare(outer)) {
			group = "(" + f.Category + ")"
		}
	}
	flags := f.Flags
	if flags&0x40000 != 0 {
		flags &^= 0x4000 // globalconfig says so
	}
	text := "var" + group + " " + w.access(f) + words(variableWords, flags)
	if w.f.Version >= unreal.VerUE3 && flags>>32&1 != 0 {
		text += "repnotify "
	}
	return text + w.typeOf(f) + " " + sized(f) + ";"
}

// access returns whether a variable is protected or private: its object is, since no flag of
// properties says so.
func (w *classicWriter) access(f *Field) string {
	public, protected := uint64(0x4), uint64(0x800)
	if w.f.Version >= 195 { // the old flags are the high ones
		public, protected = 0x4<<32, 0x100
	}
	switch flags := w.f.Exports[f.Export].Flags; {
	case flags&public == 0:
		return "private "
	case flags&protected != 0:
		return "protected "
	}
	return ""
}

// sized returns the name of a variable, with its size where it is an array of fixed size.
func sized(f *Field) string {
	if f.Count > 1 {
		return f.Name + "[" + strconv.Itoa(f.Count) + "]"
	}
	return f.Name
}

// plainTypes are the types that a kind alone names.
var plainTypes = map[unreal.OldKind]string{unreal.OldInt: "int", unreal.OldBool: "bool", unreal.OldFloat: "float", unreal.OldName: "name",
	unreal.OldStr: "string", unreal.OldStringRef: "stringref", unreal.OldByte: "byte"}

// typeOf returns the type of a variable.
func (w *classicWriter) typeOf(f *Field) string {
	of := w.names.Bare(f.Of)
	inner := func(r unreal.ObjectRef) string {
		if e := w.fieldOf(r); e != nil && e.Kind != unreal.OldArray && e.Kind != unreal.OldMap {
			return w.typeOf(e)
		}
		return "?"
	}
	switch {
	case !f.Whole:
		return strings.ToLower(strings.TrimSuffix(f.Class, "Property"))
	case f.Class == "PointerProperty":
		return "pointer"
	case f.Kind == unreal.OldClass:
		if f.Meta == 0 || strings.EqualFold(w.names.Bare(f.Meta), "Object") {
			return "class"
		}
		return "class<" + w.names.Bare(f.Meta) + ">"
	case f.Kind == unreal.OldArray:
		return "array<" + inner(f.Of) + ">"
	case f.Kind == unreal.OldMap:
		return "map<" + inner(f.Of) + ", " + inner(f.Meta) + ">"
	case f.Kind == unreal.OldDelegate && f.Of != 0:
		return "delegate<" + of + ">"
	case f.Kind == unreal.OldDelegate:
		return "delegate"
	case f.Of != 0:
		return of
	}
	return cmp.Or(plainTypes[f.Kind], strings.ToLower(strings.TrimSuffix(f.Class, "Property")))
}

// replication writes the conditions in the script of a class, with the variables and
// functions that each is for.
func (w *classicWriter) replication(class *ClassicObject) {
	if class.Err != nil || class.Memory == 0 {
		return
	}
	code := w.disassemble(class)
	w.gap()
	w.line(0, "replication {")
	defer w.line(0, "}")
	if code.Err != nil {
		w.line(1, "// opaque: "+code.Err.Error())
		return
	}
	names := map[int][]string{}
	for _, f := range w.declared(class.Export) {
		if f.Net >= 0 {
			names[f.Net] = append(names[f.Net], f.Name)
		}
	}
	for _, o := range w.codeIn(class.Export) {
		if o.Class == "Function" && o.Err == nil && o.Flags&flagNetFunction != 0 {
			names[o.Net] = append(names[o.Net], o.name)
		}
	}
	for _, s := range code.Normal.Parts() {
		if s.Text == nil {
			continue
		}
		w.line(1, "if ("+join(s.Text)+")")
		if list := names[int(s.At)]; len(list) > 0 {
			w.line(2, strings.Join(list, ", ")+";")
		}
	}
}

// disassemble reads the code of an object once more, as people write it.
func (w *classicWriter) disassemble(o *ClassicObject) *Function {
	if o.Err != nil || o.Memory == 0 {
		return &o.Function
	}
	data, err := w.data(o.Export)
	if err != nil {
		return &Function{Err: err}
	}
	r := unreal.NewOldReader(w.f, data)
	r.In.Seek(o.At)
	fn := &Function{Export: o.Export, Path: o.Path}
	d := newClassicDisassembler(r, w.names, fn, w.classicSource)
	d.code = NewCode(min(o.Memory, r.In.Len()))
	d.disassemble(o.Memory)
	if fn.Err = d.sealed(o.Memory, o.Disk, true); fn.Err == nil {
		fn.Normal = d.code.InOrder()
	}
	return fn
}

// state writes a state with its functions and its code.
func (w *classicWriter) state(o *ClassicObject) {
	head := words(stateWords, uint64(o.Flags)) + "state"
	if o.Err == nil && o.Flags&1 != 0 {
		head += "()"
	}
	head += " " + o.name
	if super := w.f.Exports[o.Export].Super; super != 0 && !strings.EqualFold(w.names.Bare(super), o.name) {
		head += " extends " + w.names.Bare(super)
	}
	w.line(0, head+" {")
	code := w.codeIn(o.Export)
	if names := o.ignored(w.f.Version); len(names) > 0 {
		w.line(1, "ignores "+strings.Join(names, ", ")+";")
		if len(code) > 0 {
			w.gap()
		}
	}
	for i, fn := range code {
		if i > 0 {
			w.gap()
		}
		w.function(fn, 1)
	}
	if o.Err != nil || o.Statements > 1 { // all others stop at once
		w.body(o, 0)
	}
	w.line(0, "}")
}

// declared reports whether a function was declared without a body.
func (o *ClassicObject) declared() bool {
	return o.Err == nil && o.Flags&flagDefined == 0 && (o.Memory == 0 || o.Normal.empty())
}

// probes are the functions that the engine calls in UE1 and UE2, by their bits.
var probes = map[int]string{6: "Trigger", 7: "UnTrigger", 8: "Timer", 9: "HitWall", 10: "Falling", 11: "Landed",
	13: "Touch", 14: "UnTouch", 15: "Bump", 16: "BeginState", 17: "EndState"}

// ignored returns the functions that a state ignores.
func (o *ClassicObject) ignored(version int) (names []string) {
	for bit := range 64 {
		if o.Err != nil || o.Ignored>>bit&1 != 0 {
			continue
		}
		name, known := probes[bit]
		if !known || version >= unreal.VerUE3 {
			name = "probe#" + strconv.Itoa(bit)
		}
		names = append(names, name)
	}
	return names
}

// function writes a function with its signature.
func (w *classicWriter) function(o *ClassicObject, depth int) {
	fields := w.declared(o.Export)
	var params, locals []*Field
	result := ""
	for _, f := range fields {
		switch {
		case !f.Property():
		case f.Flags&FlagReturn != 0:
			result = w.typeOf(f) + " "
		case f.Flags&FlagParameter != 0:
			params = append(params, f)
		default:
			locals = append(locals, f)
		}
	}
	head := w.modifiers(o) + result + o.notation(len(params)).name + "("
	for i, p := range params {
		if i > 0 {
			head += ", "
		}
		head += words(parameterWords, p.Flags) + w.typeOf(p) + " " + sized(p)
	}
	head += ")"
	if o.declared() {
		w.line(depth, head+";")
		return
	}
	w.line(depth, head+" {")
	from := len(w.dst)
	for _, f := range fields {
		if f.Class == "Const" {
			w.line(depth+1, w.declaration(f))
		}
	}
	for _, f := range locals {
		w.line(depth+1, "local "+w.typeOf(f)+" "+sized(f)+";")
	}
	if len(w.dst) > from {
		w.dst = append(w.dst, '\n')
	}
	w.body(o, depth)
	w.line(depth, "}")
}

// modifiers returns the words in front of a function, and which kind of function it is.
func (w *classicWriter) modifiers(o *ClassicObject) string {
	flags := uint64(o.Flags)
	kind := "function "
	switch {
	case flags&flagPreOperator != 0:
		kind = ""
	case flags&flagOperator != 0:
		kind = fmt.Sprintf("operator(%d) ", o.Precedence)
	case flags&flagDelegate != 0 && w.f.Version >= 100:
		kind = "delegate "
	case flags&0x800 != 0:
		kind = "event "
	}
	text := words(functionWords, flags)
	if o.Native != 0 {
		text = strings.Replace(text, "native ", "native("+strconv.Itoa(o.Native)+") ", 1)
	}
	if w.f.Version >= unreal.VerUE3 {
		switch {
		case flags&0x200000 != 0:
			text += "server "
		case flags&0x1000000 != 0:
			text += "client "
		}
		if flags&0x80 != 0 {
			text += "reliable "
		}
	}
	return text + kind
}

// body writes code in blocks, one level inside of what it is the body of.
func (w *classicWriter) body(o *ClassicObject, depth int) {
	code := w.disassemble(o)
	if code.Err != nil {
		w.line(depth+1, "// opaque: "+code.Err.Error())
		return
	}
	if code.Normal != nil {
		w.dst = appendBlocks(w.dst, code.Normal, depth)
	}
}
