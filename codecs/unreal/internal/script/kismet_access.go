package script

import "strings"

// access reads what reaches through an object, a struct, an array or a cast.
func (r *kismetDisassembler) access(token byte) bool {
	switch token {
	case 0x19, 0x1A, 0x12:
		r.context()
	case 0x42: // member of a struct
		p := r.property()
		r.expression(false)
		r.code.Str(".")
		r.show(p)
	case 0x6B: // element of an array
		r.expression(false)
		r.code.Str("[")
		r.expression(false)
		r.code.Str("]")
	case 0x51, 0x6D: // through an interface; paths of fields
		r.expression(false)
	case 0x67:
		before := len(r.fn.Strings)
		r.expression(false)
		if n := len(r.fn.Strings); n == before+1 {
			r.fn.Soft = append(r.fn.Soft, r.fn.Strings[before])
			r.fn.Strings = r.fn.Strings[:before]
		}
	case 0x13:
		r.castTo("class")
	case 0x2E:
		r.castTo("cast")
	case 0x52:
		r.castTo("tointerface")
	case 0x54:
		r.castTo("crossinterface")
	case 0x55:
		r.castTo("fromobject")
	case 0x38:
		r.code.Str(r.lay.cast(r.in.U8()))
		r.inParentheses()
	case 0x69:
		r.choice()
	default:
		return r.rare(token)
	}
	return true
}

// rare reads what no file at hand has.
func (r *kismetDisassembler) rare(token byte) bool {
	switch token {
	case 0x09:
		r.in.Skip(3)
		r.code.Str("assert")
		r.inParentheses()
	case 0x18: // skip
		r.in.U32()
		r.expression(false)
	case 0x70: // a transaction
		r.in.I32()
		r.in.U32()
		r.code.Str("transact {")
		r.until(0x71)
		r.in.I32()
		r.in.U8()
		r.code.Str("}")
	case 0x72:
		r.code.Str("abort if !")
		r.inParentheses()
	case 0x73:
		r.code.Str("abort")
	default:
		return false
	}
	return true
}

func (r *kismetDisassembler) castTo(verb string) {
	r.code.Str(verb)
	r.code.Str("<")
	r.code.Str(r.names.Bare(r.ref()))
	r.code.Str(">")
	r.inParentheses()
}

// context reads a member of an object. Its skip is the size of the member in
// memory. A static function of a library names its library anyway: the object,
// the library's default, is dropped.
func (r *kismetDisassembler) context() {
	at, from := r.in.Pos(), r.code.Len()
	library := r.peek() == 0x20
	r.expression(false)
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
	if library && next == 0x1C {
		r.expression(false)
	} else {
		r.expression(true)
	}
	if r.memory()-before != skip {
		r.fail(at, errSkip)
	}
}

// choice reads a switch: each case states where the next one begins.
func (r *kismetDisassembler) choice() {
	at := r.in.Pos()
	n, end := r.in.U16(), r.in.U32()
	r.code.Str("switch(")
	r.expression(false)
	r.code.Str("){")
	for range n {
		r.expression(false)
		next := r.in.U32()
		r.code.Str(": ")
		r.expression(false)
		r.code.Str(", ")
		if !r.ok() {
			return
		}
		if r.memory() != next {
			r.fail(at, errSkip)
		}
	}
	r.code.Str("default: ")
	r.expression(false)
	r.code.Str("}")
	if r.memory() != end {
		r.fail(at, errSkip)
	}
}
