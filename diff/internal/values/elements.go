package values

import (
	"slices"
	"strconv"

	"pakdb/internal/longest"
)

// elements compares arrays. Elements that are the same stay, in the longest run that
// both sides have in one order; between them the first that is left on one side is taken
// to have become the first that is left on the other, and so on. It takes n log n steps.
func (c *comparer) elements(at path, a, b []child) {
	if keyed(a) && keyed(b) {
		c.pairs(at, a, b)
		return
	}
	stay, kept := match(a, b)
	for _, k := range stay {
		c.pair(a[k.old].node, b[k.new].node)
	}
	moved := len(stay) - len(kept)
	taken := map[uint64]int{} // moved elements, which did not come or go
	if moved > 0 {
		old, new := plural(moved), "in another place"
		c.add(at.text(c.prefix), &old, &new, true)
		taken = movedSums(a, b, kept)
	}
	left := func(of []child, from, to int, used map[uint64]int) (rest []child) {
		for _, x := range of[from:to] {
			if used[x.hash()] > 0 {
				used[x.hash()]--
				continue
			}
			rest = append(rest, x)
		}
		return rest
	}
	usedOld, usedNew := clone(taken), clone(taken)
	i, j := 0, 0
	for _, k := range append(kept, pair{len(a), len(b)}) {
		c.gap(at, left(a, i, k.old, usedOld), left(b, j, k.new, usedNew))
		i, j = k.old+1, k.new+1
	}
}

func plural(n int) string {
	if n == 1 {
		return "1 element"
	}
	return strconv.Itoa(n) + " elements"
}

func clone(m map[uint64]int) map[uint64]int {
	out := make(map[uint64]int, len(m))
	for k, n := range m {
		out[k] = n
	}
	return out
}

// gap compares what is left between elements that stay.
func (c *comparer) gap(at path, a, b []child) {
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b):
			c.node(at.with(b[i].step), a[i].node, b[i].node)
		case i < len(b):
			c.came(at.with(b[i].step), b[i])
		default:
			c.went(at.with(a[i].step), a[i])
		}
	}
}

var (
	keyStep   = step{"Key", field}
	valueStep = step{"Value", field}
)

// keyed reports the pairs of a map.
func keyed(all []child) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(c child) bool { return c.at(keyStep) == nil })
}

// pairs compares maps, by their keys.
func (c *comparer) pairs(at path, a, b []child) {
	before := make(map[uint64]child, len(a))
	for _, x := range a {
		before[x.at(keyStep).hash()] = x
	}
	for _, y := range b {
		k := y.at(keyStep)
		to := at.with(step{k.summary(), key})
		x, stays := before[k.hash()]
		delete(before, k.hash())
		old, new := x.value(), y.value()
		switch {
		case stays && old != nil && new != nil:
			c.node(to, old, new)
		case !stays:
			c.came(to, child{step{"", key}, y.valueOrSelf()})
		}
	}
	for _, x := range a {
		k := x.at(keyStep)
		if _, gone := before[k.hash()]; gone {
			delete(before, k.hash())
			c.went(at.with(step{k.summary(), key}), child{step{"", key}, x.valueOrSelf()})
		}
	}
}

func (c child) value() *node {
	if c.node == nil {
		return nil
	}
	return c.at(valueStep)
}

func (c child) valueOrSelf() *node {
	if v := c.value(); v != nil {
		return v
	}
	return c.node
}

// pair is an element of both sides.
type pair struct{ old, new int }

// match returns the elements that both sides have, and of these the ones that stay in
// their order.
func match(a, b []child) (all, kept []pair) {
	places := map[uint64][]int{}
	for i, x := range a {
		places[x.hash()] = append(places[x.hash()], i)
	}
	for j, y := range b {
		if at := places[y.hash()]; len(at) > 0 {
			all = append(all, pair{at[0], j})
			places[y.hash()] = at[1:]
		}
	}
	for _, i := range longest.Run(all, func(p pair) int { return p.old }) {
		kept = append(kept, all[i])
	}
	return all, kept
}

// movedSums counts the elements that are on both sides and do not stay.
func movedSums(a, b []child, kept []pair) map[uint64]int {
	count := func(all []child, place func(pair) int) map[uint64]int {
		n := map[uint64]int{}
		for _, x := range all {
			n[x.hash()]++
		}
		for _, k := range kept {
			n[all[place(k)].hash()]--
		}
		return n
	}
	old, new := count(a, func(p pair) int { return p.old }), count(b, func(p pair) int { return p.new })
	for k, n := range old {
		old[k] = min(n, new[k])
	}
	return old
}
