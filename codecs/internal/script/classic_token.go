package script

import "pakdb/codecs/unreal"

// classicDisassembler reads one script.
type classicDisassembler struct {
	classicOperands
	owner  string             // class of the function: its own functions are called by name
	arrays []unreal.ObjectRef // variables of fixed size of which it names elements

	written // of code as people write it; its source is nil for the normal form
}

// newClassicDisassembler returns a disassembler of the script at the reader's place; source
// is nil for the normal form.
func newClassicDisassembler(r *unreal.OldReader, names *Names, fn *Function, source *classicSource) *classicDisassembler {
	return &classicDisassembler{classicOperands: newOperands(r, names, fn), owner: ownerOf(names.Facts, fn.Export),
		written: written{source: source, cases: map[uint32][]string{}}}
}

// disassemble reads statements until the script has its size in memory.
func (d *classicDisassembler) disassemble(memory int) {
	for d.ok() && d.memory() < memory {
		d.code.Begin(uint32(d.memory()), d.peek())
		flow, target := d.statement()
		d.code.End(flow, target)
	}
}

// statement reads one statement.
func (d *classicDisassembler) statement() (flow Flow, target uint32) {
	token := d.peek()
	if !d.ok() {
		return Silent, 0
	}
	switch op := d.meaning(token); op {
	case opJump:
		d.token()
		return Jump, uint32(d.in.U16())
	case opReturn:
		d.token()
		return d.returns(), 0
	case opNothing:
		d.token()
		return Silent, 0
	case opEnd:
		d.token()
		return Leave, 0
	case opDebugInfo:
		d.token()
		d.in.Skip(13)
		return Silent, 0
	case opEat:
		if d.ue3() { // the property that takes the value
			d.token()
			if d.since(201) {
				d.object()
			}
			return Silent, 0
		}
	case opLine:
		d.token()
		d.in.Skip(2)
		return Silent, 0
	default:
		if target, ok := d.control(op); ok {
			return Next, target
		}
	}
	d.expression(false)
	return Next, 0
}

func (d *classicDisassembler) returns() Flow {
	d.code.Str("return")
	if !d.since(62) {
		return Return
	}
	switch d.meaning(d.peek()) {
	case opNothing:
		d.token()
		return Return
	case opReturnNothing: // no value was set
		d.token()
		if d.since(201) {
			d.object()
		}
		return Return
	}
	d.code.Str(" ")
	if d.source != nil {
		d.expect = d.source.returned(d.fn.Export)
	}
	d.expression(false)
	return Stop
}

// control reads what steers the flow.
func (d *classicDisassembler) control(op operation) (target uint32, ok bool) {
	switch op {
	case opJumpIfNot:
		d.token()
		target = uint32(d.in.U16())
		d.code.Str("if !(")
		d.steered(Branch)
		d.code.Str(") goto ")
		d.code.Label(target)
	case opSwitch:
		d.token()
		if d.since(611) {
			d.object()
		}
		d.size(536)
		d.code.Str("switch (")
		d.steered(Choose)
		d.choice = d.enum
		d.code.Str(")")
	case opCase:
		enum := d.caseOf(uint32(d.memory()))
		d.token()
		target = uint32(d.in.U16())
		if target == 0xFFFF {
			d.code.Str("default:")
			d.code.Steer(Default, d.code.Len())
			break
		}
		d.cases[target], d.expect = enum, enum
		d.code.Str("case ")
		d.steered(Case)
		d.code.Str(": else ")
		d.code.Label(target)
	case opStop:
		d.token()
		d.code.Str("stop")
		d.code.Steer(Halt, d.code.Len())
	case opAssert:
		d.token()
		d.in.Skip(2)
		if d.since(200) {
			d.in.Skip(1)
		}
		d.code.Str("assert(")
		d.expression(false)
		d.code.Str(")")
	case opLabels:
		d.token()
		d.labels()
		d.code.Steer(Labels, d.code.Len())
	case opGotoLabel:
		d.token()
		d.code.Str("goto label ")
		d.expression(false)
		d.code.Steer(Halt, d.code.Len())
	case opFilter:
		d.token()
		d.code.Str("in the game goto ")
		d.code.Steer(Branch, d.code.Len())
		target = uint32(d.in.U16())
		d.code.Label(target)
	default:
		return d.iteration(op)
	}
	return target, true
}

// steered reads the operand of a statement that steers the flow.
func (d *classicDisassembler) steered(control Control) {
	from := d.code.Len()
	d.expression(false)
	d.code.Steer(control, from)
}

// iteration reads what walks over objects.
func (d *classicDisassembler) iteration(op operation) (target uint32, ok bool) {
	switch op {
	case opIterator:
		d.token()
		d.code.Str("foreach ")
		d.steered(Each)
		d.code.Str(" until ")
		target = uint32(d.in.U16())
		d.code.Label(target)
	case opArrayIterator:
		d.token()
		d.code.Str("foreach ")
		list := d.code.Len()
		d.expression(false)
		d.code.Str("(")
		d.expression(false)
		indexed := d.in.U8() != 0
		from := d.code.Len()
		d.code.Str(", ")
		d.expression(false)
		if !indexed {
			d.code.Cut(from)
		}
		d.code.Str(")")
		d.code.Steer(Each, list)
		d.code.Str(" until ")
		target = uint32(d.in.U16())
		d.code.Label(target)
	case opIteratorPop:
		d.token()
		d.code.Str("iterator pop")
		d.code.Steer(EachPop, d.code.Len())
	case opIteratorNext:
		d.token()
		d.code.Str("iterator next")
		d.code.Steer(EachNext, d.code.Len())
	default:
		return 0, false
	}
	return target, true
}

// labels reads the table of the labels of a state.
func (d *classicDisassembler) labels() {
	d.code.Str("labels")
	for first := true; d.ok(); first = false {
		name := d.name()
		at := d.in.I32()
		if name == "None" || !d.ok() {
			return
		}
		if !first {
			d.code.Str(",")
		}
		d.code.Str(" ")
		d.code.Str(name)
		d.code.Str("=")
		d.code.Label(uint32(at))
	}
}

// size reads the size of a value, which took two bytes from a version up to 587.
func (d *classicDisassembler) size(from int) {
	if d.since(from) && !d.since(588) {
		d.in.Skip(2)
	} else {
		d.in.Skip(1)
	}
}
