package script

import (
	"errors"
	"fmt"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// kismetMaxDepth bounds expressions in expressions. The deepest known are below 40.
const kismetMaxDepth = 256

// Errors of operands. What is opaque names one of them, or a size.
var (
	errKismetToken = errors.New("unknown token")
	errKismetDepth = errors.New("expressions nested too deeply")
	errName        = errors.New("name outside the table")
	errRef         = errors.New("reference outside the tables")
	errSkip        = errors.New("skip disagrees with the size of what it skips")
)

// kismetOperands reads what stands behind tokens, and counts it on disk and in memory.
// Its first failure stays.
type kismetOperands struct {
	in    *bin.Reader
	extra int // how much larger the part read so far is in memory
	lay   *kismetLayout
	names *Names
	last  byte  // token
	err   error // with the offset of the operand
}

// memory is the offset in memory of the next byte.
func (r *kismetOperands) memory() uint32 { return uint32(r.in.Pos() + r.extra) }

func (r *kismetOperands) ok() bool { return r.err == nil && r.in.Err() == nil }

// fail records an error at an offset in the script, of the token read last.
func (r *kismetOperands) fail(at int, err error) {
	if r.ok() {
		r.err = fmt.Errorf("token %02x at %d: %w", r.last, at, err)
	}
}

func (r *kismetOperands) failed() error {
	if r.err != nil {
		return r.err
	}
	return r.in.Err()
}

// ref reads an object: 4 bytes, 8 in memory.
func (r *kismetOperands) ref() unreal.ObjectRef {
	at := r.in.Pos()
	o := unreal.ObjectRef(r.in.I32())
	r.extra += 4
	if !r.names.Has(o) {
		r.fail(at, errRef)
		return 0
	}
	return o
}

// fname reads a name: 8 bytes, 12 in memory.
func (r *kismetOperands) fname() (text string, number int32) {
	at := r.in.Pos()
	n := r.lay.name(r.in)
	r.extra += 4
	text, ok := r.names.Name(n.Index)
	if !ok {
		r.fail(at, errName)
	}
	return text, n.Number
}

// property is what a property pointer names.
type property struct {
	name   string
	number int32
	outer  string // of a path of two names
	none   bool
}

// property reads a property pointer: a reference, or a path of names and its
// owner. It takes 8 bytes in memory.
func (r *kismetOperands) property() (p property) {
	from := r.in.Pos()
	before := r.extra
	if !r.lay.fields {
		o := r.ref()
		r.extra = before + 4
		if o == 0 {
			return property{none: true}
		}
		n := r.names.Object(o)
		text, ok := r.names.Name(n.Index)
		if !ok {
			r.fail(from, errName)
		}
		return property{name: text, number: n.Number}
	}
	n := r.in.Count(8)
	p.none = n == 0
	for i := range n {
		text, number := r.fname()
		if !r.ok() {
			return p
		}
		switch i {
		case 0:
			p.name, p.number = text, number
		default: // innermost first
			p.outer = text + "." + p.outer
			if len(p.outer) > 1<<12 {
				r.fail(from, errName)
			}
		}
	}
	if r.lay.owner {
		r.ref()
	}
	r.extra = before + 8 - (r.in.Pos() - from)
	return p
}

// peek returns the next token, 0x53 (the end) where there is none.
func (r *kismetOperands) peek() byte {
	if r.in.Len() == 0 {
		r.in.U8() // fails
		return 0x53
	}
	at := r.in.Pos()
	b := r.in.U8()
	r.in.Seek(at)
	return b
}
