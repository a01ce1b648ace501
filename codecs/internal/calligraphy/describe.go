package calligraphy

import (
	"context"
	"fmt"
	"math"

	"pakdb/codecs"
)

// Describe implements [codecs.Describer].
func (f *Facts) Describe(ctx context.Context, root *codecs.Node, files codecs.Files) error {
	db := newDatabase(ctx, files)
	switch {
	case f.Prototype != nil:
		db.describePrototype(root, f.Prototype)
	case f.Blueprint != nil:
		db.describeBlueprint(root, f.Blueprint)
	case f.Curve != nil:
		describeCurve(root, f.Curve)
	case f.Assets != nil:
		for _, a := range f.Assets {
			root.Add(a.Name, idText(a.ID)).Note = "GUID " + idText(a.GUID)
		}
	case f.Resource != nil:
		root.AddText("class", f.Resource.Class)
		root.Add("class_id", fmt.Sprintf("0x%08x", f.Resource.ClassID))
		root.Add("version", int64(f.Resource.Version))
		root.Add("signature", fmt.Sprintf("0x%08x", f.Resource.Signature))
	}
	db.describeDirectory(root, f)
	return db.err
}

func describeCurve(root *codecs.Node, c *Curve) {
	root.Add("positions", fmt.Sprintf("%d to %d", c.Start, int64(c.Start)+int64(len(c.Values))-1))
	values := root.Add("values", nil)
	for i, v := range c.Values {
		values.Add(fmt.Sprint(int64(c.Start)+int64(i)), v)
	}
}

func (d *database) describeDirectory(root *codecs.Node, f *Facts) {
	for _, r := range f.Records {
		record := root.Add(r.Path, idText(r.ID))
		record.Note = "GUID " + idText(r.GUID)
		if r.Blueprint != 0 {
			record.Add("blueprint", d.name(spaceBlueprint, r.Blueprint))
		}
		if r.Flags != 0 {
			record.Add("flags", int64(r.Flags))
		}
	}
	for _, r := range f.Replacements {
		by := root.Add(r.Name, idText(r.Old))
		if by.Note = "replaced by " + idText(r.New); r.New == 0 {
			by.Note = "deleted"
		}
	}
}

func (d *database) describeBlueprint(root *codecs.Node, b *Blueprint) {
	root.AddText("runtime_class", b.RuntimeClass)
	root.Add("default", d.name(spacePrototype, b.Default))
	d.describeLinks(root, "parents", b.Parents)
	d.describeLinks(root, "contributing", b.Contributing)
	members := root.Add("members", nil)
	for i := range b.Members {
		members.Add(b.Members[i].Name, d.declaration(&b.Members[i]))
	}
}

func (d *database) describeLinks(root *codecs.Node, name string, links []Link) {
	if len(links) == 0 {
		return
	}
	list := root.Add(name, nil)
	for _, l := range links {
		link := list.Add("", d.name(spaceBlueprint, l.Blueprint))
		if l.Copies > 1 {
			link.Note = fmt.Sprintf("%d copies", l.Copies)
		}
	}
}

// declaration returns the type of a field in words: "list of prototype Power".
func (d *database) declaration(m *Member) string {
	text := typeName(m.Type)
	if m.Structure == 'L' {
		text = "list of " + text
	}
	space := spaceBlueprint
	if m.Type == 'A' {
		space = spaceAssetType
	}
	if name, ok := d.name(space, m.Subtype).(string); ok {
		text += " " + shortName(name)
	}
	return text
}

func typeName(t byte) string {
	switch t {
	case 'A':
		return "asset"
	case 'B':
		return "bool"
	case 'C':
		return "curve"
	case 'D':
		return "double"
	case 'L':
		return "long"
	case 'P':
		return "prototype"
	case 'R':
		return "embedded prototype"
	case 'S':
		return "locale string"
	case 'T':
		return "asset type"
	}
	return fmt.Sprintf("type %q", t)
}

// place is a body of a prototype, and the file that it is in.
type place struct {
	file string // "" of the content itself
	*Prototype
	body int32
}

// fieldKey identifies a field of a prototype.
type fieldKey struct {
	blueprint, id uint64
	copy          uint8
}

// mostEmbedded bounds bodies within bodies: those that are inherited may repeat.
const mostEmbedded = 64

func (d *database) describePrototype(root *codecs.Node, p *Prototype) {
	if len(p.Bodies) > 0 {
		d.describeBody(root, place{"", p, 0}, 0)
	}
}

// describeBody adds a body: its parents, the nearest first, the values that it sets,
// and those that it inherits.
func (d *database) describeBody(n *codecs.Node, at place, depth int) {
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
func (d *database) chain(n *codecs.Node, at place) []place {
	all := []place{at}
	seen := map[uint64]bool{}
	for parent := at.Bodies[at.body].Parent; parent != 0 && !seen[parent] && len(all) <= mostParents; {
		seen[parent] = true
		node := n.Add("parent", d.name(spacePrototype, parent))
		path := d.path(spacePrototype, parent)
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

func (d *database) describeField(n *codecs.Node, at place, f *Field, depth int) {
	g := at.Groups[f.Group]
	m := d.member(g.Blueprint, f.ID, 0)
	name, subtype := idText(f.ID), uint64(0)
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
func (d *database) describeValue(node *codecs.Node, at place, f *Field, subtype uint64, i int32, depth int) {
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
		node.Set(math.Float64frombits(v))
	case 'A':
		node.Value = d.asset(subtype, v)
	case 'C':
		node.Value = d.name(spaceCurve, v)
	case 'P':
		node.Value = d.name(spacePrototype, v)
	case 'T':
		node.Value = d.name(spaceAssetType, v)
	case 'S':
		node.Value, node.Note = idText(v), "locale string"
	case 'R':
		if v < uint64(len(at.Bodies)) {
			d.describeBody(node, place{at.file, at.Prototype, int32(v)}, depth+1)
		}
	}
	if node.Value == nil && v == 0 && f.Type != 'R' {
		node.Note = "none"
	}
}
