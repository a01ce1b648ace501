package archive

import (
	"bufio"
	"fmt"

	"pakdb/codecs"
	"pakdb/internal/terminal"
)

// prune leaves out what is more than depth levels below n.
func prune(n *codecs.Node, depth int) {
	if depth == 0 {
		n.Children = nil
	}
	for _, child := range n.Children {
		prune(child, depth-1)
	}
}

// drawing writes a tree for people: a line for each node.
type drawing struct {
	out   *bufio.Writer
	width int                 // cells of a line; 0: as many as it takes
	faint func(string) string // for what is beside the matter
}

func (d *drawing) draw(root *codecs.Node) error {
	d.line("", root, ": ")
	d.children("", root)
	return d.out.Flush()
}

func (d *drawing) children(indent string, n *codecs.Node) {
	for i, child := range n.Children {
		corner, next := "├── ", "│   "
		if i == len(n.Children)-1 {
			corner, next = "└── ", "    "
		}
		d.line(indent+corner, child, " = ")
		d.children(indent+next, child)
	}
}

// line writes a node: its name, its value and a note. Errors of out stay with it until
// it is flushed.
func (d *drawing) line(lead string, n *codecs.Node, between string) {
	text, value, note := terminal.Printable(n.Name), "", terminal.Printable(noteOf(n))
	if n.Value != nil {
		value = terminal.Printable(fmt.Sprint(n.Value))
	}
	if text != "" && value != "" {
		text += between
	}
	if note != "" {
		note = "  (" + note + ")"
	}
	if d.width > 0 {
		value, note = d.fit(d.width-terminal.Width(lead+text), value, note)
	}
	_, _ = fmt.Fprintf(d.out, "%s%s%s%s\n", d.faint(lead), text, value, d.faint(note))
}

// fit shortens a value, then what has no room beside it.
func (d *drawing) fit(room int, value, note string) (string, string) {
	value = terminal.Shorten(value, max(room, terminal.LeastWidth))
	if room -= terminal.Width(value); room < terminal.LeastWidth {
		return value, ""
	}
	return value, terminal.Shorten(note, room)
}

func noteOf(n *codecs.Node) string {
	switch {
	case n.Inherited == "":
		return n.Note
	case n.Note == "":
		return "inherited from " + n.Inherited
	}
	return n.Note + "; inherited from " + n.Inherited
}
