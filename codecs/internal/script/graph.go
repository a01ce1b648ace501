package script

import (
	"strings"
)

// Bounds of what is worth the work, and readable.
const (
	maxNodes = 20_000
	maxStack = 200
)

// exit is the node where control leaves; halted has no successor at all.
const exit = -1

type nodeKind uint8

const (
	plainNode  nodeKind = iota
	branchNode          // successors: where the condition holds, where it does not
	eachNode            // likewise: another one, none left
	chooseNode          // one for each case, and one where none fits
	haltNode            // control leaves
)

// node is a statement under one state of the stack: how often it is shown depends on
// in how many states control reaches it.
type node struct {
	kind  nodeKind
	at    int // statement
	next  []int
	cases [][]Part // of a chooseNode; nil: default
}

// graph is the flow of a function through the statements that are shown.
type graph struct {
	form    *Form
	shown   []Shown
	nodes   []node
	entries []entry
	reached []bool // statements that are nodes, or steer between them

	byPlace map[place]int
	stacks  []stack
	ids     map[stack]int
}

// entry is where control comes from outside.
type entry struct {
	event string // "": the function itself
	label int    // not 0: what a latent call resumes at this statement, counted from 1
	name  string // of the label of a state
	node  int    // exit: an event that does nothing
}

// place is a statement under a state of the stack.
type place struct{ at, stack int }

// stack is the top of one, and what lies below: 0 is the empty one.
type stack struct {
	below, at, depth int // at: the statement that pop goes to, or the Each that began a loop
}

func newGraph(f *Form, shown []Shown) (*graph, error) {
	g := &graph{form: f, shown: shown, reached: make([]bool, len(shown)), byPlace: map[place]int{}, stacks: []stack{{}}, ids: map[stack]int{}}
	if len(shown) > maxNodes {
		return nil, errLarge
	}
	var todo []place
	begin := func(e entry, at int) error {
		n, err := g.follow(at, 0, &todo)
		e.node = n
		g.entries = append(g.entries, e)
		return err
	}
	for _, e := range f.Entries() {
		if err := begin(entry{event: e.Event}, f.Find(e.At)); err != nil {
			return nil, err
		}
	}
	if len(g.entries) == 0 && len(shown) > 0 {
		if err := begin(entry{}, 0); err != nil {
			return nil, err
		}
	}
	resumed := map[int]bool{}
	for i := range shown {
		if shown[i].Control != Labels {
			continue
		}
		g.reached[i] = true
		for k, part := range shown[i].Text[1:] {
			if before := shown[i].Text[k].Text; part.Label > 0 && !resumed[part.Label] {
				resumed[part.Label] = true
				name := strings.TrimSuffix(before[strings.LastIndexByte(before, ' ')+1:], "=")
				if err := begin(entry{label: part.Label, name: name}, part.Label-1); err != nil {
					return nil, err
				}
			}
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := g.expand(p, &todo); err != nil {
			return nil, err
		}
		if s := &shown[p.at]; s.Control == Straight {
			for _, part := range s.Text {
				if part.Label > 0 && !resumed[part.Label] {
					resumed[part.Label] = true
					if err := begin(entry{label: part.Label}, part.Label-1); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return g, nil
}

// follow returns the node that control reaches from a statement on, past what is not
// shown, and notes new ones to be expanded.
func (g *graph) follow(at, top int, todo *[]place) (int, error) {
	for range 2*len(g.shown) + 2 {
		if at < 0 || at >= len(g.shown) {
			return exit, nil
		}
		s := &g.shown[at]
		g.reached[at] = true
		switch s.Control {
		case Push:
			var err error
			if top, err = g.push(top, s.To); err != nil {
				return exit, err
			}
			at++
			continue
		case Pop:
			if top == 0 {
				return exit, nil
			}
			at, top = g.stacks[top].at, g.stacks[top].below
			continue
		case EachNext:
			if top == 0 {
				return exit, errFlow
			}
			at, top = g.stacks[top].at, g.stacks[top].below
			continue
		case EachPop:
			if top == 0 {
				return exit, errFlow
			}
			at, top = at+1, g.stacks[top].below
			continue
		case Case, Default, Labels:
			at++ // from the case before
			continue
		}
		switch s.Flow {
		case Silent:
			at++
			continue
		case Jump:
			at = s.To
			continue
		case Return, Leave:
			return exit, nil
		}
		p := place{at, top}
		n, ok := g.byPlace[p]
		if !ok {
			if len(g.nodes) >= maxNodes || len(g.nodes) > 3*len(g.shown)+100 {
				return exit, errLarge
			}
			n = len(g.nodes)
			g.byPlace[p] = n
			g.nodes = append(g.nodes, node{at: at})
			*todo = append(*todo, p)
		}
		return n, nil
	}
	return exit, errFlow // a loop of nothing
}

func (g *graph) push(below, at int) (int, error) {
	s := stack{below, at, g.stacks[below].depth + 1}
	id, ok := g.ids[s]
	if !ok {
		if s.depth > maxStack {
			return 0, errSourceDepth
		}
		id = len(g.stacks)
		g.ids[s] = id
		g.stacks = append(g.stacks, s)
	}
	return id, nil
}

// expand finds where a node leads.
func (g *graph) expand(p place, todo *[]place) (err error) {
	s := &g.shown[p.at]
	n := node{at: p.at}
	lead := func(at, top int) {
		to, e := g.follow(at, top, todo)
		if e != nil {
			err = e
		}
		n.next = append(n.next, to)
	}
	switch {
	case s.Control == Branch:
		n.kind = branchNode
		lead(p.at+1, p.stack)
		lead(s.To, p.stack)
	case s.Control == PopUnless:
		n.kind = branchNode
		lead(p.at+1, p.stack)
		if p.stack == 0 {
			n.next = append(n.next, exit)
		} else {
			lead(g.stacks[p.stack].at, g.stacks[p.stack].below)
		}
	case s.Control == Each:
		n.kind = eachNode
		top, e := g.push(p.stack, p.at)
		if e != nil {
			return e
		}
		lead(p.at+1, top)
		lead(s.To, top)
	case s.Control == Choose:
		n.kind = chooseNode
		if e := g.cases(&n, p, lead); e != nil {
			return e
		}
	case s.Control == Halt || s.Flow == Stop:
		n.kind = haltNode
	default:
		lead(p.at+1, p.stack)
	}
	g.nodes[g.byPlace[p]] = n
	return err
}

// cases finds where a switch leads: each case states where the next one is.
func (g *graph) cases(n *node, p place, lead func(at, top int)) error {
	at := p.at + 1
	for range len(g.shown) {
		for at >= 0 && at < len(g.shown) && g.shown[at].Flow == Silent {
			at++
		}
		if at < 0 || at >= len(g.shown) {
			return errFlow
		}
		s := &g.shown[at]
		g.reached[at] = true
		switch s.Control {
		case Default:
			n.cases = append(n.cases, nil)
			lead(at+1, p.stack)
			return nil
		case Case:
			n.cases = append(n.cases, s.Operand)
			lead(at+1, p.stack)
			at = s.To
			continue
		}
		if len(n.cases) == 0 {
			return errFlow
		}
		n.cases = append(n.cases, nil) // nothing fits: after the last case
		lead(at, p.stack)
		return nil
	}
	return errFlow
}
