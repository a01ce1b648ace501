package script

import (
	"encoding/binary"
	"unicode/utf16"

	"pakdb/codecs/internal/latin1"
)

// kismetLiterals reads values that the code holds.
type kismetLiterals struct{ *kismetDisassembler }

// constant reads one value.
func (r kismetLiterals) constant(token byte) bool {
	if r.number(token) || r.text(token) || r.container(token) {
		return true
	}
	switch token {
	case 0x0B:
		r.code.Str("nothing")
	case 0x17:
		r.code.Str("self")
	case 0x27:
		r.code.Str("true")
	case 0x28:
		r.code.Str("false")
	case 0x2A, 0x2D:
		r.code.Str("null")
	case 0x20:
		o := r.ref()
		if o != 0 {
			r.fn.Refs = append(r.fn.Refs, o)
		}
		r.code.Str(r.names.Path(o))
	case 0x21:
		r.code.Str("'")
		r.plainName(r.fname())
		r.code.Str("'")
	case 0x4B:
		r.plainName(r.fname())
	case 0x5B:
		r.code.Str("resume ")
		r.code.Label(r.in.U32())
	case 0x11: // a bit field
		p := r.property()
		r.code.Str("bit(")
		r.show(p)
		r.code.Str(", ")
		r.code.Uint(uint64(r.in.U8()))
		r.code.Str(")")
	default:
		return false
	}
	return true
}

func (r kismetLiterals) number(token byte) bool {
	switch token {
	case 0x25:
		r.code.Str("0")
	case 0x26:
		r.code.Str("1")
	case 0x0C, 0x1D:
		r.code.Int(int64(r.in.I32()))
	case 0x24, 0x2C:
		r.code.Uint(uint64(r.in.U8()))
	case 0x35:
		r.code.Int(r.in.I64())
	case 0x36:
		r.code.Uint(r.in.U64())
	case 0x1E:
		r.code.Float(float64(r.in.F32()), 32)
	case 0x37:
		r.code.Float(r.in.F64(), 64)
	case 0x22:
		r.reals("rotator(", 3, r.lay.wide)
	case 0x23:
		r.reals("vector(", 3, r.lay.wide)
	case 0x2B:
		r.reals("transform(", 10, r.lay.wide)
	case 0x41:
		r.reals("vector3f(", 3, false)
	default:
		return false
	}
	return true
}

// reals reads the parts of a vector and its like.
func (r kismetLiterals) reals(name string, n int, wide bool) {
	r.code.Str(name)
	for i := range n {
		if i > 0 {
			r.code.Str(", ")
		}
		if wide {
			r.code.Float(r.in.F64(), 64)
		} else {
			r.code.Float(float64(r.in.F32()), 32)
		}
	}
	r.code.Str(")")
}

func (r kismetLiterals) text(token byte) bool {
	switch token {
	case 0x1F:
		r.str(latin1.Decode(r.in.CString()))
	case 0x34:
		r.str(r.wide())
	case 0x29:
		return r.localized()
	default:
		return false
	}
	return true
}

func (r kismetLiterals) str(s string) {
	r.fn.Strings = append(r.fn.Strings, s)
	r.code.Quote(s)
}

// wide reads UTF-16 up to its NUL.
func (r kismetLiterals) wide() string {
	var units []uint16
	for {
		b := r.in.Bytes(2)
		if b == nil {
			return ""
		}
		u := binary.LittleEndian.Uint16(b)
		if u == 0 {
			return string(utf16.Decode(units))
		}
		units = append(units, u)
	}
}

// localized reads a text: where it is found, and what it is if it is not.
func (r kismetLiterals) localized() bool {
	kind := r.in.U8()
	if r.lay.notes && kind >= 2 { // 5.8 put "localized with notes" at 2
		if kind == 2 {
			r.localizedText(true)
			return true
		}
		kind--
	}
	switch kind {
	case 0:
		r.code.Str(`text("")`)
	case 1:
		r.localizedText(false)
	case 2:
		r.code.Str("invtext")
		r.inParentheses()
	case 3:
		r.code.Str("text")
		r.inParentheses()
	case 4:
		r.code.Str("tabletext(")
		if o := r.ref(); o != 0 {
			r.fn.Refs = append(r.fn.Refs, o)
		}
		r.expression(false)
		r.code.Str(", ")
		r.expression(false)
		r.code.Str(")")
	default:
		return false
	}
	return true
}

// localizedText reads source, key and namespace, and writes them the other way
// round: what identifies the text first. From 5.8 on developers' notes may follow.
func (r kismetLiterals) localizedText(notes bool) {
	r.code.Str("loctext(")
	from, before := r.code.Len(), len(r.fn.Strings)
	r.expression(false)
	source := r.code.Take(from)
	r.expression(false)
	key := r.code.Take(from)
	r.expression(false)
	r.code.Str(", ")
	r.code.Paste(key)
	r.code.Str(", ")
	r.code.Paste(source)
	if s := r.fn.Strings[before:]; len(s) == 3 {
		r.fn.Texts = append(r.fn.Texts, Text{Namespace: s[2], Key: s[1], Source: s[0]})
		r.fn.Strings = r.fn.Strings[:before]
	}
	if notes {
		r.code.Str(", ")
		r.expression(false)
	}
	r.code.Str(")")
}

// container reads structs, arrays, sets and maps.
func (r kismetLiterals) container(token byte) bool {
	switch token {
	case 0x2F:
		r.code.Str(r.names.Bare(r.ref()))
		r.in.I32() // size in memory
		r.code.Str("{")
		r.until(0x30)
		r.code.Str("}")
	case 0x65:
		r.property()
		r.in.I32()
		r.code.Str("[")
		r.until(0x66)
		r.code.Str("]")
	case 0x3D:
		r.property()
		r.in.I32()
		r.code.Str("set[")
		r.until(0x3E)
		r.code.Str("]")
	case 0x3F:
		r.property()
		r.property()
		r.in.I32()
		r.code.Str("map[")
		r.pairs(0x40)
	default:
		return false
	}
	return true
}

// pairs reads keys and values by turns, and closes the map.
func (r kismetLiterals) pairs(end byte) {
	for first := true; r.ok(); first = false {
		if r.peek() == end {
			r.token()
			r.code.Str("]")
			return
		}
		if !first {
			r.code.Str(", ")
		}
		r.expression(false)
		r.code.Str(": ")
		r.expression(false)
	}
}
