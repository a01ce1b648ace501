package script

import "slices"

// order has the nodes as control reaches them: a node's dominators come first.
type order struct {
	g      *graph
	number []int   // by node: its place in reverse postorder; -1 for none
	line   []int   // nodes in that order
	idom   []int   // by node: its immediate dominator; exit: only the outside
	before [][]int // by node: nodes that lead to it, but for those that it dominates
	roots  []bool  // by node: entered from outside
	header []bool  // by node: begins a loop
	loop   []int   // by node: the header of the innermost loop that it is in; exit for none
	outer  []int   // by header: the header of the loop around it
}

func newOrder(g *graph) *order {
	n := len(g.nodes)
	o := &order{g: g, number: make([]int, n), idom: make([]int, n), before: make([][]int, n), roots: make([]bool, n), header: make([]bool, n), loop: make([]int, n), outer: make([]int, n)}
	for i := range n {
		o.number[i], o.idom[i], o.loop[i], o.outer[i] = exit, exit, exit, exit
	}
	o.sort()
	o.dominate()
	return o
}

// sort fills line and number, with a stack of its own.
func (o *order) sort() {
	seen := make([]bool, len(o.g.nodes))
	type step struct{ node, next int }
	var todo []step
	for i := len(o.g.entries) - 1; i >= 0; i-- {
		root := o.g.entries[i].node
		if root == exit {
			continue
		}
		o.roots[root] = true
		if seen[root] {
			continue
		}
		seen[root] = true
		todo = append(todo, step{root, 0})
		for len(todo) > 0 {
			s := &todo[len(todo)-1]
			next := o.g.nodes[s.node].next
			if s.next == len(next) {
				o.line = append(o.line, s.node)
				todo = todo[:len(todo)-1]
				continue
			}
			to := next[len(next)-1-s.next] // so that the first comes first
			s.next++
			if to != exit && !seen[to] {
				seen[to] = true
				todo = append(todo, step{to, 0})
			}
		}
	}
	slices.Reverse(o.line)
	for i, n := range o.line {
		o.number[n] = i
	}
}

// dominate finds immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast
// Dominance Algorithm). The outside, which leads to all entries, is number -1.
func (o *order) dominate() {
	preds := make([][]int, len(o.g.nodes))
	for _, n := range o.line {
		for _, to := range o.g.nodes[n].next {
			if to != exit {
				preds[to] = append(preds[to], n)
			}
		}
	}
	known := make([]bool, len(o.g.nodes))
	for changed := true; changed; {
		changed = false
		for _, n := range o.line {
			d, first := exit, true
			if o.roots[n] {
				first = false
			} else {
				for _, p := range preds[n] {
					switch {
					case !known[p]:
					case first:
						d, first = p, false
					default:
						d = o.meet(d, p)
					}
				}
			}
			if !first && (!known[n] || o.idom[n] != d) {
				o.idom[n], known[n], changed = d, true, true
			}
		}
	}
	for _, n := range o.line {
		for _, p := range preds[n] {
			if o.dominates(n, p) {
				o.header[n] = true
			} else {
				o.before[n] = append(o.before[n], p)
			}
		}
	}
	o.collect(preds)
}

// meet returns the nearest node that dominates both.
func (o *order) meet(a, b int) int {
	for a != b {
		if a == exit || b == exit {
			return exit
		}
		if o.number[a] > o.number[b] {
			a = o.idom[a]
		} else {
			b = o.idom[b]
		}
	}
	return a
}

// dominates reports whether control reaches b through a alone.
func (o *order) dominates(a, b int) bool {
	for b != exit && o.number[b] > o.number[a] {
		b = o.idom[b]
	}
	return a == b
}

// collect finds which nodes each loop has: those from which control comes back to its
// header. Inner loops come first.
func (o *order) collect(preds [][]int) {
	for i := len(o.line) - 1; i >= 0; i-- {
		h := o.line[i]
		if !o.header[h] {
			continue
		}
		var todo []int
		for _, p := range preds[h] {
			if o.dominates(h, p) {
				todo = append(todo, p)
			}
		}
		o.loop[h] = h
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			top := n // the outermost loop around it that is known: all of that is in this one
			if o.loop[n] != exit {
				top = o.loop[n]
				for o.outer[top] != exit && top != h {
					top = o.outer[top]
				}
			}
			if top == h || !o.dominates(h, n) {
				continue
			}
			if o.loop[top] == exit {
				o.loop[top] = h
			} else {
				o.outer[top] = h
			}
			todo = append(todo, preds[top]...)
		}
	}
}

// inside reports whether a node is in the loop of a header.
func (o *order) inside(n, header int) bool {
	for l := o.loop[n]; l != exit; l = o.outer[l] {
		if l == header {
			return true
		}
	}
	return false
}
