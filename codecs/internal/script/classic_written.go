package script

import (
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// written is what a disassembler needs to know in order to write expressions as people do.
// It is part of a classicDisassembler whose source is set.
type written struct {
	source  *classicSource
	bind    int      // of the expression that was written last: the precedence of its operator, 0 for none
	enum    []string // members of the enum that it has, nil for none
	expect  []string // members of the enum that the next constant is of
	static  bool     // the next expression is after a class
	indexed bool     // an index follows the next variable
	choice  []string // members of the enum of the switch that began last
	cases   map[uint32][]string
}

// caseOf returns the enum of the switch that the case at an offset in memory is of: each case
// states where the next one is.
func (d *classicDisassembler) caseOf(at uint32) []string {
	enum, ok := d.cases[at]
	if !ok {
		enum = d.choice
	}
	d.choice = nil
	return enum
}

// operand writes an expression, in brackets where its operator binds less than limit.
func (d *classicDisassembler) operand(limit int) {
	from := d.code.Len()
	d.expression(false)
	if d.source != nil && d.bind > limit {
		d.bracket(from)
	}
}

func (d *classicDisassembler) bracket(from int) {
	inner := d.code.Take(from)
	d.code.Str("(")
	d.code.Paste(inner)
	d.code.Str(")")
	d.bind = 0
}

// write writes an expression whose token was read as people do. It returns false for one
// that reads as in the normal form.
func (d *classicDisassembler) write(op operation, at int, member bool) bool {
	w := d.written
	d.bind, d.enum, d.expect, d.static, d.indexed = 0, nil, nil, false, false
	switch op {
	case opInstanceDelegate:
		d.code.Str(d.name())
	case opVariable, opDefault:
		d.variable(d.object(), op == opDefault, w.indexed)
	case opSkip, opLine, opBoolVariable, opInterfaceContext:
		if op == opSkip || op == opLine {
			d.in.Skip(2)
		}
		d.expect, d.static, d.indexed = w.expect, w.static, w.indexed
		d.expression(member)
	case opLet:
		d.expression(false)
		enum := d.enum
		d.code.Str(" = ")
		d.expect = enum
		d.expression(false)
		d.bind = choicePrecedence
	case opElement:
		from := d.code.Len()
		d.expression(false)
		index := d.code.Take(from)
		d.indexed = true
		d.expression(false)
		enum := d.enum
		d.code.Str("[")
		d.code.Paste(index)
		d.code.Str("]")
		d.bind, d.enum = 0, enum
	case opContext:
		static := d.last == 0x12
		d.operand(0)
		d.contextSkip()
		d.code.Str(".")
		d.static, d.indexed = static, w.indexed
		d.expression(true)
		d.bind = 0
	case opMember:
		field := d.memberOf()
		d.expression(member)
		d.code.Str(".")
		d.variable(field, false, w.indexed)
	case opCast:
		kind := d.in.U8()
		d.cast(kind, at, w.expect)
	case opPlainCast:
		d.cast(d.last, at, w.expect)
	case opObject:
		r := d.object()
		if r != 0 {
			d.fn.Refs = append(d.fn.Refs, r)
		}
		d.code.Str(Literal(d.names, r))
	case opByte:
		v := d.in.U8()
		if int(v) < len(w.expect) {
			d.code.Str(w.expect[v])
		} else {
			d.code.Uint(uint64(v))
		}
	case opConditional:
		d.operand(choicePrecedence - 1)
		d.in.Skip(2)
		d.code.Str(" ? ")
		d.expect = w.expect
		d.operand(choicePrecedence - 1)
		d.in.Skip(2)
		d.code.Str(" : ")
		d.expect = w.expect
		d.operand(choicePrecedence)
		d.bind = choicePrecedence
	case opStructEqual, opStructUnequal, opEqual, opUnequal:
		if op == opStructEqual || op == opStructUnequal {
			d.object()
		}
		n := notation{"==", infixCall, equalPrecedence}
		if op == opStructUnequal || op == opUnequal {
			n = notation{"!=", infixCall, unequalPrecedence}
		}
		d.between(n)
		if op == opEqual || op == opUnequal {
			d.closing()
		}
	case opInterfaceCast:
		class := d.object()
		if d.meaning(d.peek()) == opNone { // the compiler put the cast there
			d.expression(false)
			break
		}
		d.code.Str(d.names.Bare(class) + "(")
		d.expression(false)
		d.code.Str(")")
		d.bind, d.enum = 0, nil
	case opNew:
		d.creation()
	default:
		return d.writeCall(op, member, w.static)
	}
	return true
}

// variable writes the name of a variable: of one of fixed size without an index, element 0.
func (d *classicDisassembler) variable(r unreal.ObjectRef, isDefault, indexed bool) {
	name := d.names.Bare(r)
	if inner, ok := strings.CutPrefix(name, "__"); ok {
		if delegate, ok := strings.CutSuffix(inner, "__Delegate"); ok {
			name = delegate
		}
	}
	if isDefault {
		d.code.Str("default.")
	}
	d.code.Str(name)
	f := d.source.fieldOf(r)
	if !indexed && (f != nil && f.Count > 1 || f == nil && d.source.arrays[r]) {
		d.code.Str("[0]")
	}
	d.bind, d.enum = 0, d.source.enumOfVariable(r, f)
}

// castByteToInt is the conversion by which code compares bytes.
const castByteToInt = 0x3A

// cast writes a conversion. One that the language makes by itself, and that changes no
// operator, is not shown: of a byte to a number, of a whole constant, of an interface to
// its object, and of what is joined to a string.
func (d *classicDisassembler) cast(kind byte, at int, expect []string) {
	name := cast(kind)
	if name == "" {
		d.fail(at, errToken)
		return
	}
	from := d.code.Len()
	constant := d.meaning(d.peek())
	d.code.Str(name + "(")
	inner := d.code.Len()
	if name == "int" {
		d.expect = expect
	}
	d.expression(false)
	hidden := name == "interface" || kind == castByteToInt
	switch constant {
	case opInt, opZero, opOne, opByte:
		hidden = hidden || name == "int" || name == "float" || name == "byte"
	}
	if hidden {
		text := d.code.Take(inner)
		d.code.Cut(from)
		d.code.Paste(text)
		if name == "float" {
			d.code.Str(".0")
		}
		return
	}
	d.code.Str(")")
	d.bind, d.enum = 0, nil
}

// between writes an operator with what is left and right of it.
func (d *classicDisassembler) between(n notation) {
	from := d.code.Len()
	join := n.name == "$" || n.name == "@"
	d.operand(n.precedence)
	if join {
		d.plainText(from)
	}
	var enum []string
	if n.precedence == equalPrecedence || n.precedence == unequalPrecedence {
		enum = d.enum
	}
	d.code.Str(" " + n.name + " ")
	from = d.code.Len()
	d.expect = enum
	d.operand(n.precedence - 1)
	if join {
		d.plainText(from)
	}
	d.bind, d.enum = n.precedence, nil
}

// plainText drops the conversion to a string of what is joined to one.
func (d *classicDisassembler) plainText(from int) {
	inner, ok := strings.CutPrefix(d.code.Text(from), "string")
	if ok && enclosed(inner) && !strings.Contains(inner, " ") {
		d.code.Cut(from)
		d.code.Str(whole(inner))
	}
}

// creation writes a new object: new(Outer, Name, Flags) Class(Template).
func (d *classicDisassembler) creation() {
	d.code.Str("new")
	from := d.code.Len()
	d.list([]string{"(", ", ", ", "}, ")")
	if d.code.Text(from) == "()" {
		d.code.Cut(from)
	}
	d.code.Str(" ")
	d.expression(false)
	if d.r.Version > 300 {
		from := d.code.Len()
		d.list([]string{"("}, ")")
		if d.code.Text(from) == "()" {
			d.code.Cut(from)
		}
	}
	d.bind, d.enum = 0, nil
}

// list writes expressions, each after its text, without those at the end that are none.
func (d *classicDisassembler) list(before []string, end string) {
	last := 0
	for i, text := range before {
		d.code.Str(text)
		if i == 0 {
			last = d.code.Len()
		}
		from := d.code.Len()
		d.expression(false)
		if d.code.Len() > from {
			last = d.code.Len()
		}
	}
	d.code.Cut(last)
	d.code.Str(end)
}

// writeCall writes a call as people do.
func (d *classicDisassembler) writeCall(op operation, member, static bool) bool {
	before := ""
	if static {
		before = "static."
	}
	switch op {
	case opNative:
		number := d.number()
		d.called(Native, "native#"+strconv.Itoa(number))
		n, params := d.source.native(number)
		d.invoke(before, n, params)
	case opFinal:
		fn := d.final()
		n, params := d.source.final(fn)
		if !member && n.form == namedCall {
			before = d.source.super(d.fn.Export, fn)
		}
		d.invoke(before, n, params)
	case opVirtual, opGlobal:
		name := d.virtual(op)
		if op == opGlobal {
			before = "global."
		}
		var params []*Field
		if !member {
			params = d.source.inherited(d.fn.Export, name)
		}
		d.invoke(before, notation{name: name}, params)
	default:
		return false
	}
	return true
}

// invoke writes a call whose function was read, with its operands.
func (d *classicDisassembler) invoke(before string, n notation, params []*Field) {
	switch n.form {
	case prefixCall:
		d.code.Str(n.name)
		from := d.code.Len()
		d.operand(0)
		if strings.HasPrefix(d.code.Text(from), n.name[len(n.name)-1:]) {
			d.bracket(from)
		}
		d.closing()
		d.bind, d.enum = 0, nil
	case postfixCall:
		d.operand(0)
		d.closing()
		d.code.Str(n.name)
		d.bind, d.enum = 0, nil
	case infixCall:
		d.between(n)
		d.closing()
	default:
		d.code.Str(before + n.name)
		d.writeArguments(n.name, params)
	}
}

// writeArguments is arguments without those at the end that are none, and with constants of
// the enums that the parameters are of.
func (d *classicDisassembler) writeArguments(name string, params []*Field) {
	known, engine := engineParameters[strings.ToLower(name)]
	d.code.Str("(")
	last := d.code.Len()
	for i := 0; d.ok(); i++ {
		if d.meaning(d.peek()) == opEndParm && d.peek() == 0x16 {
			d.closing()
			d.code.Cut(last)
			d.code.Str(")")
			break
		}
		if i > 0 {
			d.code.Str(", ")
		}
		from := d.code.Len()
		switch {
		case i < len(params):
			d.expect = d.source.enumOf(params[i])
		case params == nil && engine && known.place == i:
			d.expect = engineEnumOf(known.enum, d.r.Version)
		}
		d.expression(false)
		if d.code.Len() > from {
			last = d.code.Len()
		}
	}
	d.bind, d.enum = 0, nil
	for _, p := range params {
		if p.Flags&FlagReturn != 0 {
			d.enum = d.source.enumOf(p)
		}
	}
}
