package views

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite/vtab"
)

// test is a condition on a column, which rows may fail before SQLite sees them. All rows pass for
// which SQLite may find it true, by whatever collation and affinity; no others if it is exact.
type test struct {
	arg
	value driver.Value

	// Of a test that is prepared.
	hash   uint64
	parts  []string // of the pattern, nil for any text
	folded []byte
}

func isEqual(op vtab.ConstraintOp) bool { return op == vtab.OpEQ || op == vtab.OpIS }

func isPattern(op vtab.ConstraintOp) bool { return op == vtab.OpGLOB || op == vtab.OpLIKE }

func isOrder(op vtab.ConstraintOp) bool {
	return op == vtab.OpGT || op == vtab.OpGE || op == vtab.OpLT || op == vtab.OpLE
}

// inSQL are comparisons as SQL has them.
var inSQL = map[vtab.ConstraintOp]string{
	vtab.OpEQ: "=", vtab.OpIS: " IS", vtab.OpNE: "<>",
	vtab.OpGT: ">", vtab.OpGE: ">=", vtab.OpLT: "<", vtab.OpLE: "<=",
	vtab.OpGLOB: " GLOB", vtab.OpLIKE: " LIKE",
}

// prepare makes of the value what rows are compared with.
func (x *test) prepare() {
	x.hash = norm(x.value)
	pattern, isText := x.value.(string)
	if !isPattern(x.op) || !isText {
		return
	}
	pattern, _, _ = strings.Cut(pattern, "\x00") // SQLite ends patterns and texts there
	wild := "%_"
	if x.op == vtab.OpGLOB {
		wild = "*?"
		if start, _, hasSet := strings.Cut(pattern, "["); hasSet {
			pattern = start + "*" // and whatever follows
		}
	}
	// Other characters than those of ASCII may be any, as SQLite finds several forms of one equal.
	x.parts = strings.Split(strings.Map(func(r rune) rune {
		if r >= 0x80 || strings.ContainsRune(wild, r) {
			return 0
		}
		return r
	}, string(x.fold(pattern))), "\x00")
}

// fold returns a text as its pattern compares it, until the next one.
func (x *test) fold(text string) []byte {
	x.folded = append(x.folded[:0], text...)
	if x.op == vtab.OpLIKE {
		lower(x.folded)
	}
	return x.folded
}

// lower makes a text lower case, as SQLite knows it.
func lower(text []byte) {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c + 'a' - 'A'
		}
	}
}

// passes reports whether a row passes. It is prepared.
func (x *test) passes(s *store, row int) (bool, error) {
	if s.columns[x.column].kinds[row] == cellNull {
		return x.value == nil, nil // by IS
	}
	v, err := s.value(x.column, row)
	return x.mayBe(v), err
}

// isCheap reports whether passes takes less time than SQLite would, without being prepared.
func (x *test) isCheap() bool { return x.exact || isOrder(x.op) || x.op == vtab.OpNE }

// mayBe reports whether a column that has a value, which is not NULL, passes.
func (x *test) mayBe(v driver.Value) bool {
	switch {
	case x.exact:
		return isSame(v, x.value)
	case x.op == vtab.OpNE:
		return !isSame(v, x.value)
	case isEqual(x.op):
		return norm(v) == x.hash
	case isOrder(x.op):
		order, known := compared(v, x.value)
		return !known || order == 0 || (order > 0) == (x.op == vtab.OpGT || x.op == vtab.OpGE)
	}
	text, isText := v.(string)
	return !isText || x.parts == nil || x.matches(text)
}

// compared compares integers with numbers. They may be found equal if they are not.
func compared(a, b driver.Value) (order int, known bool) {
	n, isInt := a.(int64)
	if !isInt {
		return 0, false
	}
	switch b := b.(type) {
	case int64:
		return cmp.Compare(n, b), true
	case float64:
		return cmp.Compare(float64(n), b), true
	}
	return 0, false
}

// matches reports whether a text has the parts of the pattern in their order.
func (x *test) matches(text string) bool {
	text, _, _ = strings.Cut(text, "\x00")
	rest, starts := bytes.CutPrefix(x.fold(text), []byte(x.parts[0]))
	if !starts || len(x.parts) == 1 {
		return starts && len(rest) == 0
	}
	last := len(x.parts) - 1
	for _, part := range x.parts[1:last] {
		i := bytes.Index(rest, []byte(part))
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return bytes.HasSuffix(rest, []byte(x.parts[last]))
}
