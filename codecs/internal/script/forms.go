package script

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"pakdb/codecs"
	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// maxNesting bounds expressions in expressions. The deepest known are below 40.
const maxNesting = 256

// Errors of tokens. What is opaque names one of them, or a size.
var (
	errToken   = errors.New("unknown token")
	errNesting = errors.New("expressions nested too deeply")
)

// tokens reads the code of one function, and counts it on disk and in memory. It is what the
// disassemblers of both instruction sets share. Its first failure stays.
type tokens struct {
	in    *bin.Reader
	start int // of the script
	extra int // how much larger the part read so far is in memory
	names *Names
	last  byte  // token
	err   error // with the offset of the operand
	code  *Code
	fn    *Function
	depth int
}

// memory is the offset in memory of the next byte.
func (t *tokens) memory() int { return t.in.Pos() - t.start + t.extra }

func (t *tokens) ok() bool { return t.err == nil && t.in.Err() == nil }

// fail records an error at an offset of the reader, of the token read last.
func (t *tokens) fail(at int, err error) {
	if t.ok() {
		t.err = fmt.Errorf("token %02x at %d: %w", t.last, at, err)
	}
}

func (t *tokens) failed() error {
	if t.err != nil {
		return t.err
	}
	return t.in.Err()
}

// peek returns the next token, 0x53 (the end) where there is none.
func (t *tokens) peek() byte {
	if t.in.Len() == 0 {
		t.in.U8() // fails
		return 0x53
	}
	at := t.in.Pos()
	b := t.in.U8()
	t.in.Seek(at)
	return b
}

// token reads the token that peek returned.
func (t *tokens) token() {
	t.last = t.in.U8()
	t.fn.Tokens++
}

// sealed returns why a script, which was read to its end, is not what it was read as; nil when
// it is. memory and disk are its sizes, as the file states them; disk is -1 where it does not.
func (t *tokens) sealed(memory, disk int, mayLeadToEnd bool) error {
	if err := cmp.Or(t.failed(), t.names.Err()); err != nil {
		return err
	}
	if got := t.memory(); got != memory {
		return codecs.Errorf(codecs.ErrCorrupt, "script takes %d bytes in memory, the file states %d", got, memory)
	}
	if got := t.in.Pos() - t.start; disk >= 0 && got != disk {
		return codecs.Errorf(codecs.ErrCorrupt, "script takes %d bytes, the file states %d", got, disk)
	}
	if err := t.code.Seal(uint32(memory), mayLeadToEnd); err != nil {
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return nil
}

// enter begins an expression, whose token it reads. It reports false where there is none, or
// it is nested too deeply. Then, too, leave ends it.
func (t *tokens) enter() bool {
	if t.depth++; t.depth > maxNesting {
		t.fail(t.in.Pos(), errNesting)
	}
	if t.ok() {
		t.token()
	}
	return t.ok()
}

func (t *tokens) leave() { t.depth-- }

func (t *tokens) called(kind CallKind, callee string) {
	t.fn.Calls = append(t.fn.Calls, Call{Kind: kind, Callee: callee, Statement: len(t.code.Statements) - 1})
}

func (t *tokens) str(s string) {
	t.fn.Strings = append(t.fn.Strings, s)
	t.code.Quote(s)
}

// wide reads UTF-16 up to its NUL.
func (t *tokens) wide() string {
	var units []uint16
	for {
		u := t.in.U16()
		if u == 0 || t.in.Err() != nil {
			return string(utf16.Decode(units))
		}
		units = append(units, u)
	}
}

// instructions is an instruction set.
type instructions interface {
	expression(member bool)
	object() unreal.ObjectRef
	verb(verb byte, end byte) // what only this set has
}

// form describes the operands of a token, and how they are shown: text, and verbs after a
// percent sign.
//
//	e        an expression
//	o        the name of an object
//	n        a name
//	d, B, f  an i32, a u8, an f32
//	s, S     a text of 8 or 16 bits
//	1, 2, 4  so many bytes, which are not shown
type form struct {
	text string
	end  byte // the token that ends a list
}

// show reads what a form says, and writes its text.
func (t *tokens) show(set instructions, f form) {
	for rest := f.text; ; {
		plain, verbs, more := strings.Cut(rest, "%")
		t.code.Str(plain)
		if !more {
			return
		}
		switch verb := verbs[0]; verb {
		case 'e':
			set.expression(false)
		case 'o':
			t.code.Str(t.names.Bare(set.object()))
		case 'd':
			t.code.Int(int64(t.in.I32()))
		case 'B':
			t.code.Uint(uint64(t.in.U8()))
		case 'f':
			t.code.Float(float64(t.in.F32()), 32)
		case 's':
			t.str(latin1.Decode(t.in.CString()))
		case 'S':
			t.str(t.wide())
		case '1', '2', '4':
			t.in.Skip(int(verb - '0'))
		default:
			set.verb(verb, f.end)
		}
		rest = verbs[1:]
	}
}
