package views

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite/vtab"

	"pakdb/schema/internal/conn"
)

// instruction is a line of EXPLAIN.
type instruction struct {
	op         string
	p1, p2, p3 int64
	p4         string
	p5         int64
}

// programOf returns the instructions of a statement.
func programOf(ctx context.Context, on driver.QueryerContext, sql string, values []driver.NamedValue) (all []instruction, err error) {
	err = conn.EachOn(ctx, on, "EXPLAIN "+sql, values, func(v []driver.Value) {
		n := func(i int) int64 { n, _ := v[i].(int64); return n }
		op, _ := v[1].(string)
		p4, _ := v[5].(string)
		all = append(all, instruction{op, n(2), n(3), n(4), p4, n(6)})
	})
	return all, err
}

// roles are what instructions do with p1, p2 and p3: "i" is a register that is read, "o" one that is
// set, "j" an address to jump to, "y" one to come to when other instructions have run. After those
// with "!" others may run before the next one does. [program.step] knows the rest.
var roles = map[string]string{
	"Init": "-j-!", "Goto": "-j-!", "Jump": "jjj!", "Halt": "---!", "EndCoroutine": "i--!", "Gosub": "oj-!", "Return": "i--!", "InitCoroutine": "ojy!", "Yield": "iy-!",
	"BeginSubrtn": "-o-", "Once": "-j-", "Transaction": "---", "Noop": "---", "Explain": "---", "Close": "---", "NullRow": "---",
	"Integer": "-o-", "Int64": "-o-", "Real": "-o-", "String8": "-o-", "Blob": "-o-", "Variable": "-o-", "CollSeq": "o--", "Null": "---",
	"VOpen": "---", "VFilter": "-j-", "VColumn": "---", "VNext": "-j-", "Rowid": "-o-", "OpenPseudo": "---", "OpenEphemeral": "--o", "NewRowid": "-o-", "Insert": "---",
	"IdxInsert": "---", "Found": "-j-", "NotFound": "-j-", "Filter": "-j-", "FilterAdd": "---", "Column": "---", "Rewind": "-j-", "Next": "-j-",
	"SorterOpen": "---", "SorterInsert": "---", "SorterSort": "-j-", "SorterData": "-o-", "SorterNext": "-j-", "ResetSorter": "---",
	"If": "ij-", "IfNot": "ij-", "IfPos": "ij-", "IfNotZero": "ij-", "DecrJumpZero": "ij-", "MustBeInt": "ij-", "OffsetLimit": "ioi",
	"Eq": "-j-", "Ne": "-j-", "Lt": "iji", "Le": "iji", "Gt": "iji", "Ge": "iji", "IsNull": "-j-", "NotNull": "-j-", "IsTrue": "io-", "Compare": "---",
	"Add": "iio", "Subtract": "iio", "Multiply": "iio", "Divide": "iio", "Remainder": "iio", "Concat": "iio", "And": "iio", "Or": "iio", "Not": "io-", "Cast": "i--",
	"Copy": "---", "SCopy": "---", "Move": "---", "MakeRecord": "---", "ResultRow": "---", "Function": "--o", "PureFunc": "--o", "AggStep": "--o", "AggFinal": "o--", "Affinity": "---",
}

// maxProgram bounds programs that are looked into: of longer ones it takes more time than it saves.
const maxProgram = 2000

// place is where a program has a value: in a column of a cursor, in a register, or where an
// instruction sets it.
type place struct {
	kind byte
	n, i int64
}

// more is the place of values that a program does more with than to compare them for equality with
// others of it.
var more place

// registers are the places of the values of registers, at an instruction.
type registers map[int64]place

// both returns what is known of registers in either of two cases, of which the first may be nil.
func both(a, b registers) registers {
	if a == nil {
		return maps.Clone(b)
	}
	maps.DeleteFunc(a, func(register int64, at place) bool {
		other, known := b[register]
		return !known || other != at
	})
	return a
}

// program finds which values of the view entries a statement only compares with each other. They
// are a domain, in which ids may take the place of texts.
type program struct {
	view    *table
	opened  string                // as what cursors of the view are opened
	opens   map[int64]instruction // what opens a cursor
	sorters map[int64]int64       // the one whose row a cursor is at
	domains map[place]place       // the next place of a domain, up to the one that names it
	now     registers             // where they are known
	jumps   map[int64]registers   // what is known of them wherever another instruction jumps to this one from
	numbers map[int64]int64       // registers that are numbers
	sets    map[int64][]place     // what registers are set to anywhere
	outer   map[int64]bool        // registers that are read where they are not known
	records map[place][]place     // the values of records
	grouped bool                  // sorters only bring equal values together, in any order
	unknown bool                  // it has something that is not understood
}

// comparedAlone returns the columns of the view of which a statement only compares values with each
// other: of path, and of content.
func comparedAlone(all []instruction, view *table, opened string, ordered bool) (columns uint64) {
	if len(all) > maxProgram {
		return 0
	}
	p := &program{view: view, opened: opened, opens: map[int64]instruction{}, sorters: map[int64]int64{}, domains: map[place]place{},
		now: registers{}, jumps: map[int64]registers{}, numbers: map[int64]int64{}, sets: map[int64][]place{}, outer: map[int64]bool{}, records: map[place][]place{}, grouped: !ordered}
	for at, x := range all {
		if roles[x.op] == "" {
			return 0
		}
		for i, n := range []int64{x.p1, x.p2, x.p3} {
			if role := roles[x.op][i]; role == 'y' || role == 'j' && n <= int64(at) {
				p.jumps[n] = registers{}
			}
		}
		switch x.op {
		case "VOpen", "OpenEphemeral", "SorterOpen", "OpenPseudo":
			before, again := p.opens[x.p1]
			p.unknown = p.unknown || again && (before.op != x.op || before.p4 != x.p4)
			p.opens[x.p1] = x
		case "DecrJumpZero": // of a LIMIT, which ends at some of the groups
			p.grouped = false
		case "AggStep": // others may depend on the order of groups
			p.grouped = p.grouped && strings.HasPrefix(x.p4, "count(")
		case "SorterData":
			before, again := p.sorters[x.p3]
			p.unknown = p.unknown || again && before != x.p1
			p.sorters[x.p3] = x.p1
		}
	}
	for at, x := range all {
		if from := p.jumps[int64(at)]; from != nil {
			p.now = both(from, p.now)
			clear(p.numbers)
		}
		forEquality := at+1 < len(all) && all[at+1].op == "Jump" && all[at+1].p1 == all[at+1].p3 // less is as more
		p.step(int64(at), x, forEquality)
		for i, n := range []int64{x.p1, x.p2, x.p3} {
			if roles[x.op][i] == 'j' && n > int64(at) {
				p.jumps[n] = both(p.jumps[n], p.now)
			}
		}
		if strings.HasSuffix(roles[x.op], "!") {
			p.now = registers{}
			clear(p.numbers)
		}
	}
	for register := range p.outer {
		for _, at := range p.sets[register] {
			p.same(place{'r', register, 0}, at)
			p.unknown = p.unknown || at.kind == 'm'
		}
	}
	path, content := view.column("path"), view.column("content")
	ofPath, ofContent := p.find(place{'v', 0, int64(path)}), p.find(place{'v', 0, int64(content)})
	if p.unknown || ofPath == ofContent {
		return 0
	}
	if ofPath != more {
		columns |= bit(path)
	}
	if ofContent != more {
		columns |= bit(content)
	}
	return columns
}

// step takes account of an instruction.
func (p *program) step(at int64, x instruction, forEquality bool) {
	var set []int64
	for i, n := range []int64{x.p1, x.p2, x.p3} {
		switch roles[x.op][i] {
		case 'i':
			p.same(p.get(n), more)
		case 'o':
			set = append(set, n)
		}
	}
	each := func(first, n int64, with func(i int64) place) {
		for i := range n {
			p.same(p.get(first+i), with(i))
		}
	}
	toMore := func(int64) place { return more }
	switch x.op {
	case "VColumn", "Column":
		p.set(x.p3, p.cell(x.p1, x.p2))
	case "VFilter":
		n, known := p.numbers[x.p3+1]
		p.unknown = p.unknown || !known
		var args []arg
		if found := slices.IndexFunc(p.view.plans, func(plan *plan) bool { return plan.name == x.p4 }); found >= 0 {
			args = p.view.plans[found].args
		}
		each(x.p3+2, n, func(i int64) place {
			if i < int64(len(args)) && (isEqual(args[i].op) || args[i].op == vtab.OpNE) {
				return p.cell(x.p1, int64(args[i].column)) // more, of other views
			}
			return more
		})
	case "Eq", "Ne":
		if strings.HasPrefix(x.p4, "BINARY") {
			p.same(p.get(x.p1), p.get(x.p3))
		} else {
			each(x.p1, 1, toMore)
			each(x.p3, 1, toMore)
		}
	case "Compare":
		if byBytes(x.p4) && forEquality {
			each(x.p1, x.p3, func(i int64) place { return p.get(x.p2 + i) })
		} else {
			each(x.p1, x.p3, toMore)
			each(x.p2, x.p3, toMore)
		}
	case "Null":
		for r := x.p2; r <= max(x.p2, x.p3); r++ {
			p.set(r, place{'n', at, r})
		}
	case "Copy", "SCopy", "Move":
		n := map[string]int64{"Copy": x.p3 + 1, "SCopy": 1, "Move": x.p3}[x.op]
		for i := range n {
			p.set(x.p2+i, p.get(x.p1+i))
		}
	case "MakeRecord":
		record := place{'m', at, 0}
		for i := range x.p2 {
			p.records[record] = append(p.records[record], p.get(x.p1+i))
		}
		if strings.Trim(x.p4, "A") != "" { // values are changed
			each(x.p1, x.p2, toMore)
		}
		p.set(x.p3, record)
	case "IdxInsert", "Insert", "SorterInsert":
		values, known := p.records[p.now[x.p2]]
		p.unknown = p.unknown || !known
		for i, v := range values {
			p.same(v, p.cell(x.p1, int64(i)))
		}
	case "Found", "NotFound":
		p.unknown = p.unknown || x.p4 == "0" // a record
		each(x.p3, p.count(x.p4), func(i int64) place { return p.cell(x.p1, i) })
	case "FilterAdd", "Filter":
		each(x.p3, p.count(x.p4), func(i int64) place { return place{'f', x.p1, i} })
	case "ResultRow", "Affinity":
		each(x.p1, x.p2, toMore)
	case "Function", "PureFunc":
		_, args, _ := strings.Cut(strings.TrimSuffix(x.p4, ")"), "(")
		each(x.p2, p.count(args), toMore)
	case "AggStep":
		if x.p4 != "count(1)" {
			each(x.p2, x.p5, toMore)
		}
	case "OpenPseudo":
		_, known := p.sorters[x.p1]
		p.unknown = p.unknown || !known
	}
	for _, register := range set {
		p.set(register, more)
	}
	if x.op == "Integer" {
		p.numbers[x.p2] = x.p1
	}
}

// count reads how many registers an instruction takes.
func (p *program) count(n string) int64 {
	count, err := strconv.ParseInt(n, 10, 64)
	p.unknown = p.unknown || err != nil || count < 0
	return count
}

// get returns the place of the value of a register, which is read.
func (p *program) get(register int64) place {
	at, known := p.now[register]
	if !known {
		p.outer[register] = true
		return place{'r', register, 0}
	}
	p.unknown = p.unknown || at.kind == 'm'
	return at
}

func (p *program) set(register int64, at place) {
	delete(p.numbers, register)
	p.now[register] = at
	p.sets[register] = append(p.sets[register], at)
}

// cell returns the place of a column of a cursor. All cursors of the view have one.
func (p *program) cell(cursor, column int64) place {
	if sorter, ok := p.sorters[cursor]; ok {
		cursor = sorter
	}
	switch x := p.opens[cursor]; {
	case x.op == "VOpen" && x.p4 == p.opened && slices.Contains([]string{"path", "content"}, p.view.columns[column].name):
		return place{'v', 0, column}
	case (x.op == "OpenEphemeral" || x.op == "SorterOpen" && p.grouped) && byBytes(x.p4), x.op == "SorterOpen" && column >= max(x.p3, int64(strings.Count(x.p4, ","))):
		return place{'c', cursor, column}
	}
	return more
}

// byBytes reports whether a key, which is "k(2,B,-NOCASE)", is compared by bytes.
func byBytes(key string) bool {
	collations := strings.Split(strings.TrimSuffix(key, ")"), ",")[1:]
	return !slices.ContainsFunc(collations, func(name string) bool { return strings.Trim(name, "-") != "" && strings.Trim(name, "-") != "B" })
}

// find returns the place that names the domain of another.
func (p *program) find(at place) place {
	for {
		next, ok := p.domains[at]
		if !ok {
			return at
		}
		at = next
	}
}

// same makes one domain of two.
func (p *program) same(a, b place) {
	a, b = p.find(a), p.find(b)
	if a == more {
		a, b = b, a
	}
	if a != b {
		p.domains[a] = b
	}
}
