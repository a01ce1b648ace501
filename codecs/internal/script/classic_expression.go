package script

import "pakdb/codecs/unreal"

// classicForms are the operations whose operands follow each other as they are shown.
var classicForms = [opCount]form{
	opVariable: {text: "%o"}, opDefault: {text: "default.%o"}, opBoolVariable: {text: "%e"}, opInterfaceContext: {text: "%e"},
	opLine: {text: "%2%e"}, opLet: {text: "%e = %e"},
	opMetaCast: {text: "class<%o>(%e)"}, opDynamicCast: {text: "%o(%e)"}, opInterfaceCast: {text: "%o(%e)"},
	opSkip: {text: "%2%e"}, opConditional: {text: "(%e%2 ? %e%2 : %e)"},
	opDefaultParm: {text: "%2default %e%e"}, // the second is the token that ends a parameter
	opLength:      {text: "%e.Length"}, opResize: {text: "%1%e"},

	opSelf: {text: "self"}, opTrue: {text: "true"}, opFalse: {text: "false"}, opNone: {text: "none"}, opNoDelegate: {text: "none"},
	opZero: {text: "0"}, opOne: {text: "1"}, opInt: {text: "%d"}, opByte: {text: "%B"}, opFloat: {text: "%f"},
	opString: {text: "%s"}, opWideString: {text: "%S"}, opName: {text: "'%n'"}, opInstanceDelegate: {text: "delegate(%n)"},
	opStringRef: {text: "stringref(%d)"}, opRotation: {text: "rot(%d, %d, %d)"}, opVector: {text: "vect(%f, %f, %f)"}, opRange: {text: "range(%f, %f)"},
}

// verb reads and writes a name, the only operand that forms of UE1 to UE3 have for themselves.
func (d *classicDisassembler) verb(_, _ byte) { d.code.Str(d.name()) }

// expression reads one expression. member: it is after an object and a dot.
func (d *classicDisassembler) expression(member bool) {
	defer d.leave()
	at := d.in.Pos()
	if !d.enter() {
		return
	}
	op := d.meaning(d.last)
	if d.source != nil {
		if d.write(op, at, member) {
			return
		}
		defer func() { d.bind, d.enum = 0, nil }()
	}
	if f := classicForms[op]; f.text != "" {
		d.show(d, f)
		return
	}
	switch op {
	case opNothing, opEmptyParm:
	case opEat:
		if d.since(201) {
			d.object()
		} else {
			d.expression(false)
		}
	case opElement: // the index is first
		fixed := d.last == 0x1A
		from := d.code.Len()
		d.expression(false)
		index := d.code.Take(from)
		array := d.meaning(d.peek())
		d.expression(false)
		if fixed && (array == opVariable || array == opDefault || array == opContext) {
			d.arrays = append(d.arrays, d.named)
		}
		d.code.Str("[")
		d.code.Paste(index)
		d.code.Str("]")
	case opEndParm:
		if d.last != 0x15 { // the other ends operands, and is read by them
			d.fail(at, errToken)
		}
	case opContext:
		d.context()
	case opMember:
		field := d.memberOf()
		d.expression(member)
		d.code.Str(".")
		d.code.Str(d.names.Bare(field))
	case opCast:
		at := d.in.Pos()
		name := cast(d.in.U8())
		if name == "" {
			d.fail(at, errToken)
		}
		d.show(d, form{text: name + "(%e)"})
	case opPlainCast:
		d.show(d, form{text: cast(d.last) + "(%e)"})
	case opObject:
		o := d.object()
		if o == 0 {
			d.code.Str("none")
			break
		}
		d.fn.Refs = append(d.fn.Refs, o)
		d.code.Str(d.names.Path(o))
	case opDelegate:
		d.code.Str(d.name())
		if d.r.Version > 610 {
			d.object()
		}
	default:
		if !d.call(op) && !d.compare(op) && !d.array(op) {
			d.fail(at, errToken)
		}
	}
}

// memberOf reads which member of a struct an expression is of.
func (d *classicDisassembler) memberOf() unreal.ObjectRef {
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
	return field
}

// context reads a member of an object. Its skip is the size of the member in
// memory in nearly all packages, so that it is no check.
func (d *classicDisassembler) context() {
	d.expression(false)
	d.contextSkip()
	d.code.Str(".")
	d.expression(true)
}

// contextSkip passes over what is between an object and its member.
func (d *classicDisassembler) contextSkip() {
	d.in.Skip(2)
	if d.since(588) {
		d.object()
	}
	d.size(513)
}
