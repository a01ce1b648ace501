package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// kismetWords are what flags of functions of UE4 and UE5 say that a reader wants to know.
var kismetWords = []word{{0x80000, "protected"}, {0x40000, "private"}, {0x2000, "static"}, {0x10000000, "pure"}, {0x80, "reliable"},
	{0x200000, "server"}, {0x1000000, "client"}, {0x4000, "multicast"}}

// AppendKismet appends the code of a package of UE4 or UE5 as people write it: its functions
// with their signatures, and the events of an ubergraph in its place, each with the
// parameters that the function of its name has. The error is that of data.
func AppendKismet(dst []byte, f *unreal.PackageFacts, data func(export int) ([]byte, error)) ([]byte, error) {
	works, err := kismetWorks(f, data, KismetOptions{})
	w := kismetWriter{f: f, names: NewNames(f), dst: dst, stubs: map[string]*work{}, entered: map[string]bool{}}
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
	return w.dst, err
}

// kismetWriter writes the code of a package.
type kismetWriter struct {
	f       *unreal.PackageFacts
	names   *Names
	dst     []byte
	class   unreal.ObjectRef // whose functions are being written
	stubs   map[string]*work // functions that enter an ubergraph, by keyOf
	entered map[string]bool  // the events of ubergraphs
}

// keyOf returns what identifies an event of the class that an export lies in.
func (w *kismetWriter) keyOf(export int, event string) string {
	return w.names.Path(w.f.Exports[export].Outer) + ":" + event
}

func (w *kismetWriter) line(text string) { w.dst = append(append(w.dst, text...), '\n') }

// head begins a part by itself, below the line of its class.
func (w *kismetWriter) head(export int) {
	if len(w.dst) > 0 {
		w.line("")
	}
	outer := w.f.Exports[export].Outer
	i, ok := outer.Export()
	if outer == w.class || !ok || i >= len(w.f.Exports) {
		return
	}
	w.class = outer
	text := "class " + w.names.Bare(outer)
	if super := w.f.Exports[i].Super; super != 0 {
		text += " extends " + w.names.Bare(super)
	}
	w.line(text)
	w.line("")
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
		w.line(signature("delegate ", delegate, x))
		return
	}
	w.line(signature("function ", name, x) + " {")
	if x.fn.Err != nil {
		w.line("  // opaque: " + x.fn.Err.Error())
	} else {
		body := AppendSource(nil, x.fn.Normal)
		w.locals(x, body)
		w.dst = append(w.dst, body...)
	}
	w.line("}")
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
			params = append(params, "out "+f.typ+" "+f.name)
		default:
			params = append(params, f.typ+" "+f.name)
		}
	}
	return words(kismetWords, uint64(x.fn.Flags)) + kind + result + name + "(" + strings.Join(params, ", ") + ")"
}

// locals writes the variables of a function that its text names.
func (w *kismetWriter) locals(x *work, body []byte) {
	from := len(w.dst)
	for _, f := range x.fields {
		if f.flags&FlagParameter == 0 && !Temporary(f.name) && names(string(body), f.name) {
			w.line("  local " + f.typ + " " + f.name)
		}
	}
	if len(w.dst) > from {
		w.line("")
	}
}
