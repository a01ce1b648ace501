package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// kismetWords are what flags of functions of UE4 and UE5 say that a reader wants to know.
var kismetWords = []word{{0x80000, "protected"}, {0x40000, "private"}, {0x2000, "static"}, {0x10000000, "pure"}, {0x80, "reliable"},
	{0x200000, "server"}, {0x1000000, "client"}, {0x4000, "multicast"}}

// memberWords are what flags of variables of classes say.
var memberWords = []word{{FlagNet, "replicated"}, {0x2000, "transient"}, {0x4000, "config"}}

// AppendKismet appends the code of a package of UE4 or UE5 as people write it: its classes
// with their variables and default values, functions with their signatures, and the events
// of an ubergraph in its place, each with the parameters that the function of its name has.
// The error is that of data.
func AppendKismet(dst []byte, f *unreal.PackageFacts, data func(export int) ([]byte, error), values KismetValues) ([]byte, error) {
	classes, err := kismetClasses(f, data, values)
	if err != nil {
		return dst, err
	}
	works, err := kismetWorks(f, data, KismetOptions{}, classes)
	w := kismetWriter{f: f, names: NewNames(f), writer: writer{dst}, classes: classes, values: values, stubs: map[string]*work{}, entered: map[string]bool{}}
	for _, x := range works {
		if x.stub != nil && x.fn.Err == nil {
			w.stubs[w.keyOf(x.fn.Export, lastOf(x.fn.Path))] = x
		}
	}
	for _, x := range works { // of these the events are in the ubergraph
		if x.fn.Err == nil {
			for _, e := range x.fn.Normal.Entries() {
				w.entered[w.keyOf(x.fn.Export, e.Event)] = true
			}
		}
	}
	for _, x := range works {
		w.function(x)
	}
	for i := range f.Exports {
		if c := classes[unreal.ObjectRef(i+1)]; c != nil && c.err == nil {
			w.begin(c.export)
		}
	}
	return w.dst, err
}

// kismetWriter writes the code of a package.
type kismetWriter struct {
	f     *unreal.PackageFacts
	names *Names
	writer
	classes map[unreal.ObjectRef]*kismetClass // nil: it is written
	values  KismetValues
	class   unreal.ObjectRef // whose functions are being written
	stubs   map[string]*work // functions that enter an ubergraph, by keyOf
	entered map[string]bool  // the events of ubergraphs
}

// keyOf returns what identifies an event of the class that an export lies in.
func (w *kismetWriter) keyOf(export int, event string) string {
	return w.names.Path(w.f.Exports[export].Outer) + ":" + event
}

// head begins a part by itself, below the line of its class.
func (w *kismetWriter) head(export int) {
	outer := w.f.Exports[export].Outer
	if i, ok := outer.Export(); ok && outer != w.class && i < len(w.f.Exports) {
		w.begin(i)
	}
	w.gap()
}

// begin writes what a class declares, but for its functions.
func (w *kismetWriter) begin(export int) {
	w.gap()
	w.class = unreal.ObjectRef(export + 1)
	c := w.classes[w.class]
	text := "class " + w.names.Bare(w.class)
	if super := w.f.Exports[export].Super; super != 0 {
		text += " extends " + w.names.Bare(super)
	}
	if c == nil {
		w.line(0, text)
		return
	}
	delete(w.classes, w.class)
	if len(c.interfaces) > 0 {
		text += " implements " + strings.Join(c.interfaces, ", ")
	}
	w.line(0, text)
	if c.err != nil {
		w.line(0, "// variables: opaque: "+c.err.Error())
		return
	}
	w.variables(c)
}

// variables writes the variables of a class with their default values, and then those of what
// it inherits.
func (w *kismetWriter) variables(c *kismetClass) {
	var values []KismetValue
	var err error
	if at := c.defaultOf(w.f); at >= 0 {
		values, err = w.values.Of(at)
	}
	if err != nil {
		w.line(0, "// default values: opaque: "+err.Error())
	}
	own := map[string]string{}
	for _, v := range values {
		own[strings.ToLower(v.Name)] = v.Text
	}
	delete(own, "ubergraphframe")
	var variables, inherited []string
	for _, f := range c.fields {
		if f.name == "UberGraphFrame" {
			continue
		}
		text := "var " + words(memberWords, f.flags) + f.declaration()
		key := strings.ToLower(f.String())
		if value, ok := own[key]; ok {
			text += " = " + value
			delete(own, key)
		}
		variables = append(variables, text)
	}
	for _, v := range values {
		if _, ok := own[strings.ToLower(v.Name)]; ok {
			inherited = append(inherited, "default "+v.Name+" = "+v.Text)
		}
	}
	w.group(variables)
	w.group(inherited)
}

func (w *kismetWriter) function(x *work) {
	name := lastOf(x.fn.Path)
	if x.stub != nil && w.entered[w.keyOf(x.fn.Export, name)] {
		return
	}
	if x.fn.Err == nil && len(x.fn.Normal.Entries()) > 0 && w.events(x) {
		return
	}
	w.head(x.fn.Export)
	if delegate, ok := strings.CutSuffix(name, "__DelegateSignature"); ok && x.fn.Err == nil {
		w.line(0, signature("delegate ", delegate, x))
		return
	}
	w.line(0, signature("function ", name, x)+" {")
	if x.fn.Err != nil {
		w.line(1, "// opaque: "+x.fn.Err.Error())
	} else {
		body := AppendSource(nil, x.fn.Normal)
		w.locals(x, body)
		w.dst = append(w.dst, body...)
	}
	w.line(0, "}")
}

// events writes those of an ubergraph, and reports false where its flow has no structure.
func (w *kismetWriter) events(x *work) bool {
	form := *x.fn.Normal
	form.aliases = map[variable]string{}
	for _, e := range form.Entries() {
		if stub := w.stubs[w.keyOf(x.fn.Export, e.Event)]; stub != nil {
			stub.parameters(form.aliases)
		}
	}
	t, err := decompile(&form)
	if err != nil {
		return false
	}
	w.head(x.fn.Export)
	p := printer{dst: w.dst, tree: t, head: func(event string) string {
		if stub := w.stubs[w.keyOf(x.fn.Export, event)]; stub != nil {
			return signature("event ", event, stub)
		}
		return "event " + event + "()"
	}}
	p.print()
	w.dst = p.dst
	return true
}

// parameters adds the names that the parameters of an event have, by the variables of the
// ubergraph's frame that receive them.
func (x *work) parameters(names map[variable]string) {
	for i := range x.code.Statements {
		s := &x.code.Statements[i]
		marks := x.code.marks[s.marks:s.marksEnd]
		if s.Token != 0x64 || len(marks) != 1 || marks[0].kind != tempMark {
			continue
		}
		m := marks[0]
		_, value, ok := strings.Cut(string(x.code.text[m.at:s.textEnd]), " = ")
		if ok && !strings.ContainsAny(value, "(.\"") {
			names[variable{string(x.code.text[m.from:m.at]), m.value}] = value
		}
	}
}

// signature returns the declaration of a function.
func signature(kind, name string, x *work) string {
	var params []string
	result := ""
	for _, f := range x.fields {
		switch {
		case f.flags&FlagParameter == 0:
		case f.flags&FlagReturn != 0:
			result = f.typ + " "
		case f.flags&FlagOut != 0 && f.flags&0x2 == 0:
			params = append(params, "out "+f.declaration())
		default:
			params = append(params, f.declaration())
		}
	}
	return words(kismetWords, uint64(x.fn.Flags)) + kind + result + name + "(" + strings.Join(params, ", ") + ")"
}

// locals writes the variables of a function that its text names.
func (w *kismetWriter) locals(x *work, body []byte) {
	from := len(w.dst)
	for _, f := range x.fields {
		if f.flags&FlagParameter == 0 && !Temporary(f.name) && names(string(body), f.String()) {
			w.line(1, "local "+f.declaration())
		}
	}
	if len(w.dst) > from {
		w.line(0, "")
	}
}
