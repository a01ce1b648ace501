package script

import (
	"bytes"
	"slices"
	"strconv"
	"sync"

	"github.com/zeebo/blake3"
)

// String returns the text, each line with its end.
func (f *Form) String() string { return string(f.AppendText(nil)) }

// Lines returns the text as lines without their ends.
func (f *Form) Lines() []string {
	var lines []string
	for line := range bytes.Lines(f.AppendText(nil)) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return lines
}

// Events returns the event that each statement of the code is part of, "" for none.
func (f *Form) Events() []string {
	events := make([]string, len(f.code.Statements))
	at := ""
	for _, l := range f.lines {
		switch {
		case l.kind == eventLine:
			at = f.events[l.index]
		case l.kind == unreachedLine:
			at = ""
		case l.kind == statementLine && l.index >= 0:
			events[l.index] = at
		}
	}
	return events
}

// Digest returns the BLAKE3 of the text with names in lower case: equal for functions that
// mean the same. The engine has no case in names, and two cooks spell them differently.
func (f *Form) Digest() [32]byte {
	text := texts.Get().(*[]byte)
	defer texts.Put(text)
	folded := *f
	if len(f.labels) > 0 {
		folded.nameLabels(foldNames)
	}
	*text = folded.AppendText((*text)[:0])
	foldNames(*text)
	return blake3.Sum256(*text)
}

// foldNames puts all outside of quoted strings in lower case.
func foldNames(text []byte) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && 'A' <= c && c <= 'Z':
			text[i] = c + 'a' - 'A'
		}
	}
}

// texts has room for texts that only their digest is needed of.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// AppendText appends the text to dst: statements after two blanks, labels after
// one, sections at the margin.
func (f *Form) AppendText(dst []byte) []byte { return f.AppendNamed(dst, nil) }

// AppendNamed is [Form.AppendText] for people: with names for native functions of
// UE1 to UE3, where natives knows them. Labels stay those of the normal form.
func (f *Form) AppendNamed(dst []byte, natives func(number int) (name string, ok bool)) []byte {
	r := renderer{Form: f, natives: natives, dst: slices.Grow(dst, len(f.code.text)+4*len(f.lines))}
	for i, l := range f.lines {
		switch l.kind {
		case eventLine:
			clear(r.numbers)
			r.dst = append(append(append(r.dst, "event "...), f.events[l.index]...), ":\n"...)
			continue
		case unreachedLine:
			clear(r.numbers)
			r.dst = append(r.dst, "unreached:\n"...)
			continue
		}
		if name, ok := f.labels[l.index]; ok && l.index >= 0 {
			r.dst = append(append(append(r.dst, ' '), name...), ":\n"...)
		}
		if f.dropped && i == len(f.lines)-1 {
			break
		}
		r.dst = append(r.dst, "  "...)
		if l.kind == gotoLine {
			r.dst = append(append(r.dst, "goto "...), f.label(int(l.target))...)
		} else {
			r.statement(&f.code.Statements[l.index])
		}
		r.dst = append(r.dst, '\n')
	}
	return r.dst
}

// label returns the name of a statement's label: "end" for what is not shown.
func (f *Form) label(statement int) string {
	if name, ok := f.labels[int32(statement)]; ok {
		return name
	}
	return "end"
}

// renderer writes one text; it numbers the variables of a section.
type renderer struct {
	*Form
	dst     []byte
	natives func(number int) (name string, ok bool)
	numbers map[variable]int // and under allOf how many variables have a name
}

// allOf is no number of a variable.
const allOf = 1<<32 - 1

// variable is a compiler-made one.
type variable struct {
	name   string
	number uint32
}

func (r *renderer) statement(s *Statement) {
	from := s.text
	for _, m := range r.code.marks[s.marks:s.marksEnd] {
		r.dst = append(r.dst, r.code.text[from:m.at]...)
		from = m.at
		switch m.kind {
		case labelMark:
			r.dst = append(r.dst, r.label(r.resolve(m.value))...)
		case tempMark:
			r.counted(m)
		case nativeMark:
			r.native(m)
		}
	}
	r.dst = append(r.dst, r.code.text[from:s.textEnd]...)
}

// counted appends which of the variables of its name one is, if it is not the first.
func (r *renderer) counted(m mark) {
	if n := r.number(m); n > 1 {
		r.dst = strconv.AppendInt(append(r.dst, '~'), int64(n), 10)
	}
}

// native puts the name of a function in place of its number.
func (r *renderer) native(m mark) {
	if r.natives == nil {
		return
	}
	if name, ok := r.natives(int(m.value)); ok {
		r.dst = append(r.dst[:len(r.dst)-int(m.at-m.from)], name...)
	}
}

// number returns which of the variables of its name one is, in the order in which
// the section mentions them.
func (r *renderer) number(m mark) int {
	if n := r.numbers[variable{string(r.code.text[m.from:m.at]), m.value}]; n > 0 {
		return n
	}
	if r.numbers == nil {
		r.numbers = map[variable]int{}
	}
	name := string(r.code.text[m.from:m.at])
	n := r.numbers[variable{name, allOf}] + 1
	r.numbers[variable{name, allOf}], r.numbers[variable{name, m.value}] = n, n
	return n
}
