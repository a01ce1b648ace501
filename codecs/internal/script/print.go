package script

import (
	"slices"
	"strconv"
	"strings"
)

// printer writes a tree.
type printer struct {
	*tree
	dst   []byte
	depth int            // of what the code is in
	end   string         // of a statement
	names map[int]string // by node that has a label
	count int

	head    func(event string) string // the declaration of an event, whose code then is a block; nil: a line
	byLabel map[int]int               // by statement that a latent call goes on at: its section
	done    []bool                    // sections that are written
}

func (p *printer) print() {
	p.names, p.byLabel, p.done = map[int]string{}, map[int]int{}, make([]bool, len(p.sections))
	resumed := map[int]int{}
	for i, s := range p.sections {
		if s.label > 0 {
			p.byLabel[s.label] = i
		}
		for _, label := range resumes(s.items, nil) {
			resumed[label]++
		}
	}
	for _, s := range p.sections {
		if s.label > 0 && s.node >= 0 && resumed[s.label] != 1 {
			p.labels[s.node] = true
			p.names[s.node] = s.name
		}
	}
	for _, s := range p.sections {
		if p.head != nil && s.event != "" && len(s.items) > 0 && s.items[0].kind != gotoItem && s.items[0].first() == s.node {
			delete(p.labels, s.node) // the event's name is its label
			p.names[s.node] = s.event
		}
	}
	for i := range p.sections {
		if p.sections[i].label == 0 {
			p.section(i)
		}
	}
	for i := range p.sections {
		if !p.done[i] {
			p.section(i)
		}
	}
	header := false
	for i, s := range p.shown {
		if p.reached[i] || s.Text == nil || s.Flow != Next && s.Flow != Stop || s.Control != Straight && s.Control != Branch {
			continue
		}
		if !header {
			p.dst = append(p.dst, "unreached:\n"...)
			header = true
		}
		p.line(1, p.text(s.Text)+p.end)
	}
}

// section writes what control reaches from one entry.
func (p *printer) section(i int) {
	p.done[i] = true
	s := &p.sections[i]
	body := s.label == 0 || s.node >= 0 && s.items != nil && s.items[0].kind != gotoItem
	switch {
	case s.event != "" && p.head != nil:
		if i > 0 {
			p.dst = append(p.dst, '\n')
		}
		p.dst = append(append(p.dst, p.head(s.event)...), " {\n"...)
		p.items(s.items, 1)
		p.dst = append(p.dst, "}\n"...)
		return
	case s.event != "":
		p.dst = append(append(append(p.dst, "event "...), s.event...), ":\n"...)
	}
	if body {
		p.items(s.items, 1)
	}
}

// latentInfo begins the argument by which a call goes on later.
const latentInfo = "LatentActionInfo{resume "

// suspends returns where a statement has the label at which it goes on later, -1 for none.
func suspends(text []Part) int {
	for i := 1; i < len(text); i++ {
		if text[i].Label > 0 && strings.HasSuffix(text[i-1].Text, latentInfo) {
			return i
		}
	}
	return -1
}

// latent writes a statement that goes on later: what it does then is in its block. It
// reports false for any other statement.
func (p *printer) latent(it *item, depth int) bool {
	at := suspends(it.text)
	if at < 0 {
		return false
	}
	k, ok := p.byLabel[it.text[at].Label]
	before := strings.TrimSuffix(it.text[at-1].Text, latentInfo)
	_, rest, closed := strings.Cut(join(it.text[at+1:]), "}")
	if !ok || !closed {
		return false
	}
	if cut, ok := strings.CutSuffix(before, ", "); ok {
		before = cut
	} else {
		rest = strings.TrimPrefix(rest, ", ")
	}
	text := p.statement(append(slices.Clone(it.text[:at-1]), Part{Text: before + rest}))
	s := &p.sections[k]
	switch {
	case s.node < 0:
		p.line(depth, text)
	case p.done[k] || len(s.items) == 1 && s.items[0].kind == gotoItem:
		p.done[k] = true
		p.line(depth, text+" then goto "+p.label(s.node))
	default:
		p.done[k] = true
		p.block(depth, text+" then {", s.items, "}")
	}
	return true
}

// resumes appends the statements at which latent calls go on.
func resumes(items []*item, list []int) []int {
	for _, it := range items {
		if !it.dropped {
			for _, part := range it.text {
				if part.Label > 0 {
					list = append(list, part.Label)
				}
				if part.Label > 0 && suspends(it.text) < 0 {
					list = append(list, part.Label) // once more: it needs a label
				}
			}
		}
		for inner := range it.blocks {
			list = resumes(inner, list)
		}
	}
	return list
}

func (p *printer) line(depth int, text string) {
	for range p.depth + depth {
		p.dst = append(p.dst, "  "...)
	}
	p.dst = append(append(p.dst, text...), '\n')
}

// label returns the name of a node's label.
func (p *printer) label(node int) string {
	if p.names[node] == "" {
		p.count++
		p.names[node] = "L" + strconv.Itoa(p.count)
	}
	return p.names[node]
}

func (p *printer) items(items []*item, depth int) {
	for _, it := range items {
		if it.kind != gotoItem && it.kind != breakItem && it.kind != continueItem && it.kind != returnItem && it.kind != testItem {
			for _, n := range append(it.folds, it.node, it.first()) {
				if p.labels[n] {
					p.dst = append(p.dst, strings.Repeat("  ", p.depth+depth)[1:]...)
					p.dst = append(append(p.dst, p.label(n)...), ":\n"...)
					break
				}
			}
		}
		if !it.dropped {
			p.item(it, depth)
		}
	}
}

func (p *printer) item(it *item, depth int) {
	switch it.kind {
	case plainItem:
		if !p.latent(it, depth) {
			p.line(depth, p.statement(it.text)+p.end)
		}
	case gotoItem:
		p.line(depth, "goto "+p.label(it.node)+p.end)
	case breakItem:
		p.line(depth, "break"+p.end)
	case continueItem:
		p.line(depth, "continue"+p.end)
	case returnItem:
		p.line(depth, "return"+p.end)
	case ifItem:
		p.branches(it, depth)
	case loopItem:
		p.block(depth, "while (true) {", it.body, "}")
	case whileItem:
		if it.init != nil {
			p.block(depth, "for ("+p.statement(it.init.text)+"; "+p.condition(it)+"; "+p.statement(it.step.text)+") {", it.body, "}")
			break
		}
		p.block(depth, "while ("+p.condition(it)+") {", it.body, "}")
	case untilItem:
		p.block(depth, "do {", it.body, "} until ("+p.condition(it)+")"+p.end)
	case eachItem:
		p.block(depth, p.each()+p.text(it.cond)+" {", it.body, "}")
	case switchItem:
		p.line(depth, "switch ("+p.text(it.cond)+") {")
		for i, c := range it.cases {
			if i == len(it.cases)-1 && len(c.values) == 0 && len(c.body) == 0 {
				break // a default that does nothing
			}
			for _, v := range c.values {
				p.line(depth, "case "+p.text(v)+":")
			}
			if c.other {
				p.line(depth, "default:")
			}
			p.items(c.body, depth+1)
		}
		p.line(depth, "}")
	}
}

func (p *printer) block(depth int, begin string, items []*item, end string) {
	p.line(depth, begin)
	p.items(items, depth+1)
	p.line(depth, end)
}

// branches writes an if, and those that are alone in its else after it.
func (p *printer) branches(it *item, depth int) {
	begin := "if ("
	for {
		cond := p.condition(it)
		if it.each {
			cond = "any of " + cond
		}
		p.line(depth, begin+cond+") {")
		p.items(it.body, depth+1)
		if len(it.other) != 1 || it.other[0].kind != ifItem || p.labels[it.other[0].first()] {
			break
		}
		it, begin = it.other[0], "} else if ("
	}
	if anyShown(it.other) {
		p.line(depth, "} else {")
		p.items(it.other, depth+1)
	}
	p.line(depth, "}")
}

// condition returns the text of a condition.
func (p *printer) condition(it *item) string {
	text := p.text(it.cond)
	if inner, ok := strings.CutPrefix(text, "bool"); ok && enclosed(inner) {
		text = whole(inner)
	}
	if !it.not {
		return whole(text)
	}
	if positive, ok := strings.CutPrefix(text, "!"); ok && !strings.HasPrefix(positive, "=") && !infixed(positive) {
		return whole(positive)
	}
	if infixed(text) {
		text = "(" + text + ")"
	}
	return "!" + text
}

// infixed reports whether a text has an operator between operands, outside of brackets.
func infixed(text string) bool {
	depth := 0
	s := scanner{text: text}
	for s.next() {
		switch s.c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// each returns how a loop over what is listed begins.
func (p *printer) each() string {
	if p.form.linear {
		return "foreach "
	}
	return "for each "
}

// statement returns the text of one, without brackets around all of it.
func (p *printer) statement(parts []Part) string {
	if p.form.linear {
		return p.text(parts)
	}
	return whole(p.text(parts))
}

// enclosed reports whether a text is in parentheses as a whole.
func enclosed(text string) bool {
	_, end := split(text)
	return end > 0 && end == len(text) && text[0] == '('
}

// text returns the parts of a text as one, with operators.
func (p *printer) text(parts []Part) string {
	var b strings.Builder
	for _, part := range parts {
		if part.Label > 0 {
			b.WriteString(p.resumed(part.Label))
		} else {
			b.WriteString(part.Text)
		}
	}
	if p.form.linear { // its operators were written as such
		return b.String()
	}
	text := operators(bound(b.String()))
	if left, right, ok := strings.Cut(text, " = "); ok && !strings.ContainsAny(left, "\"'(") {
		return left + " = " + whole(right)
	}
	return text
}

// whole drops the parentheses around all of a text.
func whole(text string) string {
	if enclosed(text) {
		return text[1 : len(text)-1]
	}
	return text
}

// resumed returns the label of a statement that a latent call goes on at.
func (p *printer) resumed(label int) string {
	for _, e := range p.entries {
		if e.label == label && e.node >= 0 {
			return p.label(e.node)
		}
	}
	return "end"
}
