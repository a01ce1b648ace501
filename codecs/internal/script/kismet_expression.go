package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// kismetForms are the tokens whose operands follow each other as they are shown. Beside the
// verbs that all forms have: v is a property, - one that is not shown, q, Q and F are an i64,
// a u64 and an f64, r is a part of a vector, L a label, l expressions between commas and m
// pairs of them, up to the token that ends them.
var kismetForms = [256]form{
	0x00: {text: "%v"}, 0x48: {text: "%v"}, // local, local out parameter
	0x02: {text: "default.%v"}, 0x6C: {text: "sparse.%v"}, 0x33: {text: "property %v"},

	// Assignments, and operations on delegates.
	0x0F: {text: "%-%e = %e"}, 0x14: {text: "%e = %e"}, 0x5F: {text: "%e = %e"}, 0x60: {text: "%e = %e"}, 0x43: {text: "%e = %e"}, 0x44: {text: "%e = %e"},
	0x64: {text: "frame.%v = %e"}, // a variable of the ubergraph's frame
	0x5C: {text: "%e += %e"}, 0x62: {text: "%e -= %e"}, 0x5D: {text: "%e.clear()"},
	0x39: {"%e = set[%4%l]", 0x3A}, 0x3B: {"%e = map[%4%m]", 0x3C},

	// Through arrays, interfaces, paths of fields and casts.
	0x6B: {text: "%e[%e]"}, 0x51: {text: "%e"}, 0x6D: {text: "%e"},
	0x13: {text: "class<%o>(%e)"}, 0x2E: {text: "cast<%o>(%e)"}, 0x52: {text: "tointerface<%o>(%e)"}, 0x54: {text: "crossinterface<%o>(%e)"}, 0x55: {text: "fromobject<%o>(%e)"},

	// No file at hand has these.
	0x09: {text: "%1%2assert(%e)"}, 0x18: {text: "%4%e"}, 0x70: {"%4%4transact {%l%4%1}", 0x71}, 0x72: {text: "abort if !(%e)"}, 0x73: {text: "abort"},

	// Values.
	0x0B: {text: "nothing"}, 0x17: {text: "self"}, 0x27: {text: "true"}, 0x28: {text: "false"}, 0x2A: {text: "null"}, 0x2D: {text: "null"},
	0x21: {text: "'%n'"}, 0x4B: {text: "%n"}, 0x5B: {text: "resume %L"}, 0x11: {text: "bit(%v, %B)"},
	0x25: {text: "0"}, 0x26: {text: "1"}, 0x0C: {text: "%d"}, 0x1D: {text: "%d"}, 0x24: {text: "%B"}, 0x2C: {text: "%B"},
	0x35: {text: "%q"}, 0x36: {text: "%Q"}, 0x1E: {text: "%f"}, 0x37: {text: "%F"}, 0x1F: {text: "%s"}, 0x34: {text: "%S"},
	0x22: {text: "rotator(%r, %r, %r)"}, 0x23: {text: "vector(%r, %r, %r)"}, 0x41: {text: "vector3f(%f, %f, %f)"},
	0x2B: {text: "transform(%r, %r, %r, %r, %r, %r, %r, %r, %r, %r)"},
	0x2F: {"%o%4{%l}", 0x30}, 0x65: {"%-%4[%l]", 0x66}, 0x3D: {"%-%4set[%l]", 0x3E}, 0x3F: {"%-%-%4map[%m]", 0x40},
}

// verb reads and writes what only forms of UE4 and UE5 have.
func (r *kismetDisassembler) verb(verb, end byte) {
	switch verb {
	case 'v':
		r.variable(r.property())
	case '-':
		r.property()
	case 'n':
		r.plainName(r.fname())
	case 'q':
		r.code.Int(r.in.I64())
	case 'Q':
		r.code.Uint(r.in.U64())
	case 'F':
		r.code.Float(r.in.F64(), 64)
	case 'r':
		if r.lay.wide {
			r.code.Float(r.in.F64(), 64)
		} else {
			r.code.Float(float64(r.in.F32()), 32)
		}
	case 'L':
		r.code.Label(r.in.U32())
	case 'l':
		r.until(end, "%e")
	case 'm':
		r.until(end, "%e: %e")
	}
}

// until reads items up to a token, separated by commas.
func (r *kismetDisassembler) until(end byte, item string) {
	for first := true; r.ok(); first = false {
		if r.peek() == end {
			r.token()
			return
		}
		if !first {
			r.code.Str(", ")
		}
		r.show(r, form{text: item})
	}
}

// expression reads one expression. member: it is after an object and a dot.
func (r *kismetDisassembler) expression(member bool) {
	defer r.leave()
	at := r.in.Pos()
	if !r.enter() {
		return
	}
	token := r.last
	if f := kismetForms[token]; f.text != "" {
		r.show(r, f)
		return
	}
	switch token {
	case 0x01:
		if !member {
			r.code.Str("self.")
		}
		r.variable(r.property())
	case 0x61: // bind
		name, number := r.fname()
		r.show(r, form{text: "%e = delegate(%e, "})
		r.plainName(name, number)
		r.code.Str(")")
	case 0x31: // array
		if r.lay.setArrayRef {
			r.object()
			r.code.Str("array")
		} else {
			r.expression(false)
		}
		r.show(r, form{" = [%l]", 0x32})
	case 0x1B, 0x45: // call by name
		name, number := r.fname()
		r.byName(name, number, member)
	case 0x1C, 0x46, 0x68:
		r.bound(token, r.object(), member)
	case 0x63: // broadcast; the signature says no more than the delegate
		r.object()
		r.called(Delegate, "broadcast")
		r.code.Str("broadcast ")
		r.expression(false)
		r.arguments()
	case 0x19, 0x1A, 0x12:
		r.context()
	case 0x42: // member of a struct
		p := r.property()
		r.expression(false)
		r.code.Str(".")
		r.variable(p)
	case 0x67:
		before := len(r.fn.Strings)
		r.expression(false)
		if n := len(r.fn.Strings); n == before+1 {
			r.fn.Soft = append(r.fn.Soft, r.fn.Strings[before])
			r.fn.Strings = r.fn.Strings[:before]
		}
	case 0x38:
		r.code.Str(r.lay.cast(r.in.U8()))
		r.show(r, form{text: "(%e)"})
	case 0x69:
		r.choice()
	case 0x20:
		r.code.Str(r.names.Path(r.constant()))
	case 0x29:
		r.localized(at)
	default:
		r.fail(at, errToken)
	}
}

// constant reads an object that the code names.
func (r *kismetDisassembler) constant() unreal.ObjectRef {
	o := r.object()
	if o != 0 {
		r.fn.Refs = append(r.fn.Refs, o)
	}
	return o
}

func (r *kismetDisassembler) plainName(name string, number int32) {
	r.code.Str(name)
	if number != 0 {
		r.code.Str("_")
		r.code.Int(int64(number) - 1)
	}
}

// variable writes the name of a property.
func (r *kismetDisassembler) variable(p property) {
	r.named = variable{p.name, uint32(p.number)}
	r.code.Str(p.outer)
	r.code.Variable(p.name, p.number)
}

func (r *kismetDisassembler) byName(name string, number int32, member bool) {
	from := r.code.Len()
	if !member {
		r.code.Str("self.")
	}
	at := r.code.Len()
	r.plainName(name, number)
	callee := r.code.Text(at)
	r.called(Virtual, callee)
	if !strings.HasPrefix(name, ubergraph) || !r.enters(from, 0, callee) {
		r.arguments()
	}
}

func (r *kismetDisassembler) bound(token byte, fn unreal.ObjectRef, member bool) {
	from := r.code.Len()
	switch {
	case token == 0x68 || token == 0x1C && !member:
		r.code.Str(r.names.Path(fn))
	case token == 0x46 && !member:
		r.code.Str("self.")
		r.code.Str(r.names.Member(fn, ":"))
	default:
		r.code.Str(r.names.Member(fn, ":"))
	}
	kind := Final
	if token == 0x68 {
		kind = Math
	}
	r.called(kind, r.names.Path(fn))
	if name := r.names.Bare(fn); !strings.HasPrefix(name, ubergraph) || !r.enters(from, fn, name) {
		r.arguments()
	}
}

// enters reads the one argument of a call of the ubergraph, whose text begins at from: where
// an event begins. It reports false, and reads nothing, for other arguments.
func (r *kismetDisassembler) enters(from int, graph unreal.ObjectRef, name string) bool {
	at := r.in.Pos()
	if r.in.Len() < 6 || r.in.U8() != 0x1D {
		r.in.Seek(at)
		return false
	}
	to := r.in.I32()
	closed := r.in.U8() == 0x16
	if closed {
		r.fn.Graph = name
	}
	if !closed || r.lay.raw {
		r.in.Seek(at)
		return false
	}
	r.fn.Tokens += 2
	r.stub = &stub{graph: graph, name: name, at: uint32(to)}
	r.code.Cut(from)
	r.code.Str("ubergraph ")
	r.code.Str(r.name)
	return true
}

func (r *kismetDisassembler) arguments() { r.show(r, form{"(%l)", 0x16}) }

// context reads a member of an object. Its skip is the size of the member in
// memory. A static function of a library names its library anyway: the object,
// the library's default, is dropped.
func (r *kismetDisassembler) context() {
	at, from := r.in.Pos(), r.code.Len()
	library, through := r.peek() == 0x20, r.peek() == 0x51
	r.named = variable{}
	r.expression(false)
	if iface := r.ifaces[r.named]; through && iface != "" {
		r.code.Interface(iface)
	}
	library = library && strings.Contains(r.code.Text(from), "Default__")
	skip := r.in.U32()
	r.property() // what is set when the object is none
	if !r.ok() {
		return
	}
	next := r.peek()
	if library && (next == 0x1C || next == 0x46 || next == 0x68) {
		r.code.Cut(from)
	} else {
		r.code.Str(".")
	}
	before := r.memory()
	r.expression(!library || next != 0x1C)
	if uint32(r.memory()-before) != skip {
		r.fail(at, errSkip)
	}
}

// choice reads a switch: each case states where the next one begins.
func (r *kismetDisassembler) choice() {
	at := r.in.Pos()
	n, end := r.in.U16(), r.in.U32()
	r.show(r, form{text: "switch(%e){"})
	for range n {
		r.expression(false)
		next := r.in.U32()
		r.show(r, form{text: ": %e, "})
		if !r.ok() {
			return
		}
		if uint32(r.memory()) != next {
			r.fail(at, errSkip)
		}
	}
	r.show(r, form{text: "default: %e}"})
	if uint32(r.memory()) != end {
		r.fail(at, errSkip)
	}
}

// localized reads a text: where it is found, and what it is if it is not.
func (r *kismetDisassembler) localized(at int) {
	kind := r.in.U8()
	notes := r.lay.notes && kind == 2 // 5.8 put "localized with notes" at 2
	if r.lay.notes && kind > 2 {
		kind--
	}
	switch {
	case kind == 0:
		r.code.Str(`text("")`)
	case kind == 1 || notes:
		r.localizedText(notes)
	case kind == 2:
		r.show(r, form{text: "invtext(%e)"})
	case kind == 3:
		r.show(r, form{text: "text(%e)"})
	case kind == 4:
		r.constant()
		r.show(r, form{text: "tabletext(%e, %e)"})
	default:
		r.fail(at, errToken)
	}
}

// localizedText reads source, key and namespace, and writes them the other way
// round: what identifies the text first. From 5.8 on developers' notes may follow.
func (r *kismetDisassembler) localizedText(notes bool) {
	r.code.Str("loctext(")
	from, before := r.code.Len(), len(r.fn.Strings)
	r.expression(false)
	source := r.code.Take(from)
	r.expression(false)
	key := r.code.Take(from)
	r.expression(false)
	r.code.Str(", ")
	r.code.Paste(key)
	r.code.Str(", ")
	r.code.Paste(source)
	if s := r.fn.Strings[before:]; len(s) == 3 {
		r.fn.Texts = append(r.fn.Texts, Text{Namespace: s[2], Key: s[1], Source: s[0]})
		r.fn.Strings = r.fn.Strings[:before]
	}
	if notes {
		r.show(r, form{text: ", %e"})
	}
	r.code.Str(")")
}
