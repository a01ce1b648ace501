package meaning

import (
	"context"
	"fmt"

	"pakdb/codecs/internal/calligraphy"
)

func describeCalligraphy(ctx context.Context, root *Node, f *calligraphy.Facts, files Files) error {
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
			root.Add(a.Name, hexText(a.ID)).Note = "GUID " + hexText(a.GUID)
		}
	case f.Resource != nil:
		root.addText("class", f.Resource.Class)
		root.Add("class_id", fmt.Sprintf("0x%08x", f.Resource.ClassID))
		root.Add("version", int64(f.Resource.Version))
		root.Add("signature", fmt.Sprintf("0x%08x", f.Resource.Signature))
	}
	db.describeDirectory(root, f)
	return db.err
}

func describeCurve(root *Node, c *calligraphy.Curve) {
	root.Add("positions", fmt.Sprintf("%d to %d", c.Start, int64(c.Start)+int64(len(c.Values))-1))
	values := root.Add("values", nil)
	for i, v := range c.Values {
		values.Add(fmt.Sprint(int64(c.Start)+int64(i)), v)
	}
}

func (d *database) describeDirectory(root *Node, f *calligraphy.Facts) {
	for _, r := range f.Records {
		record := root.Add(r.Path, hexText(r.ID))
		record.Note = "GUID " + hexText(r.GUID)
		if r.Blueprint != 0 {
			record.Add("blueprint", d.name(blueprints, r.Blueprint))
		}
		if r.Flags != 0 {
			record.Add("flags", int64(r.Flags))
		}
	}
	for _, r := range f.Replacements {
		by := root.Add(r.Name, hexText(r.Old))
		if by.Note = "replaced by " + hexText(r.New); r.New == 0 {
			by.Note = "deleted"
		}
	}
}

func (d *database) describeBlueprint(root *Node, b *calligraphy.Blueprint) {
	root.addText("runtime_class", b.RuntimeClass)
	root.Add("default", d.name(prototypes, b.Default))
	d.describeLinks(root, "parents", b.Parents)
	d.describeLinks(root, "contributing", b.Contributing)
	members := root.Add("members", nil)
	for i := range b.Members {
		members.Add(b.Members[i].Name, d.declaration(&b.Members[i]))
	}
}

func (d *database) describeLinks(root *Node, name string, links []calligraphy.Link) {
	if len(links) == 0 {
		return
	}
	list := root.Add(name, nil)
	for _, l := range links {
		link := list.Add("", d.name(blueprints, l.Blueprint))
		if l.Copies > 1 {
			link.Note = fmt.Sprintf("%d copies", l.Copies)
		}
	}
}

// declaration returns the type of a field in words: "list of prototype Power".
func (d *database) declaration(m *calligraphy.Member) string {
	text := typeName(m.Type)
	if m.Structure == 'L' {
		text = "list of " + text
	}
	space := blueprints
	if m.Type == 'A' {
		space = assetTypes
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
