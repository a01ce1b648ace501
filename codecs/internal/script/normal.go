package script

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// Entry is where control enters a function from outside: an event of a blueprint.
type Entry struct {
	Event string
	At    uint32 // offset in memory
}

type lineKind uint8

const (
	statementLine lineKind = iota
	gotoLine               // where the flow joins what is elsewhere
	eventLine              // begins a section
	unreachedLine
)

// line is a line of the normal form; labels in front of statements follow from
// the one that refers to them.
type line struct {
	kind   lineKind
	index  int32 // of the statement or event; -1: none in the file
	target int32 // gotoLine: the statement; -1: the end
}

// Form is the normal form of a [Code], which must not change any more. It is safe
// for concurrent use.
type Form struct {
	code    *Code
	lines   []line
	events  []string
	entries []Entry
	labels  map[int32]string
	shown   []int32 // by statement: see skip
	linear  bool
	dropped bool // the last line is a return, and not shown

	aliases map[variable]string // what compiler-made variables are named in [Form.Parts]; nil
}

// InOrder returns the form that keeps the order of the file.
func (c *Code) InOrder() *Form {
	f := &Form{code: c, linear: true}
	f.link()
	for i := range c.Statements {
		switch s := &c.Statements[i]; s.Flow {
		case Silent, Leave:
		case Jump:
			f.lines = append(f.lines, line{kind: gotoLine, index: int32(i), target: int32(f.resolve(s.Target))})
		default:
			f.lines = append(f.lines, line{kind: statementLine, index: int32(i)})
		}
	}
	f.finish()
	return f
}

// ByFlow returns the form that follows the flow of control: from each entry, in
// the order of their names, or from the first statement when there is none; and
// then what no entry reaches.
func (c *Code) ByFlow(entries []Entry) *Form {
	w := &walker{Form: &Form{code: c}, done: make([]bool, len(c.Statements))}
	w.link()
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.At, b.At)) })
	w.entries = entries
	for i, e := range entries {
		w.events = append(w.events, e.Event)
		w.lines = append(w.lines, line{kind: eventLine, index: int32(i)})
		w.follow(c.Find(e.At))
	}
	if len(entries) == 0 && len(c.Statements) > 0 {
		w.follow(0)
	}
	w.rest()
	w.finish()
	return w.Form
}

// walker follows the flow of control, each statement once.
type walker struct {
	*Form
	done []bool
}

// follow emits what is reached from a statement. It keeps its own stack: chains
// of jumps may be as long as the script.
func (w *walker) follow(from int) {
	if from < 0 {
		return
	}
	if i := w.skip(from); i >= 0 && w.done[i] {
		w.join(i)
		return
	}
	pending := []int32{int32(from)}
	for len(pending) > 0 {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		first := len(pending)
		pending = w.run(int(i), pending)
		slices.Reverse(pending[first:]) // met first, emitted first
	}
}

// run emits statements until control leaves, and appends what they refer to.
func (w *walker) run(i int, pending []int32) []int32 {
	if j := w.skip(i); j < 0 || w.done[j] {
		return pending
	}
	for i >= 0 && i < len(w.code.Statements) {
		s := &w.code.Statements[i]
		if w.done[i] && s.Flow != Silent {
			w.join(w.skip(i))
			return pending
		}
		w.done[i] = true
		if s.Flow == Jump {
			j := w.resolve(s.Target)
			if j >= 0 && w.done[j] {
				w.join(j)
				return pending
			}
			i = j
			continue
		}
		if s.Flow == Leave {
			return pending
		}
		if s.Flow != Silent {
			w.lines = append(w.lines, line{kind: statementLine, index: int32(i)})
		}
		for _, m := range w.code.marks[s.marks:s.marksEnd] {
			if t := w.code.Find(m.value); m.kind == labelMark && t >= 0 && !w.done[t] {
				pending = append(pending, int32(t))
			}
		}
		if s.Flow == Stop || s.Flow == Return {
			return pending
		}
		i++
	}
	return pending
}

// join emits a jump to a statement that is elsewhere; -1 is a loop of nothing.
func (w *walker) join(i int) {
	if i >= 0 && w.code.Statements[i].Flow != Leave {
		w.lines = append(w.lines, line{kind: gotoLine, index: -1, target: int32(i)})
	}
}

// rest emits what no entry reaches, in the order of the file. Jumps and returns
// between have nobody to lead anywhere.
func (w *walker) rest() {
	header := false
	for i := range w.code.Statements {
		s := &w.code.Statements[i]
		if w.done[i] || s.Flow != Next && s.Flow != Stop {
			continue
		}
		if !header {
			w.lines = append(w.lines, line{kind: unreachedLine})
			header = true
		}
		w.lines = append(w.lines, line{kind: statementLine, index: int32(i)})
	}
}

// empty reports whether the text has no line.
func (f *Form) empty() bool { return len(f.lines) == 0 || f.dropped && len(f.lines) == 1 }

// skip returns the first statement from i on that is shown or leaves, past
// silent ones and jumps: -1 for a loop of nothing, or the end.
func (f *Form) skip(i int) int {
	if i < 0 || i >= len(f.shown) {
		return -1
	}
	return int(f.shown[i])
}

// link finds where [Form.skip] leads from each statement. Chains may be as long as the
// code, and are asked for from each jump into them: each statement is visited once.
func (f *Form) link() {
	const unknown = -2
	f.shown = make([]int32, len(f.code.Statements))
	for i := range f.shown {
		f.shown[i] = unknown
	}
	for start := range f.shown {
		i := start
		for i >= 0 && i < len(f.shown) && f.shown[i] == unknown {
			next, hidden := f.next(i)
			if !hidden {
				f.shown[i] = int32(i)
				break
			}
			f.shown[i] = -1 // for a second visit: a loop
			i = next
		}
		for end, to := i, int32(f.skip(i)); start != end; start, _ = f.next(start) {
			f.shown[start] = to
		}
	}
}

// next returns the statement that one leads to which is not shown.
func (f *Form) next(i int) (next int, hidden bool) {
	switch s := &f.code.Statements[i]; {
	case s.Flow == Silent:
		return i + 1, true
	case s.Flow == Jump && !f.linear:
		return f.code.Find(s.Target), true
	}
	return i, false
}

// resolve returns the statement that a jump to an offset shows.
func (f *Form) resolve(target uint32) int { return f.skip(f.code.Find(target)) }

// finish names the labels, and drops a return at the end.
func (f *Form) finish() {
	f.nameLabels(func([]byte) {})
	n := len(f.lines)
	f.dropped = n > 0 && f.lines[n-1].kind == statementLine && f.code.Statements[f.lines[n-1].index].Flow == Return
}

// nameLabels names each statement that the text refers to by its own text: L
// and 4 hexadecimal digits of the SHA-256 of up to three statements, ".2" for a
// second one of the same name. It hashes what fold makes of the text.
func (f *Form) nameLabels(fold func([]byte)) {
	used := map[int32]bool{}
	for _, l := range f.lines {
		switch l.kind {
		case gotoLine:
			used[l.target] = true
		case statementLine:
			s := &f.code.Statements[l.index]
			for _, m := range f.code.marks[s.marks:s.marksEnd] {
				if m.kind == labelMark {
					used[int32(f.resolve(m.value))] = true
				}
			}
		}
	}
	f.labels = make(map[int32]string, len(used))
	count := map[string]int{}
	var buf []byte
	for _, l := range f.lines {
		if l.kind > gotoLine || l.index < 0 || !used[l.index] {
			continue
		}
		buf = f.ahead(buf[:0], int(l.index))
		fold(buf)
		sum := sha256.Sum256(buf)
		name := "L" + hex.EncodeToString(sum[:2])
		if count[name]++; count[name] > 1 {
			name += "." + strconv.Itoa(count[name])
		}
		f.labels[l.index] = name
	}
}

// ahead appends the text of up to three statements that follow each other from
// one on: as control flows, or in the order of the file.
func (f *Form) ahead(dst []byte, i int) []byte {
	for k := range 3 {
		if i = f.skip(i); i < 0 || f.code.Statements[i].Flow == Leave {
			break
		}
		if k > 0 {
			dst = append(dst, '\n')
		}
		s := &f.code.Statements[i]
		dst = f.bare(dst, s)
		if s.Flow == Jump {
			dst = append(dst, "goto @"...)
		}
		if !f.linear && s.Flow != Next {
			break
		}
		i++
	}
	return dst
}

// bare appends the text of a statement without labels and numbers.
func (f *Form) bare(dst []byte, s *Statement) []byte {
	from := s.text
	for _, m := range f.code.marks[s.marks:s.marksEnd] {
		dst = append(dst, f.code.text[from:m.at]...)
		if m.kind == labelMark {
			dst = append(dst, '@')
		}
		from = m.at
	}
	return append(dst, f.code.text[from:s.textEnd]...)
}
