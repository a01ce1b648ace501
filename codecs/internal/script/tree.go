package script

import (
	"slices"
)

// sourceMaxDepth bounds blocks in blocks.
const sourceMaxDepth = 100

type itemKind uint8

const (
	plainItem    itemKind = iota // a statement
	ifItem                       // body where the condition holds, other where not
	loopItem                     // for ever: body until a break
	whileItem                    // body as long as the condition holds; with init and step a for
	untilItem                    // body, and again until the condition holds
	eachItem                     // body for each of what the condition lists
	switchItem                   // cases
	gotoItem                     // goes on at a node
	breakItem                    // after the innermost loop or switch
	continueItem                 // with the next round of the innermost loop
	returnItem
	testItem // where the condition of an untilItem is tested
)

// item is a line of the text, or a block.
type item struct {
	kind    itemKind
	node    int    // of the statement, or where a goto leads
	folds   []int  // nodes in front of it that became part of it
	gone    bool   // it became part of the item after
	dropped bool   // it does nothing that anybody sees
	text    []Part // of a statement
	cond    []Part
	not     bool  // the condition is negated
	each    bool  // an ifItem: whether there is another one
	init    *item // of a for: what is done in front of it, and after each round
	step    *item
	body    []*item
	other   []*item
	cases   []block // of a switch, in the order of the file
}

// hidden reports whether an item is not shown.
func (it *item) hidden() bool { return it.gone || it.dropped }

// first returns the node at which control enters an item.
func (it *item) first() int {
	if it.init != nil {
		return it.init.first()
	}
	if len(it.folds) > 0 {
		return it.folds[0]
	}
	return it.node
}

// blocks calls yield with each list of items inside of an item.
func (it *item) blocks(yield func([]*item) bool) {
	if !yield(it.body) || !yield(it.other) {
		return
	}
	for _, c := range it.cases {
		if !yield(c.body) {
			return
		}
	}
}

// any reports whether one of the lists inside of an item is as a function wants it.
func (it *item) any(is func([]*item) bool) bool {
	for inner := range it.blocks {
		if is(inner) {
			return true
		}
	}
	return false
}

// block is a case of a switch: nil values are the default.
type block struct {
	values [][]Part
	other  bool // the default is among them
	body   []*item
}

// section is what control reaches from one entry.
type section struct {
	entry
	items []*item
}

// tree is a function as blocks.
type tree struct {
	*graph
	line     []int // nodes as control reaches them
	sections []section
	labels   map[int]bool // nodes that a goto leads to
}

// builder makes a tree.
type builder struct {
	*order
	labels  map[int]bool
	below   [][]int // by node: those that are after it, or in its branches
	behind  []int   // by header: what follows its loop; exit for none
	opened  []bool  // by header: its loop is written
	written []bool
	loops   []around
	depth   int
	err     error
}

// around is a loop or a switch that is being written.
type around struct {
	header int // of a loop; halted for a switch
	next   int // where a break leads
}

// none is no node, and not the exit.
const none = -2

func newTree(g *graph) (*tree, error) {
	b := &builder{order: newOrder(g), labels: map[int]bool{}}
	n := len(g.nodes)
	b.below, b.behind, b.opened, b.written = make([][]int, n), make([]int, n), make([]bool, n), make([]bool, n)
	b.place()
	t := &tree{graph: g, line: b.line, labels: b.labels}
	for _, e := range g.entries {
		t.sections = append(t.sections, section{e, b.section(e.node)})
	}
	if b.err != nil {
		return nil, b.err
	}
	for _, n := range b.line {
		if !b.written[n] {
			return nil, errFlow
		}
	}
	return t, nil
}

// section writes what control reaches from an entry.
func (b *builder) section(entry int) (items []*item) {
	if entry == exit {
		return nil
	}
	if b.written[entry] {
		return []*item{b.jump(entry)}
	}
	parts := append([]int{entry}, b.sharedFrom(entry)...)
	for i, n := range parts {
		next := exit
		if i+1 < len(parts) {
			next = parts[i+1]
		}
		items = append(items, b.walk(n, next)...)
	}
	return items
}

// sharedFrom returns what control reaches from an entry and from others too, and is not
// written yeb.
func (b *builder) sharedFrom(entry int) (list []int) {
	seen := map[int]bool{entry: true}
	todo := []int{entry}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range b.g.nodes[n].next {
			if to == exit || seen[to] || b.written[to] || b.roots[to] {
				continue
			}
			seen[to] = true
			todo = append(todo, to)
			if b.idom[to] == exit {
				list = append(list, to)
			}
		}
	}
	slices.SortFunc(list, func(x, y int) int { return b.number[x] - b.number[y] })
	return list
}

// place finds below which node each one is: below its dominator, and what follows a
// loop after that.
func (b *builder) place() {
	for i := range b.behind {
		b.behind[i] = exit
	}
	for _, h := range b.line {
		if b.header[h] {
			if f := b.following(h); f != exit && b.idom[f] != exit && b.inside(b.idom[f], h) {
				b.behind[h] = f
			}
		}
	}
	follows := map[int]bool{}
	for _, n := range b.line {
		if f := b.behind[n]; f != exit {
			if follows[f] {
				b.behind[n] = exit // it follows a loop around this one
			}
			follows[f] = true
		}
	}
	for _, n := range b.line {
		if d := b.idom[n]; d != exit && !follows[n] {
			b.below[d] = append(b.below[d], n)
		}
	}
}

// following returns where a loop leads when its condition fails: the way out of the
// first branch, or else the last of all ways oub.
func (b *builder) following(h int) int {
	at := h
	for range len(b.g.nodes) {
		n := &b.g.nodes[at]
		if n.kind == branchNode || n.kind == eachNode {
			for _, to := range n.next {
				if to == exit || !b.inside(to, h) {
					return to
				}
			}
			break
		}
		if len(n.next) != 1 || n.next[0] == exit || !b.inside(n.next[0], h) || n.next[0] == h {
			break
		}
		at = n.next[0]
	}
	last := exit
	for _, n := range b.line {
		if !b.inside(n, h) {
			continue
		}
		for _, to := range b.g.nodes[n].next {
			if to != exit && !b.inside(to, h) && (last == exit || b.number[to] > b.number[last]) {
				last = to
			}
		}
	}
	return last
}

// returns reports whether control leaves the function where the condition at the header of a
// loop fails.
func (b *builder) returns(header int) bool {
	n := &b.g.nodes[header]
	return b.g.form.linear && (n.kind == branchNode || n.kind == eachNode) && slices.Contains(n.next, exit)
}

// walk writes a node and all that is below it; next is where control goes on
// after that without a jump.
func (b *builder) walk(n, next int) (items []*item) {
	if b.depth++; b.depth > sourceMaxDepth {
		b.err = errSourceDepth
	}
	defer func() { b.depth-- }()
	for b.err == nil {
		if b.header[n] && !b.opened[n] {
			b.opened[n] = true
			goal := next
			if f := b.behind[n]; f != exit || b.returns(n) {
				goal = f
			}
			b.loops = append(b.loops, around{n, goal})
			l := &item{kind: loopItem, node: n, body: b.walk(n, n)}
			b.loops = b.loops[:len(b.loops)-1]
			items = append(items, l)
			if b.behind[n] == exit {
				switch {
				case goal != exit:
				case b.returns(n) && b.explicit(b.g.shown[b.g.nodes[n].at].To, next):
					items = append(items, &item{kind: returnItem})
				default:
					items = append(items, b.lead(exit, next)...)
				}
				return items
			}
			n = b.behind[n]
			continue
		}
		if b.written[n] {
			b.err = errFlow
			return items
		}
		b.written[n] = true
		merges := b.merges(n)
		goal := next
		if len(merges) > 0 {
			goal = merges[0]
		}
		items = append(items, b.statement(n, goal, merges)...)
		switch last := items[len(items)-1]; {
		case len(merges) > 0:
			for i, m := range merges[:len(merges)-1] {
				items = append(items, b.walk(m, merges[i+1])...)
			}
			n = merges[len(merges)-1]
		case last.kind == plainItem && last.node == n && b.g.nodes[n].kind == plainNode:
			to := b.g.nodes[n].next[0]
			if !b.own(n, to) {
				if to == exit && b.explicit(b.g.nodes[n].at+1, next) {
					return append(items, &item{kind: returnItem})
				}
				return append(items, b.lead(to, next)...)
			}
			n = to
		default:
			return items
		}
	}
	return items
}

// merges returns what is after a node: where several ways below it meet.
func (b *builder) merges(n int) (list []int) {
	for _, m := range b.below[n] {
		if !b.own(n, m) && !slices.Contains(b.inCases(n), m) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(x, y int) int { return b.number[x] - b.number[y] })
	return list
}

// inCases returns the nodes at which the cases of a switch begin, if it dominates them.
func (b *builder) inCases(n int) []int {
	if b.g.nodes[n].kind != chooseNode {
		return nil
	}
	var list []int
	for i, to := range b.g.nodes[n].next {
		if to != exit && b.idom[to] == n && (b.g.nodes[n].cases[i] != nil || i == len(b.g.nodes[n].next)-1 && b.isCase(n, to)) {
			list = append(list, to)
		}
	}
	return list
}

// isCase reports whether the last way out of a switch is a case of it, and no way past it:
// others lead there too, and nowhere after.
func (b *builder) isCase(n, to int) bool {
	others := slices.ContainsFunc(b.before[to], func(p int) bool { return p != n })
	return !others || slices.ContainsFunc(b.below[n], func(m int) bool {
		return len(b.before[m]) > 1 && b.number[m] > b.number[to]
	})
}

// own reports whether control reaches a node from this one alone.
func (b *builder) own(n, to int) bool {
	return to != exit && b.idom[to] == n && len(b.before[to]) == 1 && !b.roots[to] && slices.Contains(b.below[n], to)
}

// statement writes one node with its branches.
func (b *builder) statement(n, goal int, merges []int) []*item {
	s := &b.g.shown[b.g.nodes[n].at]
	switch b.g.nodes[n].kind {
	case branchNode, eachNode:
		it := &item{kind: ifItem, node: n, cond: s.Operand, each: b.g.nodes[n].kind == eachNode}
		if len(it.cond) == 0 {
			it.cond = []Part{{Text: "in the editor"}}
		}
		it.body = b.branch(n, b.g.nodes[n].next[0], goal)
		if it.body == nil && b.explicit(b.g.nodes[n].at+1, goal) {
			it.body = []*item{{kind: returnItem}}
		}
		it.other = b.branch(n, b.g.nodes[n].next[1], goal)
		return []*item{it}
	case chooseNode:
		return []*item{b.choose(n, goal)}
	}
	it := &item{kind: plainItem, node: n, text: s.Text}
	if len(merges) > 0 && b.g.nodes[n].kind == plainNode {
		return append([]*item{it}, b.lead(b.g.nodes[n].next[0], goal)...)
	}
	return []*item{it}
}

// explicit reports whether a statement of UE1 to UE3 is a return that the text would leave
// out, since nothing follows. The last return ends all code.
func (b *builder) explicit(at, goal int) bool {
	return b.g.form.linear && goal == exit && at >= 0 && at < len(b.g.shown) && b.g.shown[at].Flow == Return &&
		slices.ContainsFunc(b.g.shown[at+1:], func(s Shown) bool { return s.Flow != Silent && s.Flow != Leave })
}

// branch writes one way out of a node.
func (b *builder) branch(n, to, goal int) []*item {
	if b.own(n, to) && !(to == goal) {
		return b.walk(to, goal)
	}
	return b.lead(to, goal)
}

// lead writes how control gets to a node that is elsewhere: nothing if it follows.
func (b *builder) lead(to, goal int) []*item {
	if to == goal {
		return nil
	}
	if len(b.loops) > 0 {
		in := b.loops[len(b.loops)-1]
		if to == in.next {
			return []*item{{kind: breakItem}}
		}
		for i := len(b.loops) - 1; i >= 0; i-- {
			if in = b.loops[i]; in.header != none {
				if to == in.header {
					return []*item{{kind: continueItem, node: to}}
				}
				break
			}
		}
	}
	if to == exit {
		return []*item{{kind: returnItem}}
	}
	return []*item{b.jump(to)}
}

// jump writes a goto.
func (b *builder) jump(to int) *item {
	b.labels[to] = true
	return &item{kind: gotoItem, node: to}
}

// choose writes a switch.
func (b *builder) choose(n, goal int) *item {
	s := &item{kind: switchItem, node: n, cond: b.g.shown[b.g.nodes[n].at].Operand}
	own := b.inCases(n)
	next := b.g.nodes[n].next
	b.loops = append(b.loops, around{none, goal})
	for i, to := range next {
		var c *block
		if i > 0 && to == next[i-1] {
			c = &s.cases[len(s.cases)-1]
		} else {
			s.cases = append(s.cases, block{})
			c = &s.cases[len(s.cases)-1]
		}
		if v := b.g.nodes[n].cases[i]; v != nil {
			c.values = append(c.values, v)
		} else {
			c.other = true
		}
		if i+1 < len(next) && next[i+1] == to {
			continue
		}
		after := goal // the end of a case leads into the next one
		if i+1 < len(next) {
			after = next[i+1]
		}
		if slices.Contains(own, to) && !b.written[to] {
			c.body = b.walk(to, after)
		} else {
			c.body = b.lead(to, after)
		}
	}
	b.loops = b.loops[:len(b.loops)-1]
	return s
}
