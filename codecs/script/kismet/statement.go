package kismet

import (
	"pakdb/codecs/family/unreal"
	"pakdb/codecs/script"
)

// disassembler reads one script.
type disassembler struct {
	operands
	code  *script.Code
	fn    *script.Function
	depth int
	stub  *stub  // the call of the ubergraph, when there is one
	name  string // of the function
}

// stub is how an event enters the ubergraph.
type stub struct {
	graph unreal.ObjectRef // 0: by name
	name  string
	at    uint32
}

// disassemble reads the whole script.
func (r *disassembler) disassemble() {
	for r.ok() && r.in.Len() > 0 {
		r.code.Begin(r.memory(), r.peek())
		flow, target := r.statement()
		r.code.End(flow, target)
	}
}

// statement reads one top-level expression.
func (r *disassembler) statement() (flow script.Flow, target uint32) {
	token := r.peek()
	switch token {
	case 0x04: // return
		r.token()
		r.code.Str("return")
		if r.peek() == 0x0B {
			r.token()
			return script.Return, 0
		}
		r.code.Str(" ")
		r.expression(false)
		return script.Stop, 0
	case 0x06: // jump
		r.token()
		return script.Jump, r.in.U32()
	case 0x07: // jump if not
		r.token()
		to := r.in.U32()
		r.condition(script.Branch)
		r.code.Str("goto ")
		r.code.Label(to)
		return script.Next, to
	case 0x4C: // push the flow of execution
		r.token()
		r.code.Str("push ")
		to := r.in.U32()
		r.code.Label(to)
		r.code.Steer(script.Push, r.code.Len())
		return script.Next, to
	case 0x4D:
		r.token()
		r.code.Str("pop")
		r.code.Steer(script.Pop, r.code.Len())
		return script.Stop, 0
	case 0x4E: // computed jump
		return r.computedJump(), 0
	case 0x4F:
		r.token()
		r.condition(script.PopUnless)
		r.code.Str("pop")
		return script.Next, 0
	case 0x0B, 0x50, 0x5A, 0x5E, 0x15, 0x4A: // nothing, break and trace points
		r.token()
		return script.Silent, 0
	case 0x6A:
		r.token()
		r.instrumentation()
		return script.Silent, 0
	case 0x53:
		r.token()
		return script.Leave, 0
	}
	r.expression(false)
	return script.Next, 0
}

// computedJump reads what begins an ubergraph: a jump to where the caller says.
// It is shown where no event is known.
func (r *disassembler) computedJump() script.Flow {
	r.token()
	r.code.Str("goto [")
	r.expression(false)
	r.code.Str("]")
	return script.Stop
}

func (r *disassembler) condition(control script.Control) {
	r.code.Str("if !(")
	from := r.code.Len()
	r.expression(false)
	r.code.Steer(control, from)
	r.code.Str(") ")
}

// token reads the token that peek returned.
func (r *disassembler) token() {
	r.last = r.in.U8()
	r.fn.Tokens++
}

func (r *disassembler) instrumentation() {
	if r.in.U8() == 4 { // an inline event has a name
		r.fname()
	}
}
