package script

import (
	"strconv"
	"unicode/utf16"

	"pakdb/codecs/internal/latin1"
)

// expression reads one expression. member: it stands behind an object and a dot.
func (d *classicDisassembler) expression(member bool) {
	if d.depth++; d.depth > classicMaxDepth {
		d.fail(d.in.Pos(), errClassicDepth)
	}
	defer func() { d.depth-- }()
	if !d.ok() {
		return
	}
	at := d.in.Pos()
	d.token()
	op := d.meaning(d.last)
	if !d.ok() || d.variable(op) || d.access(op, member) || (classicLiterals{d}).read(op) || (calls{d}).read(op) {
		return
	}
	d.fail(at, errClassicToken)
}

// variable reads what names a variable, and what sets one.
func (d *classicDisassembler) variable(op operation) bool {
	switch op {
	case opVariable:
		d.code.Str(d.names.Bare(d.object()))
	case opDefault:
		d.code.Str("default.")
		d.code.Str(d.names.Bare(d.object()))
	case opBoolVariable, opInterfaceContext:
		d.expression(false)
	case opEat:
		if d.since(201) {
			d.object()
		} else {
			d.expression(false)
		}
	case opLine:
		d.in.Skip(2)
		d.expression(false)
	case opLet:
		d.expression(false)
		d.code.Str(" = ")
		d.expression(false)
	case opElement: // the index stands first
		from := d.code.Len()
		d.expression(false)
		index := d.code.Take(from)
		d.expression(false)
		d.code.Str("[")
		d.code.Paste(index)
		d.code.Str("]")
	case opNothing, opEmptyParm:
	case opEndParm:
		return d.last == 0x15 // the other ends operands, and is read by them
	default:
		return false
	}
	return true
}

// access reads what reaches through objects, structs and casts.
func (d *classicDisassembler) access(op operation, member bool) bool {
	switch op {
	case opContext:
		d.context()
	case opMember:
		field := d.object()
		if d.since(375) {
			d.object()
		}
		if d.since(381) {
			d.in.Skip(1)
		}
		if d.since(433) {
			d.in.Skip(1)
		}
		d.expression(member)
		d.code.Str(".")
		d.code.Str(d.names.Bare(field))
	case opMetaCast:
		d.code.Str("class<" + d.names.Bare(d.object()) + ">")
		d.inParentheses()
	case opDynamicCast, opInterfaceCast:
		d.code.Str(d.names.Bare(d.object()))
		d.inParentheses()
	case opCast:
		at := d.in.Pos()
		name := cast(d.in.U8())
		if name == "" {
			d.fail(at, errClassicToken)
		}
		d.code.Str(name)
		d.inParentheses()
	case opPlainCast:
		d.code.Str(cast(d.last))
		d.inParentheses()
	case opSkip:
		d.in.Skip(2)
		d.expression(false)
	case opConditional:
		d.code.Str("(")
		d.expression(false)
		d.in.Skip(2)
		d.code.Str(" ? ")
		d.expression(false)
		d.in.Skip(2)
		d.code.Str(" : ")
		d.expression(false)
		d.code.Str(")")
	case opDefaultParm:
		d.in.Skip(2)
		d.code.Str("default ")
		d.expression(false)
		d.expression(false) // the token that ends a parameter
	default:
		return false
	}
	return true
}

func (d *classicDisassembler) inParentheses() {
	d.code.Str("(")
	d.expression(false)
	d.code.Str(")")
}

// context reads a member of an object. Its skip is the size of the member in
// memory in nearly all packages, so that it is no check.
func (d *classicDisassembler) context() {
	d.expression(false)
	d.in.Skip(2)
	if d.since(588) {
		d.object()
	}
	d.size(513)
	d.code.Str(".")
	d.expression(true)
}

// classicLiterals reads values that the code holds.
type classicLiterals struct{ *classicDisassembler }

func (d classicLiterals) read(op operation) bool {
	if d.number(op) {
		return true
	}
	switch op {
	case opSelf:
		d.code.Str("self")
	case opTrue:
		d.code.Str("true")
	case opFalse:
		d.code.Str("false")
	case opNone, opNoDelegate:
		d.code.Str("none")
	case opString:
		d.str(latin1.Decode(d.in.CString()))
	case opWideString:
		d.str(d.wide())
	case opObject:
		o := d.object()
		if o == 0 {
			d.code.Str("none")
			break
		}
		d.fn.Refs = append(d.fn.Refs, o)
		d.code.Str(d.names.Path(o))
	case opName:
		d.code.Str("'")
		d.code.Str(d.name())
		d.code.Str("'")
	case opDelegate:
		d.code.Str(d.name())
		if d.r.Version > 610 {
			d.object()
		}
	case opInstanceDelegate:
		d.code.Str("delegate(")
		d.code.Str(d.name())
		d.code.Str(")")
	default:
		return false
	}
	return true
}

func (d classicLiterals) number(op operation) bool {
	switch op {
	case opZero:
		d.code.Str("0")
	case opOne:
		d.code.Str("1")
	case opInt:
		d.code.Int(int64(d.in.I32()))
	case opByte:
		d.code.Uint(uint64(d.in.U8()))
	case opFloat:
		d.code.Float(float64(d.in.F32()), 32)
	case opStringRef:
		d.code.Str("stringref(" + strconv.Itoa(int(d.in.I32())) + ")")
	case opRotation:
		d.code.Str("rot(")
		d.code.Int(int64(d.in.I32()))
		for range 2 {
			d.code.Str(", ")
			d.code.Int(int64(d.in.I32()))
		}
		d.code.Str(")")
	case opVector:
		d.floats("vect(", 3)
	case opRange:
		d.floats("range(", 2)
	default:
		return false
	}
	return true
}

func (d classicLiterals) floats(name string, n int) {
	d.code.Str(name)
	for i := range n {
		if i > 0 {
			d.code.Str(", ")
		}
		d.code.Float(float64(d.in.F32()), 32)
	}
	d.code.Str(")")
}

func (d classicLiterals) str(s string) {
	d.fn.Strings = append(d.fn.Strings, s)
	d.code.Quote(s)
}

// wide reads UTF-16 up to its NUL.
func (d classicLiterals) wide() string {
	var units []uint16
	for {
		u := d.in.U16()
		if u == 0 || d.in.Err() != nil {
			return string(utf16.Decode(units))
		}
		units = append(units, u)
	}
}
