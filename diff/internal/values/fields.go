package values

import (
	"slices"
	"strconv"
	"strings"
)

// node compares what lies at one path on both sides.
func (c *comparer) node(at path, a, b *node) {
	c.pair(a, b)
	if a.hash() == b.hash() {
		return
	}
	if x, y := a.single(), b.single(); x != "" && y != "" {
		c.add(at.text(c.prefix), &x, &y, isID(a) && isID(b))
		return
	}
	if a.isArray() && b.isArray() {
		c.elements(at, a.children, b.children)
		return
	}
	gone := a.children
	if len(b.byStep) > 0 {
		gone = slices.DeleteFunc(slices.Clone(a.children), func(x child) bool { return b.at(x.step) != nil })
	}
	bySum := map[uint64][]step{} // of elements that went, by what they hold
	for _, x := range gone {
		if x.step.isElement() {
			bySum[x.hash()] = append(bySum[x.hash()], x.step)
		}
	}
	renamed := map[step]bool{}
	for _, y := range b.children {
		if x := a.at(y.step); x != nil {
			c.node(at.with(y.step), x, y.node)
		} else if !y.step.isElement() {
			c.came(at.with(y.step), y)
		} else if old := bySum[y.hash()]; len(old) > 0 {
			c.add(at.text(c.prefix)+" row", &old[0].name, &y.step.name, false)
			c.pair(a.at(old[0]), y.node)
			renamed[old[0]] = true
			bySum[y.hash()] = old[1:]
		} else {
			c.came(at.with(y.step), y)
		}
	}
	for _, x := range gone {
		if !renamed[x.step] {
			c.went(at.with(x.step), x)
		}
	}
	if a.leaf != nil && b.leaf != nil && a.leaf.compared() != b.leaf.compared() {
		c.add(at.text(c.prefix), &a.leaf.Value, &b.leaf.Value, isID(a))
	}
}

// list yields all values of a node.
func (n *node) list(at path, object string, yield func(name, value string, n *node)) {
	if text := n.single(); text != "" && len(at.steps) > 0 {
		yield(at.text(object), text, n)
		return
	}
	if n.leaf != nil {
		yield(at.text(object), n.leaf.Value, n)
	}
	for _, below := range n.children {
		if value := below.value(); value != nil && keyed(n.children) {
			value.list(at.with(step{below.at(keyStep).summary(), key}), object, yield)
			continue
		}
		below.list(at.with(below.step), object, yield)
	}
}

// inherited is what is said of a field that is not there: what the object has in its
// place, where that is known.
func (c *comparer) inherited(from *objects, at path) string {
	const unknown = "default"
	o := from.byPath[Fold(c.object)]
	if o == nil {
		return unknown
	}
	n := &o.root
	for _, s := range at.steps {
		if n = n.at(s); n == nil {
			return unknown
		}
	}
	return unknown + " (" + strings.Trim(n.summary(), "()") + ")"
}

// came reports a node that only the new side has, and went one that only the old
// side has. A field that is not there is inherited, an element is not.
func (c *comparer) came(at path, n child) {
	text := n.summary()
	if n.step.isElement() {
		c.add(at.text(c.prefix), nil, &text, false)
		return
	}
	old := c.inherited(c.old(), at)
	c.add(at.text(c.prefix), &old, &text, false)
}

func (c *comparer) went(at path, n child) {
	text := n.summary()
	if n.step.isElement() {
		c.add(at.text(c.prefix), &text, nil, false)
		return
	}
	new := c.inherited(c.new(), at)
	c.add(at.text(c.prefix), &text, &new, false)
}

// isID reports a value that each save makes anew and that no game reads.
func isID(n *node) bool {
	return n.leaf != nil && strings.Contains(Fold(n.leaf.Type), "guid")
}

// shapes are the fields of structs that are one value for people.
var shapes = [][]string{
	{"X", "Y"}, {"X", "Y", "Z"}, {"X", "Y", "Z", "W"}, {"Pitch", "Yaw", "Roll"}, {"R", "G", "B", "A"}, {"B", "G", "R", "A"},
	{"Left", "Top", "Right", "Bottom"}, {"Min", "Max"},
}

// single returns a node as one value, "" for one that is not.
func (n *node) single() string {
	if n.leaf != nil && len(n.children) == 0 {
		return n.leaf.Value
	}
	for _, shape := range shapes {
		if len(shape) != len(n.children) || n.leaf != nil {
			continue
		}
		var values []string
		for i, c := range n.children {
			if !strings.EqualFold(c.step.name, shape[i]) || c.step.isElement() || c.leaf == nil || len(c.children) > 0 {
				break
			}
			values = append(values, strings.TrimSuffix(c.leaf.Value, ".0"))
		}
		if len(values) == len(shape) {
			return "(" + strings.Join(values, ", ") + ")"
		}
	}
	return ""
}

// isArray reports whether all below are elements by index.
func (n *node) isArray() bool {
	return n.leaf == nil && !slices.ContainsFunc(n.children, func(c child) bool { return c.step.kind != index })
}

// mostShown is how many values of a node that came or went are reported.
const mostShown = 6

// summary returns a node in one line.
func (n *node) summary() string {
	if text := n.single(); text != "" {
		return text
	}
	var parts []string
	left := 0
	n.each("", func(name, value string) {
		if len(parts) < mostShown {
			parts = append(parts, name+" "+value)
		} else {
			left++
		}
	})
	if left > 0 {
		parts = append(parts, "and "+strconv.Itoa(left)+" more")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// each yields the values below a node.
func (n *node) each(name string, yield func(name, value string)) {
	if text := n.single(); text != "" && name != "" {
		yield(name, text)
		return
	}
	if n.leaf != nil {
		yield(name, n.leaf.Value)
	}
	for _, c := range n.children {
		switch {
		case c.step.isElement():
			c.each(name+"["+c.step.name+"]", yield)
		case name == "":
			c.each(c.step.name, yield)
		default:
			c.each(name+"."+c.step.name, yield)
		}
	}
}
