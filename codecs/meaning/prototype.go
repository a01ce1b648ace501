package meaning

import (
	"fmt"
	"math"

	"pakdb/codecs/internal/calligraphy"
)

// place is a body of a prototype, and the file that it is in.
type place struct {
	file string // "" of the content itself
	*calligraphy.Prototype
	body int32
}

// fieldKey tells the fields of a prototype apart.
type fieldKey struct {
	blueprint, id uint64
	copy          uint8
}

// mostEmbedded bounds bodies within bodies: those that are inherited may repeat.
const mostEmbedded = 64

func (d *database) describePrototype(root *Node, p *calligraphy.Prototype) {
	if len(p.Bodies) > 0 {
		d.describeBody(root, place{"", p, 0}, 0)
	}
}

// describeBody adds a body: its parents, the nearest first, the values that it sets,
// and those that it inherits.
func (d *database) describeBody(n *Node, at place, depth int) {
	if depth > mostEmbedded {
		n.Add("", "embedded too deep")
		return
	}
	chain := d.chain(n, at)
	set := map[fieldKey]bool{}
	for _, from := range chain {
		for i := range from.Fields {
			f := &from.Fields[i]
			if int(f.Group) >= len(from.Groups) || from.Groups[f.Group].Body != from.body {
				continue
			}
			g := from.Groups[f.Group]
			key := fieldKey{g.Blueprint, f.ID, g.Copy}
			if set[key] {
				continue // a nearer one has another value
			}
			set[key] = true
			d.describeField(n, from, f, depth)
		}
	}
}

// chain returns the body and those that it inherits from, the nearest first, and adds
// the names of these to n.
func (d *database) chain(n *Node, at place) []place {
	all := []place{at}
	seen := map[uint64]bool{}
	for parent := at.Bodies[at.body].Parent; parent != 0 && !seen[parent] && len(all) <= mostParents; {
		seen[parent] = true
		node := n.Add("parent", d.name(prototypes, parent))
		path := d.path(prototypes, parent)
		f := d.load(path)
		if f == nil || f.Prototype == nil || len(f.Prototype.Bodies) == 0 {
			node.Note = "not found: its values are missing here"
			break
		}
		all = append(all, place{path, f.Prototype, 0})
		parent = f.Prototype.Bodies[0].Parent
	}
	return all
}

func (d *database) describeField(n *Node, at place, f *calligraphy.Field, depth int) {
	g := at.Groups[f.Group]
	m := d.member(g.Blueprint, f.ID, 0)
	name, subtype := hexText(f.ID), uint64(0)
	if m != nil {
		name, subtype = m.Name, m.Subtype
	}
	if g.Copy != 0 {
		name += fmt.Sprintf("#%d", g.Copy) // as diff has it
	}
	node := n.Add(name, nil)
	node.Inherited = at.file
	if f.Structure != 'L' {
		d.describeValue(node, at, f, subtype, 0, depth)
		return
	}
	node.Note = fmt.Sprintf("list of %d", f.Count)
	for i := range int32(f.Count) {
		d.describeValue(node.Add(fmt.Sprintf("[%d]", i), nil), at, f, subtype, i, depth)
	}
}

// describeValue sets the value of a node: the i-th of a field.
func (d *database) describeValue(node *Node, at place, f *calligraphy.Field, subtype uint64, i int32, depth int) {
	if int(f.First+i) >= len(at.Values) {
		return // a damaged file ends early
	}
	v := at.Values[f.First+i]
	switch f.Type {
	case 'B':
		node.Value = v != 0
	case 'L':
		node.Value = int64(v)
	case 'D':
		node.Value = finite(math.Float64frombits(v))
	case 'A':
		node.Value = d.asset(subtype, v)
	case 'C':
		node.Value = d.name(curves, v)
	case 'P':
		node.Value = d.name(prototypes, v)
	case 'T':
		node.Value = d.name(assetTypes, v)
	case 'S':
		node.Value, node.Note = hexText(v), "locale string"
	case 'R':
		if v < uint64(len(at.Bodies)) {
			d.describeBody(node, place{at.file, at.Prototype, int32(v)}, depth+1)
		}
	}
	if node.Value == nil && v == 0 && f.Type != 'R' {
		node.Note = "none"
	}
}

// finite returns a number, or its text where JSON does not have it.
func finite(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}
