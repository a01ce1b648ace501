package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrText means that the text of a function outgrows its limit: long names,
// referred to very often.
var ErrText = errors.New("text larger than the limit")

// Flow reports how control leaves a statement, and whether the text shows it.
type Flow uint8

// The kinds of [Flow].
const (
	Next   Flow = iota // shown; the statement after it follows
	Silent             // not shown; the statement after it follows
	Jump               // goes on at its target, without a condition
	Stop               // shown; control leaves: return, pop, stop
	Return             // as Stop, without a value: not shown at the end of the text
	Leave              // not shown; control leaves
)

// Control reports how a statement steers the flow beyond its [Flow].
type Control uint8

// The kinds of [Control]. UE4 and UE5 keep a stack of places where pop goes on; UE1 to
// UE3 one of iterators.
const (
	Straight  Control = iota
	Branch            // goes to its target unless its operand holds
	Push              // puts its target on the stack
	Pop               // goes to what lies on top of the stack, and takes it off; returns if it is empty
	PopUnless         // pops unless its operand holds
	Each              // begins a loop of what its operand lists, and goes to its target after the last
	EachNext          // goes on with the next one of the innermost such loop
	EachPop           // ends that
	Choose            // goes to the case that equals its operand
	Case              // of a Choose; where it does not hold, its target is the next one
	Default           // the last one
	Halt              // control leaves, though its Flow is Next
	Labels            // names where control may enter; it is no code
)

// Statement is one statement of a [Code].
type Statement struct {
	At      uint32 // offset in memory: what jumps refer to
	Token   uint8
	Flow    Flow
	Control Control
	Target  uint32 // of a Jump, and of a Control that has one

	text, marks         int32 // first byte, first mark
	textEnd, marksEnd   int32
	operand, operandEnd int32 // in the text; of a Control that has one
}

type markKind uint8

const (
	labelMark     markKind = iota // the label of a target is here
	tempMark                      // the number of a compiler-made variable
	nativeMark                    // a function that is known by its number ends here
	interfaceMark                 // the object of a call by its interface ends here
)

// mark is a place in the text whose bytes depend on the rest of the function.
type mark struct {
	at    int32 // in the text
	kind  markKind
	from  int32  // tempMark, nativeMark: where the name begins
	value uint32 // labelMark: memory offset of the target; tempMark: the name's number; nativeMark: the function's; interfaceMark: its place in ifaces
}

// Code is the statements of one function or state in the order of the file. A
// disassembler writes it from front to back. The zero value is empty; it is not
// safe for concurrent use while it is written.
type Code struct {
	Statements []Statement

	text   []byte
	marks  []mark
	ifaces []string // that calls are made by
	limit  int
	over   bool
}

// maxText bounds the text of one function. The largest known have a few MB.
const (
	maxText       = 16 << 20
	maxStatements = 1 << 19 // of 36 bytes each
)

// NewCode returns an empty Code for size bytes of script. Its text may have 16
// times that and 64 KiB more, and 16 MiB at most, in 524,288 statements; what goes
// beyond is dropped, and [Code.Seal] fails.
func NewCode(size int) *Code {
	return &Code{
		Statements: make([]Statement, 0, min(size, maxText)/32+4), marks: make([]mark, 0, min(size, maxText)/32+4),
		text:  make([]byte, 0, min(2*size+64, maxText)),
		limit: min(16*size+64<<10, maxText),
	}
}

// Begin starts a statement at an offset in memory.
func (c *Code) Begin(at uint32, token uint8) {
	if len(c.Statements) == maxStatements {
		c.over = true // this one takes the place of the last
		c.Statements = c.Statements[:maxStatements-1]
	}
	c.Statements = append(c.Statements, Statement{At: at, Token: token, text: int32(len(c.text)), marks: int32(len(c.marks))})
}

// Steer reports how the statement that began last steers the flow; its operand is what was
// appended from the offset on.
func (c *Code) Steer(control Control, operand int) {
	s := &c.Statements[len(c.Statements)-1]
	s.Control, s.operand, s.operandEnd = control, int32(operand), int32(len(c.text))
}

// End completes the statement that began last; target is that of a [Jump], or of its
// [Control].
func (c *Code) End(flow Flow, target uint32) {
	s := &c.Statements[len(c.Statements)-1]
	s.Flow, s.Target = flow, target
	s.textEnd, s.marksEnd = int32(len(c.text)), int32(len(c.marks))
}

// Len is where the next byte goes, for [Code.Cut] and [Code.Take].
func (c *Code) Len() int { return len(c.text) }

func (c *Code) room(n int) bool {
	if len(c.text)+n > c.limit {
		c.over = true
	}
	return !c.over
}

// Str appends text as it is.
func (c *Code) Str(s string) {
	if c.room(len(s)) {
		c.text = append(c.text, s...)
	}
}

// Raw appends bytes as they are.
func (c *Code) Raw(b []byte) {
	if c.room(len(b)) {
		c.text = append(c.text, b...)
	}
}

// Int appends a decimal number.
func (c *Code) Int(v int64) {
	if c.room(20) {
		c.text = strconv.AppendInt(c.text, v, 10)
	}
}

// Uint appends a decimal number without a sign.
func (c *Code) Uint(v uint64) {
	if c.room(20) {
		c.text = strconv.AppendUint(c.text, v, 10)
	}
}

// Float appends the shortest number that reads back to the same bits: 32 or 64.
func (c *Code) Float(v float64, bits int) {
	if !c.room(32) {
		return
	}
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		c.text = strconv.AppendFloat(c.text, v, 'g', -1, bits)
	case a != 0 && (a < 1e-4 || a >= 1e16):
		c.text = strconv.AppendFloat(c.text, v, 'e', -1, bits)
	default:
		from := len(c.text)
		c.text = strconv.AppendFloat(c.text, v, 'f', -1, bits)
		if !strings.Contains(string(c.text[from:]), ".") {
			c.text = append(c.text, ".0"...)
		}
	}
}

// Quote appends a string as JSON has it. Bytes that are no UTF-8 become U+FFFD.
func (c *Code) Quote(s string) {
	if !c.room(6*len(s) + 2) {
		return
	}
	if plain(s) {
		c.text = append(append(append(c.text, '"'), s...), '"')
		return
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) == nil {
		c.text = append(c.text, strings.TrimSuffix(b.String(), "\n")...)
	}
}

func plain(s string) bool {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Label appends the label of the statement at an offset in memory.
func (c *Code) Label(target uint32) {
	c.marks = append(c.marks, mark{at: int32(len(c.text)), kind: labelMark, value: target})
}

// Variable appends the name of a variable: its bare text and its number as the
// name table has it (0 none, n: "_" and n-1). Numbers of compiler-made variables
// are left to the normal form.
func (c *Code) Variable(name string, number int32) {
	from := len(c.text)
	c.Str(name)
	switch {
	case Temporary(name):
		c.marks = append(c.marks, mark{at: int32(len(c.text)), kind: tempMark, from: int32(from), value: uint32(number)})
	case number != 0:
		c.Str("_")
		c.Int(int64(number) - 1)
	}
}

// Native appends a function that code knows by its number, as "native#112", and
// returns that.
func (c *Code) Native(number int) string {
	from := len(c.text)
	c.Str("native#")
	c.Int(int64(number))
	c.marks = append(c.marks, mark{at: int32(len(c.text)), kind: nativeMark, from: int32(from), value: uint32(number)})
	return c.Text(from)
}

// Interface notes that an object which is called by an interface ends here.
func (c *Code) Interface(name string) {
	c.marks = append(c.marks, mark{at: int32(len(c.text)), kind: interfaceMark, value: uint32(len(c.ifaces))})
	c.ifaces = append(c.ifaces, name)
}

// Temporary reports whether the blueprint compiler made a variable of that name.
func Temporary(name string) bool {
	return strings.HasPrefix(name, "CallFunc_") || strings.HasPrefix(name, "K2Node_") || strings.HasPrefix(name, "Temp_")
}

// Text returns what was appended from the offset on.
func (c *Code) Text(from int) string { return string(c.text[from:]) }

// Cut drops what was appended from the offset on, which lies in the statement
// that began last.
func (c *Code) Cut(from int) {
	c.text = c.text[:from]
	for n := len(c.marks); n > 0 && int(c.marks[n-1].at) >= from && n > int(c.Statements[len(c.Statements)-1].marks); n-- {
		c.marks = c.marks[:n-1]
	}
}

// Fragment is text that was taken out, to be put elsewhere.
type Fragment struct {
	text  []byte
	marks []mark
}

// Take is [Code.Cut], and returns what it drops.
func (c *Code) Take(from int) Fragment {
	text, marks := append([]byte(nil), c.text[from:]...), c.marks
	c.Cut(from)
	f := Fragment{text: text, marks: append([]mark(nil), marks[len(c.marks):]...)}
	for i := range f.marks {
		f.marks[i].at -= int32(from)
		f.marks[i].from -= int32(from)
	}
	return f
}

// Paste appends what was taken.
func (c *Code) Paste(f Fragment) {
	base := int32(len(c.text))
	c.Raw(f.text)
	for _, m := range f.marks {
		m.at += base
		m.from += base
		c.marks = append(c.marks, m)
	}
}

// Seal checks that the text is whole and that every label and every jump leads to
// the start of a statement. end is the size of the script in memory; whether a
// label may lead there depends on the instruction set.
func (c *Code) Seal(end uint32, mayLeadToEnd bool) error {
	if c.over {
		return fmt.Errorf("%w: %d bytes", ErrText, c.limit)
	}
	check := func(target uint32) error {
		if c.Find(target) < 0 && (target != end || !mayLeadToEnd) {
			return fmt.Errorf("jump to offset %d in memory, where no statement starts", target)
		}
		return nil
	}
	for i := range c.Statements {
		s := &c.Statements[i]
		if s.Flow == Jump {
			if err := check(s.Target); err != nil {
				return err
			}
		}
		for _, m := range c.marks[s.marks:s.marksEnd] {
			if m.kind == labelMark {
				if err := check(m.value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Find returns the statement at an offset in memory, -1 when none starts there.
func (c *Code) Find(at uint32) int {
	lo, hi := 0, len(c.Statements)
	for lo < hi {
		if mid := (lo + hi) / 2; c.Statements[mid].At < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(c.Statements) && c.Statements[lo].At == at {
		return lo
	}
	return -1
}
