package program

import (
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/table"
)

// MaxAdded is how many rows a prediction may add.
const MaxAdded = 1 << 16

// Orders of the old rows that a prediction begins with.
const (
	AllRows   = iota // as they are in the tables
	MovedRows        // those whose entries the new file has
	DataRows         // these, in the order of its data
	RowOrders
)

// What the number with the order of rows says beside it and the form.
const (
	rowsSeeded = RowOrders * int64(table.Forms) // a seed follows
	rowsJoined = 2 * rowsSeeded                 // so often, tables of another archive follow
	MaxJoined  = 255
)

// codeTables codes where tables of a kind are, and which file has their entries: they
// are at the end of their file, at its front, or all of it.
func (s *State) codeTables(c side, x *output, kind table.Kind, file int, at Range) (int, Range) {
	file = int(c.number(inCopyFile, int64(file), x.lastOld()))
	of := c.place(inRangeFile, int64(at.File), int64(s.last.File), x.lastOld())
	if c.err() != nil {
		return 0, Range{}
	}
	whole := x.h.Old[of].Size
	size := whole
	if kind != table.IoStore {
		size = c.place(inRangeLen, at.Stored, s.last.Stored, whole)
	}
	at = Range{File: int(of), Stored: size, Size: size}
	if kind == table.Unreal {
		at.Off = whole - size
	}
	s.last = at
	return file, at
}

// codeNamed codes which tables opTables names.
func (s *State) codeNamed(c side, x *output, kind table.Kind, file int, at Range) (table.Kind, int, Range) {
	kind = table.Kind(c.number(inTable, int64(kind), int64(table.Kinds)-1))
	file, at = s.codeTables(c, x, kind, file, at)
	return kind, file, at
}

// pieces are n of the tables known, from the first on, with zeros before them.
type pieces struct {
	first, n int
	pad      int64
}

// codePieces codes which pieces opPieces copies, and takes them.
func (s *State) codePieces(c side, x *output, p pieces) pieces {
	k := s.Known
	if k == nil || k.order.left == 0 {
		c.fail(corrupt("no pieces"))
		return p
	}
	p.first = c.skip(k.order, p.first)
	p.n = 1 + int(c.number(inRun, int64(p.n-1), int64(len(k.Pieces)-p.first-1)))
	c.spend(itemCost * int64(p.n-1))
	if c.err() != nil {
		return p
	}
	k.order.Take(p.first, p.n)
	if k.Kind == table.IoStore {
		p.pad = c.place(inPad, p.pad, k.Kind.Pad(x.pos, k.Pieces[p.first].N), x.size-x.pos)
	}
	return p
}

// Prediction says what new tables will probably be.
type Prediction struct {
	Order  int
	Form   table.Form
	More   []*Known // tables of other archives, whose rows are after those of the known ones
	Seed   uint64   // that path hashes begin with, if Seeded: else that of the known ones
	Seeded bool
	Back   int // of tables that are a file of their own: how many files before it is that with the entries

	Steps []Step
	Items []table.Item // that the steps give
	All   *Known       // what the rows are of: the known tables, with more and the seed
	Moved []int64      // for each row the place where its entry went; -1: nowhere
}

// Step is a run of old rows, from the first on in their order, and the number of new
// ones after it.
type Step struct{ First, Run, Added int }

// predictor knows what a prediction is of as its operands are coded.
type predictor interface {
	begin() error                     // after the form
	tables(i int) (int, Range)        // where other tables are, if this side knows
	join(file int, at Range) error    // says where they are
	arrange() (size int64, err error) // completes All and Moved: size is that of the file with the entries, so far
}

// codePrediction codes what follows opPredict. Where tables are before the entries,
// the pieces that are left follow the order of the items.
func (s *State) codePrediction(c side, x *output, p *Prediction, by predictor) {
	kind := s.Known.Kind
	more := p.codeForm(c)
	if c.err() == nil {
		c.fail(by.begin())
	}
	for i := 0; i < more && c.err() == nil; i++ {
		file, at := by.tables(i)
		if file, at = s.codeTables(c, x, kind, file, at); c.err() == nil {
			c.fail(by.join(file, at))
		}
	}
	if p.Seeded {
		p.Seed = c.word(inTable, p.Seed)
	}
	if kind == table.IoStore {
		p.Back = int(c.number(inTable, int64(p.Back), int64(x.to)))
	}
	if c.err() != nil {
		return
	}
	size, err := by.arrange()
	if c.fail(err); c.err() == nil {
		s.codeItems(c, p, size)
	}
	if c.err() == nil && kind.Front() {
		s.Known.Follow(p.Items)
	}
}

// codeForm codes the first number of a prediction, and returns how many other tables
// are joined.
func (p *Prediction) codeForm(c side) (more int) {
	how := int64(p.Order) + int64(p.Form)*RowOrders + int64(len(p.More))*rowsJoined
	if p.Seeded {
		how += rowsSeeded
	}
	how = c.number(inTable, how, (MaxJoined+1)*rowsJoined-1)
	p.Order, p.Form, p.Seeded = int(how%RowOrders), table.Form(how/RowOrders%int64(table.Forms)), how/rowsSeeded%2 == 1
	return int(how / rowsJoined)
}

// codeItems codes which rows the new tables have: runs of old ones, and after each
// run what is new. The names of what is new follow, as one content. New rows are in a
// file of that size.
func (s *State) codeItems(c side, p *Prediction, size int64) {
	rows := p.All.Rows()
	base := RowsIn(p.Order, rows, p.Moved)
	q := NewQueue(len(base))
	given, end := *p, int64(0)
	var names []int64 // lengths
	p.Steps, p.Items = nil, nil
	steps := c.number(inTable, int64(len(given.Steps)), int64(len(base)+MaxAdded))
	c.spend(itemCost * steps)
	for i := 0; i < int(steps) && c.err() == nil; i++ {
		var step Step
		if i < len(given.Steps) {
			step = given.Steps[i]
		}
		if step.codeRun(c, q); c.err() != nil {
			return
		}
		for _, k := range base[step.First : step.First+step.Run] {
			p.Items = append(p.Items, table.Item{Old: k, Off: p.Moved[k]})
			end = p.Moved[k] + rows[k].Size
		}
		step.Added = int(c.number(inAdded, int64(step.Added), int64(MaxAdded-len(names))))
		for range step.Added {
			it := table.Item{Old: -1}
			if len(p.Items) < len(given.Items) {
				it = given.Items[len(p.Items)]
			}
			names = append(names, c.number(inNameLen, int64(len(it.New)), coder.MaxContent))
			if s.Known.Kind.Front() {
				it.Off = -1
			} else {
				it.Off = c.place(inNewAt, it.Off, end, size)
			}
			p.Items = append(p.Items, it)
		}
		p.Steps = append(p.Steps, step)
	}
	s.codeNames(c, p.Items, names)
}

// codeRun codes which rows are next, and takes them.
func (step *Step) codeRun(c side, q *Queue) {
	if step.Run = int(c.number(inRun, int64(step.Run), int64(q.left))); step.Run == 0 {
		step.First = 0
		return
	}
	step.First = c.skip(q, step.First)
	if step.Run > q.n-step.First || q.before(step.First+step.Run)-q.before(step.First) != step.Run {
		c.fail(corrupt("%d rows from %d of %d", step.Run, step.First, q.n))
	}
	if c.err() == nil {
		q.Take(step.First, step.Run)
	}
}

// codeNames codes the names of new items, of these lengths.
func (s *State) codeNames(c side, items []table.Item, lengths []int64) {
	total := int64(0)
	for _, n := range lengths {
		total += n
	}
	if total > coder.MaxContent {
		c.fail(corrupt("names of %d bytes", total))
	}
	if total == 0 || c.err() != nil {
		return
	}
	s.codeContent(c, inRawGuess, total, 0)
	text := c.text()
	for i := range items {
		if items[i].Old < 0 && c.err() == nil {
			items[i].New = string(text[:lengths[0]])
			text, lengths = text[lengths[0]:], lengths[1:]
		}
	}
}

// SizeOfSteps returns about how many bytes steps through so many rows take.
func SizeOfSteps(steps []Step, rows int) int {
	var e coder.Encoder
	e.Reset()
	q := NewQueue(rows)
	for _, step := range steps {
		skip := int64(0)
		if step.Run > 0 {
			skip = q.Skip(step.First)
			q.Take(step.First, step.Run)
		}
		e.Number(inRun, uint64(step.Run))
		e.Number(inSkip, zigzag(skip))
		e.Number(inAdded, uint64(step.Added))
	}
	return e.Size()
}
