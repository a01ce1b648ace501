package script

import (
	"errors"

	"pakdb/codecs/unreal"
)

// Errors of operands.
var (
	errName = errors.New("name outside the table")
	errRef  = errors.New("reference outside the tables")
	errSkip = errors.New("skip disagrees with the size of what it skips")
)

// kismetOperands reads the operands of tokens.
type kismetOperands struct {
	tokens
	lay *kismetLayout
}

// link notes where the code refers to a table.
func (r *kismetOperands) link(at int, object bool) {
	if r.lay.links && r.code != nil {
		r.fn.Links = append(r.fn.Links, Link{r.fn.At + at, object})
	}
}

// object reads a reference: 4 bytes, 8 in memory.
func (r *kismetOperands) object() unreal.ObjectRef {
	at := r.in.Pos()
	r.link(at, true)
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
	r.link(at, false)
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
		o := r.object()
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
		r.object()
	}
	r.extra = before + 8 - (r.in.Pos() - from)
	return p
}
