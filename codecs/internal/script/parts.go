package script

// Part is a piece of the text of a statement. One of Temp and Label may be set.
type Part struct {
	Text  string
	Temp  int // not 0: the text names a compiler-made variable, which has this number in its function
	Label int // not 0: here is the label of this statement, counted from 1; Text is empty
}

// Shown is a statement as the text has it.
type Shown struct {
	*Statement
	Text    []Part
	Operand []Part // of a [Control] that has one
	To      int    // the statement at Target, -1 for none
}

// Parts returns the statements of a form, in the order of the file. Variables have the
// names that the text of the form gives them.
func (f *Form) Parts() []Shown {
	p := parter{renderer: renderer{Form: f}, temps: map[variable]int{}}
	list := make([]Shown, len(f.code.Statements))
	for i := range list {
		list[i] = Shown{Statement: &f.code.Statements[i], To: f.code.Find(f.code.Statements[i].Target)}
	}
	for _, l := range f.lines {
		switch {
		case l.kind == eventLine || l.kind == unreachedLine:
			clear(p.numbers)
		case l.kind == statementLine && list[l.index].Text == nil:
			list[l.index].Text, list[l.index].Operand = p.statement(&f.code.Statements[l.index])
		}
	}
	for i := range list { // what only the order of the lines left out
		if s := &list[i]; s.Text == nil && s.Flow != Silent && s.Flow != Jump && s.Flow != Leave {
			s.Text, s.Operand = p.statement(s.Statement)
		}
	}
	return list
}

// Entries returns where control enters the form, in the order of its sections; none:
// at the first statement.
func (f *Form) Entries() []Entry { return f.entries }

// Find returns the statement at an offset in memory, -1 when none starts there.
func (f *Form) Find(at uint32) int { return f.code.Find(at) }

// parter cuts texts into parts, and numbers compiler-made variables in a function.
type parter struct {
	renderer
	temps map[variable]int
}

func (p *parter) statement(s *Statement) (text, operand []Part) {
	text, operand = []Part{}, nil
	from := s.text
	add := func(part Part, begin int32) {
		if part.Text == "" && part.Label == 0 {
			return
		}
		text = append(text, part)
		if s.operand <= begin && begin < s.operandEnd {
			operand = append(operand, part)
		}
	}
	plain := func(to int32) {
		for _, cut := range [...]int32{s.operand, s.operandEnd, to} {
			if from < cut && cut <= to {
				add(Part{Text: string(p.code.text[from:cut])}, from)
				from = cut
			}
		}
	}
	for _, m := range p.code.marks[s.marks:s.marksEnd] {
		switch m.kind {
		case labelMark:
			plain(m.at)
			if to := p.code.Find(m.value); to >= 0 {
				add(Part{Label: to + 1}, m.at)
			} else {
				add(Part{Text: "end"}, m.at)
			}
		case tempMark:
			plain(m.from)
			add(p.temp(m), m.from)
			from = m.at
		case interfaceMark:
			plain(m.at)
			add(Part{Text: "." + p.code.ifaces[m.value]}, m.at)
		}
	}
	plain(s.textEnd)
	return text, operand
}

// temp returns the name of a compiler-made variable, as [renderer.statement] writes it.
func (p *parter) temp(m mark) Part {
	v := variable{string(p.code.text[m.from:m.at]), m.value}
	id := p.temps[v]
	if id == 0 {
		id = len(p.temps) + 1
		p.temps[v] = id
	}
	if alias := p.aliases[v]; alias != "" {
		return Part{Text: alias, Temp: id}
	}
	p.dst = append(p.dst[:0], v.name...)
	p.counted(m)
	return Part{Text: string(p.dst), Temp: id}
}
