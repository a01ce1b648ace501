package show

import (
	"bufio"
	"fmt"
	"io"

	"pakdb/codecs/meaning"
	"pakdb/internal/terminal"
)

// Prune leaves out what is more than depth levels below n.
func Prune(n *meaning.Node, depth int) {
	if depth == 0 {
		n.Children = nil
	}
	for _, child := range n.Children {
		Prune(child, depth-1)
	}
}

// Style is how a tree is drawn.
type Style struct {
	Width     int                 // cells of a line; 0: as many as it takes
	Printable func(string) string // replaces what would command a terminal
	Faint     func(string) string // for what is beside the matter
}

// Draw writes a tree for people: a line for each node.
func Draw(w io.Writer, root *meaning.Node, style Style) error {
	d := &drawing{Style: style, out: bufio.NewWriter(w)}
	d.line("", root, ": ")
	d.children("", root)
	return d.out.Flush()
}

type drawing struct {
	Style
	out *bufio.Writer
}

func (d *drawing) children(indent string, n *meaning.Node) {
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
func (d *drawing) line(lead string, n *meaning.Node, between string) {
	text, value, note := d.Printable(n.Name), "", d.Printable(noteOf(n))
	if n.Value != nil {
		value = d.Printable(fmt.Sprint(n.Value))
	}
	if text != "" && value != "" {
		text += between
	}
	if note != "" {
		note = "  (" + note + ")"
	}
	if d.Width > 0 {
		value, note = d.fit(d.Width-terminal.Width(lead+text), value, note)
	}
	_, _ = fmt.Fprintf(d.out, "%s%s%s%s\n", d.Faint(lead), text, value, d.Faint(note))
}

// fit shortens a value, then what has no room beside it.
func (d *drawing) fit(room int, value, note string) (string, string) {
	value = terminal.Shorten(value, max(room, terminal.LeastWidth))
	if room -= terminal.Width(value); room < terminal.LeastWidth {
		return value, ""
	}
	return value, terminal.Shorten(note, room)
}

func noteOf(n *meaning.Node) string {
	switch {
	case n.Inherited == "":
		return n.Note
	case n.Note == "":
		return "inherited from " + n.Inherited
	}
	return n.Note + "; inherited from " + n.Inherited
}
