package archive

import (
	"bufio"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/internal/terminal"
)

func tree() *codecs.Node {
	root := &codecs.Node{Name: "Game/A.prototype", Value: "prototype"}
	list := root.Add("Powers", nil)
	list.Note = "list of 2"
	list.Add("[0]", "Game/Powers/Player/Aegis/Beam.prototype").Inherited = "Game/Powers/Base.defaults"
	list.Add("[1]", int64(7)).Note = "two\x1b[2J"
	root.Add("", false)
	return root
}

func draw(t *testing.T, n *codecs.Node, width int) string {
	t.Helper()
	var b strings.Builder
	faint := func(s string) string { return s }
	d := &drawing{bufio.NewWriter(&b), width, faint}
	if err := d.draw(n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDraw(t *testing.T) {
	const want = `Game/A.prototype: prototype
├── Powers  (list of 2)
│   ├── [0] = Game/Powers/Player/Aegis/Beam.prototype  (inherited from Game/Powers/Base.defaults)
│   └── [1] = 7  (two\x1b[2J)
└── false
`
	if got := draw(t, tree(), 0); got != want {
		t.Errorf("%s", got)
	}
	short := tree()
	if prune(short, 1); draw(t, short, 0) != "Game/A.prototype: prototype\n├── Powers  (list of 2)\n└── false\n" {
		t.Errorf("%s", draw(t, short, 0))
	}
}

func TestDrawingFitsTheTerminal(t *testing.T) {
	for width := 30; width < 100; width++ {
		for line := range strings.Lines(draw(t, tree(), width)) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d cells, want %d: %s", n, width, line)
			}
		}
	}
}
