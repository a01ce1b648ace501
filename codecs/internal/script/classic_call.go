package script

import (
	"strings"

	"pakdb/codecs/unreal"
)

// call reads calls of functions.
func (d *classicDisassembler) call(op operation) bool {
	switch op {
	case opNative:
		d.called(Native, d.code.Native(d.number()))
		d.arguments()
	case opVirtual:
		d.code.Str(d.virtual(op))
		d.arguments()
	case opFinal:
		fn := d.final()
		if d.names.Facts.ObjectOf(d.names.Facts.OuterOf(fn)) == d.owner {
			d.code.Str(d.names.Bare(fn))
		} else {
			d.code.Str(d.names.Member(fn, "."))
		}
		d.arguments()
	case opGlobal:
		d.code.Str("global.")
		d.code.Str(d.virtual(op))
		d.arguments()
	case opDelegateCall:
		if d.since(181) {
			d.in.Skip(1)
		}
		d.object()
		name := d.name()
		d.called(Delegate, name)
		d.code.Str(name)
		d.arguments()
	case opNew:
		d.create()
	default:
		return false
	}
	return true
}

// number reads which native function is called: the token says so, or its low half and a byte.
func (d *classicDisassembler) number() int {
	number := int(d.last)
	if number < 0x70 {
		number = (number-0x60)<<8 | int(d.in.U8())
	}
	return number
}

// virtual reads the name of a function that is called.
func (d *classicDisassembler) virtual(op operation) string {
	if op == opVirtual && d.since(178) && !d.since(242) {
		d.in.Skip(1)
	}
	name := d.name()
	d.called(Virtual, name)
	return name
}

// final reads which bound function is called.
func (d *classicDisassembler) final() unreal.ObjectRef {
	fn := d.object()
	d.called(Final, strings.TrimPrefix(d.names.Path(fn), "."))
	return fn
}

// create reads outer, name, flags and class of a new object, and its template.
func (d *classicDisassembler) create() {
	d.show(d, form{text: "new(%e, %e, %e, %e"})
	if d.r.Version > 300 {
		d.show(d, form{text: ", %e"})
	}
	d.code.Str(")")
}

// arguments reads expressions up to the token that ends them.
func (d *classicDisassembler) arguments() {
	d.code.Str("(")
	for first := true; d.ok(); first = false {
		if d.meaning(d.peek()) == opEndParm && d.peek() == 0x16 {
			d.closing()
			d.code.Str(")")
			return
		}
		if !first {
			d.code.Str(", ")
		}
		d.expression(false)
	}
}

// closing reads the token that ends operands, and the debug information that may
// follow it, which belongs to them.
func (d *classicDisassembler) closing() {
	at := d.in.Pos()
	d.token()
	if d.last != 0x16 {
		d.fail(at, errToken)
		return
	}
	if !d.since(95) || d.in.Len() < 14 || d.meaning(d.peek()) != opDebugInfo {
		return
	}
	at = d.in.Pos()
	d.in.Skip(1)
	if d.in.I32() != 100 {
		d.in.Seek(at)
		return
	}
	d.in.Skip(9)
}

// compare reads comparisons that are no native functions.
func (d *classicDisassembler) compare(op operation) bool {
	sign := " == "
	switch op {
	case opStructUnequal, opUnequal:
		sign = " != "
	case opStructEqual, opEqual:
	default:
		return false
	}
	if op == opStructEqual || op == opStructUnequal {
		d.object()
	}
	d.show(d, form{text: "(%e" + sign + "%e)"})
	if op == opEqual || op == opUnequal {
		d.closing()
	}
	return true
}

// arrayMethods are what is done to arrays, with so many values. From a version on two bytes
// precede the values, and from another one on a token ends them.
var arrayMethods = map[operation]struct {
	name           string
	values         string
	skips, closing int
}{
	opInsert: {"Insert", "%e, %e", never, 649}, opRemove: {"Remove", "%e, %e", never, 649}, opAdd: {"Add", "%e", never, 0},
	opFind: {"Find", "%e", 375, 649}, opFindStruct: {"Find", "%e, %e", 375, 649},
	opAddItem: {"AddItem", "%e", 497, 649}, opRemoveItem: {"RemoveItem", "%e", 497, 649}, opInsertItem: {"InsertItem", "%e, %e", 497, 649}, opSort: {"Sort", "%e", 497, 649},
}

// never is no version of a package of UE1 to UE3.
const never = 1 << 16

// array reads what is done to an array.
func (d *classicDisassembler) array(op operation) bool {
	m, ok := arrayMethods[op]
	if !ok {
		return false
	}
	d.expression(false)
	if d.since(m.skips) {
		d.in.Skip(2)
	}
	d.show(d, form{text: "." + m.name + "(" + m.values + ")"})
	if d.since(m.closing) {
		d.closing()
	}
	return true
}
