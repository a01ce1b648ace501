package catalog

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query/graph"
)

// tree is what a walk reached, by the node it was reached from.
type tree struct {
	children map[string][]branch
	drawn    map[string]bool
	out      *bufio.Writer
}

type branch struct {
	name  string
	kinds []string
	state string // "" when resolved
}

// printTree draws the walk as a tree. Several references of one node to another
// are one branch; a node that stands in several places is drawn out once.
func printTree(ctx context.Context, a *cli.App, g *graph.Graph, start graph.Node, o graph.Options) error {
	t := &tree{children: map[string][]branch{}, drawn: map[string]bool{}, out: bufio.NewWriter(a.Stdout)}
	err := g.Walk(ctx, start, o, func(e graph.Edge) error {
		near, far := e.From, e.To
		if o.Reverse {
			near, far = e.To, e.From
			if near.Path == "" {
				near = start
			}
		}
		t.add(near.Name(), far.Name(), e)
		return nil
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(t.out, terminal.Printable(start.Name()))
	t.draw(start.Name(), "")
	return t.out.Flush()
}

func (t *tree) add(near, far string, e graph.Edge) {
	state := ""
	if e.Status != "resolved" {
		state = e.Status
	}
	branches := t.children[near]
	for i := range branches {
		if b := &branches[i]; b.name == far {
			if !strings.Contains(","+strings.Join(b.kinds, ",")+",", ","+e.Kind+",") {
				b.kinds = append(b.kinds, e.Kind)
			}
			return
		}
	}
	t.children[near] = append(branches, branch{far, []string{e.Kind}, state})
}

func (t *tree) draw(node, indent string) {
	t.drawn[node] = true
	branches := t.children[node]
	for i, b := range branches {
		corner, next := "├── ", "│   "
		if i == len(branches)-1 {
			corner, next = "└── ", "    "
		}
		note := strings.Join(b.kinds, ", ")
		if b.state != "" {
			note += ", " + b.state
		}
		again := t.drawn[b.name] && len(t.children[b.name]) > 0
		if again {
			note += ", see above"
		}
		_, _ = fmt.Fprintf(t.out, "%s%s%s (%s)\n", indent, corner, terminal.Printable(b.name), note)
		if !again {
			t.draw(b.name, indent+next)
		}
	}
}

// printDot writes the walk for Graphviz.
func printDot(ctx context.Context, a *cli.App, g *graph.Graph, start graph.Node, o graph.Options) error {
	w := bufio.NewWriter(a.Stdout)
	_, _ = fmt.Fprintf(w, "digraph pakdb {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\"];\n  %s [style=bold];\n", dotName(start.Name()))
	seen := map[string]bool{}
	err := g.Walk(ctx, start, o, func(e graph.Edge) error {
		style := ""
		if e.Status == "missing" {
			style = ", color=red"
		}
		line := fmt.Sprintf("  %s -> %s [label=%s%s];\n", dotName(e.From.Name()), dotName(e.To.Name()), dotName(e.Kind), style)
		if seen[line] {
			return nil
		}
		seen[line] = true
		_, err := w.WriteString(line)
		return err
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, "}")
	return w.Flush()
}

// dotName quotes a string as Graphviz wants it.
func dotName(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(terminal.Printable(s)) + `"`
}
