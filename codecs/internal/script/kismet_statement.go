package script

import (
	"pakdb/codecs/unreal"
)

// kismetDisassembler reads one script.
type kismetDisassembler struct {
	kismetOperands
	stub   *stub               // the call of the ubergraph, when there is one
	name   string              // of the function
	ifaces map[variable]string // interfaces that variables are of
	named  variable            // read last
}

// stub is how an event enters the ubergraph.
type stub struct {
	graph unreal.ObjectRef // 0: by name
	name  string
	at    uint32
}

// disassemble reads the whole script.
func (r *kismetDisassembler) disassemble() {
	for r.ok() && r.in.Len() > 0 {
		r.code.Begin(uint32(r.memory()), r.peek())
		flow, target := r.statement()
		r.code.End(flow, target)
	}
}

// statement reads one top-level expression.
func (r *kismetDisassembler) statement() (flow Flow, target uint32) {
	token := r.peek()
	switch token {
	case 0x04: // return
		r.token()
		r.code.Str("return")
		if r.peek() == 0x0B {
			r.token()
			return Return, 0
		}
		r.code.Str(" ")
		r.expression(false)
		return Stop, 0
	case 0x06: // jump
		r.token()
		return Jump, r.in.U32()
	case 0x07: // jump if not
		r.token()
		to := r.in.U32()
		r.condition(Branch)
		r.code.Str("goto ")
		r.code.Label(to)
		return Next, to
	case 0x4C: // push the flow of execution
		r.token()
		r.code.Str("push ")
		to := r.in.U32()
		r.code.Label(to)
		r.code.Steer(Push, r.code.Len())
		return Next, to
	case 0x4D:
		r.token()
		r.code.Str("pop")
		r.code.Steer(Pop, r.code.Len())
		return Stop, 0
	case 0x4E: // where the caller says: begins an ubergraph, and is shown where no event is known
		r.token()
		r.show(r, form{text: "goto [%e]"})
		return Stop, 0
	case 0x4F:
		r.token()
		r.condition(PopUnless)
		r.code.Str("pop")
		return Next, 0
	case 0x0B, 0x50, 0x5A, 0x5E, 0x15, 0x4A: // nothing, break and trace points
		r.token()
		return Silent, 0
	case 0x6A:
		r.token()
		if r.in.U8() == 4 { // an inline event has a name
			r.fname()
		}
		return Silent, 0
	case 0x53:
		r.token()
		return Leave, 0
	}
	r.expression(false)
	return Next, 0
}

func (r *kismetDisassembler) condition(control Control) {
	r.code.Str("if !(")
	from := r.code.Len()
	r.expression(false)
	r.code.Steer(control, from)
	r.code.Str(") ")
}
