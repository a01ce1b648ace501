package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// expression reads one expression. member: it stands behind an object and a dot.
func (r *kismetDisassembler) expression(member bool) {
	if r.depth++; r.depth > kismetMaxDepth {
		r.fail(r.in.Pos(), errKismetDepth)
	}
	defer func() { r.depth-- }()
	at := r.in.Pos()
	if !r.ok() {
		return
	}
	r.token()
	token := r.last
	if !r.ok() || r.variable(token, member) || r.assignment(token) || r.call(token, member) || r.access(token) || (kismetLiterals{r}).constant(token) {
		return
	}
	r.fail(at, errKismetToken)
}

// variable reads what names a variable.
func (r *kismetDisassembler) variable(token byte, member bool) bool {
	prefix := ""
	switch token {
	case 0x00, 0x48: // local, local out parameter
	case 0x01:
		if !member {
			prefix = "self."
		}
	case 0x02:
		prefix = "default."
	case 0x6C:
		prefix = "sparse."
	case 0x33:
		prefix = "property "
	default:
		return false
	}
	r.code.Str(prefix)
	r.show(r.property())
	return true
}

// assignment reads what sets a variable, and the operations on delegates.
func (r *kismetDisassembler) assignment(token byte) bool {
	switch token {
	case 0x0F: // let
		r.property()
		r.pair(" = ")
	case 0x14, 0x5F, 0x60, 0x43, 0x44:
		r.pair(" = ")
	case 0x64: // a variable of the ubergraph's frame
		r.code.Str("frame.")
		r.show(r.property())
		r.code.Str(" = ")
		r.expression(false)
	case 0x5C:
		r.pair(" += ")
	case 0x62:
		r.pair(" -= ")
	case 0x5D:
		r.expression(false)
		r.code.Str(".clear()")
	case 0x61: // bind
		name, number := r.fname()
		r.expression(false)
		r.code.Str(" = delegate(")
		r.expression(false)
		r.code.Str(", ")
		r.plainName(name, number)
		r.code.Str(")")
	case 0x31: // array
		if r.lay.setArrayRef {
			r.ref()
			r.code.Str("array")
		} else {
			r.expression(false)
		}
		r.code.Str(" = [")
		r.until(0x32)
		r.code.Str("]")
	case 0x39:
		r.expression(false)
		r.code.Str(" = set[")
		r.in.I32()
		r.until(0x3A)
		r.code.Str("]")
	case 0x3B:
		r.expression(false)
		r.code.Str(" = map[")
		r.in.I32()
		kismetLiterals{r}.pairs(0x3C)
	default:
		return false
	}
	return true
}

func (r *kismetDisassembler) pair(between string) {
	r.expression(false)
	r.code.Str(between)
	r.expression(false)
}

func (r *kismetDisassembler) plainName(name string, number int32) {
	r.code.Str(name)
	if number != 0 {
		r.code.Str("_")
		r.code.Int(int64(number) - 1)
	}
}

// call reads what calls a function.
func (r *kismetDisassembler) call(token byte, member bool) bool {
	switch token {
	case 0x1B, 0x45: // by name
		name, number := r.fname()
		r.byName(name, number, member)
	case 0x1C, 0x46, 0x68:
		r.bound(token, r.ref(), member)
	case 0x63: // broadcast; the signature says no more than the delegate
		r.ref()
		r.called(Delegate, "broadcast")
		r.code.Str("broadcast ")
		r.expression(false)
		r.arguments()
	default:
		return false
	}
	return true
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
	if strings.HasPrefix(name, ubergraph) && r.enters(0, callee) {
		r.code.Cut(from)
		r.code.Str("ubergraph ")
		r.code.Str(r.name)
		return
	}
	r.arguments()
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
	if strings.HasPrefix(r.names.Bare(fn), ubergraph) && r.enters(fn, r.names.Bare(fn)) {
		r.code.Cut(from)
		r.code.Str("ubergraph ")
		r.code.Str(r.name)
		return
	}
	r.arguments()
}

// enters reads the one argument of a call of the ubergraph: where an event
// begins. It reports false, and reads nothing, for other arguments.
func (r *kismetDisassembler) enters(graph unreal.ObjectRef, name string) bool {
	at := r.in.Pos()
	if r.in.Len() < 6 || r.in.U8() != 0x1D {
		r.in.Seek(at)
		return false
	}
	to := r.in.I32()
	if r.in.U8() != 0x16 || r.lay.raw {
		r.in.Seek(at)
		return false
	}
	r.fn.Tokens += 2
	r.stub = &stub{graph: graph, name: name, at: uint32(to)}
	return true
}

func (r *kismetDisassembler) arguments() {
	r.code.Str("(")
	r.until(0x16)
	r.code.Str(")")
}

func (r *kismetDisassembler) called(kind CallKind, callee string) {
	r.fn.Calls = append(r.fn.Calls, Call{Kind: kind, Callee: callee, Statement: len(r.code.Statements) - 1})
}

func (r *kismetDisassembler) inParentheses() {
	r.code.Str("(")
	r.expression(false)
	r.code.Str(")")
}

// show writes the name of a property.
func (r *kismetDisassembler) show(p property) {
	r.code.Str(p.outer)
	r.code.Variable(p.name, p.number)
}

// until reads expressions up to a token, separated by commas.
func (r *kismetDisassembler) until(end byte) {
	for first := true; r.ok(); first = false {
		if r.peek() == end {
			r.token()
			return
		}
		if !first {
			r.code.Str(", ")
		}
		r.expression(false)
	}
}
