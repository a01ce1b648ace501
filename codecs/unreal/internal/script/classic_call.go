package script

// calls reads calls of functions, and what is done to arrays.
type calls struct{ *classicDisassembler }

func (d calls) read(op operation) bool {
	switch op {
	case opNative:
		d.native()
	case opVirtual:
		if d.since(178) && !d.since(242) {
			d.in.Skip(1)
		}
		name := d.name()
		d.called(Virtual, name)
		d.code.Str(name)
		d.arguments()
	case opFinal:
		fn := d.object()
		d.called(Final, d.callee(d.names.Path(fn)))
		if d.names.Facts.ObjectOf(d.names.Facts.OuterOf(fn)) == d.owner {
			d.code.Str(d.names.Bare(fn))
		} else {
			d.code.Str(d.names.Member(fn, "."))
		}
		d.arguments()
	case opGlobal:
		name := d.name()
		d.called(Virtual, name)
		d.code.Str("global.")
		d.code.Str(name)
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
		return d.compare(op) || d.array(op)
	}
	return true
}

// callee drops the dot by which the text marks what is of the package itself.
func (d calls) callee(path string) string {
	if len(path) > 0 && path[0] == '.' {
		return path[1:]
	}
	return path
}

func (d calls) called(kind CallKind, callee string) {
	d.fn.Calls = append(d.fn.Calls, Call{Kind: kind, Callee: callee, Statement: len(d.code.Statements) - 1})
}

// native reads a call by number: in the token, or in its low half and a byte.
func (d calls) native() {
	number := int(d.last)
	if number < 0x70 {
		number = (number-0x60)<<8 | int(d.in.U8())
	}
	d.called(Native, d.code.Native(number))
	d.arguments()
}

// create reads outer, name, flags and class of a new object, and its template.
func (d calls) create() {
	n := 4
	if d.r.Version > 300 {
		n = 5
	}
	d.code.Str("new(")
	for i := range n {
		if i > 0 {
			d.code.Str(", ")
		}
		d.expression(false)
	}
	d.code.Str(")")
}

// arguments reads expressions up to the token that ends them.
func (d calls) arguments() {
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
func (d calls) closing() {
	at := d.in.Pos()
	d.token()
	if d.last != 0x16 {
		d.fail(at, errClassicToken)
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
func (d calls) compare(op operation) bool {
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
	d.code.Str("(")
	d.expression(false)
	d.code.Str(sign)
	d.expression(false)
	d.code.Str(")")
	if op == opEqual || op == opUnequal {
		d.closing()
	}
	return true
}

// array reads what is done to an array.
func (d calls) array(op operation) bool {
	switch op {
	case opLength:
		d.expression(false)
		d.code.Str(".Length")
	case opResize:
		d.in.Skip(1)
		d.expression(false)
	case opInsert:
		d.method("Insert", 2, 0, d.since(649))
	case opRemove:
		d.method("Remove", 2, 0, d.since(649))
	case opAdd:
		d.method("Add", 1, 0, true)
	case opFind:
		d.method("Find", 1, d.skip(375), d.since(649))
	case opFindStruct:
		d.method("Find", 2, d.skip(375), d.since(649))
	case opAddItem:
		d.method("AddItem", 1, d.skip(497), d.since(649))
	case opRemoveItem:
		d.method("RemoveItem", 1, d.skip(497), d.since(649))
	case opInsertItem:
		d.method("InsertItem", 2, d.skip(497), d.since(649))
	case opSort:
		d.method("Sort", 1, d.skip(497), d.since(649))
	default:
		return false
	}
	return true
}

// skip is how many bytes stand between the array and what is done, from a version
// on.
func (d calls) skip(version int) int {
	if d.since(version) {
		return 2
	}
	return 0
}

func (d calls) method(name string, values, skip int, closed bool) {
	d.expression(false)
	d.in.Skip(skip)
	d.code.Str(".")
	d.code.Str(name)
	d.code.Str("(")
	for i := range values {
		if i > 0 {
			d.code.Str(", ")
		}
		d.expression(false)
	}
	d.code.Str(")")
	if closed {
		d.closing()
	}
}
