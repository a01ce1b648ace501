package catalog

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query/show"
)

// tree is what a walk reached, by the node it was reached from.
type tree struct {
	children map[string][]branch
	drawn    map[string]bool
	labels   map[string]string // of branches that are called otherwise than they are known
	out      *bufio.Writer
}

type branch struct {
	name  string
	kinds []string
	state string // "" when resolved
}

// printTree draws the walk as a tree. Several references of one node to another
// are one branch; a node that is in several places is drawn out once.
func printTree(ctx context.Context, a *cli.App, g *show.Graph, start show.Node, o show.GraphOptions) error {
	t := newTree(a)
	err := g.Walk(ctx, start, o, func(e show.Edge) error {
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
	if err == nil && o.Reverse && len(o.Kinds) == 0 {
		var uses []show.Use
		uses, err = show.Uses(ctx, g, start.Path)
		for i := range uses {
			t.addUse(start.Name(), &uses[i])
		}
	}
	if err != nil {
		return err
	}
	return t.print(start.Name())
}

func newTree(a *cli.App) *tree {
	return &tree{children: map[string][]branch{}, drawn: map[string]bool{}, labels: map[string]string{}, out: bufio.NewWriter(a.Stdout)}
}

// addUse adds a function below its package, which is a branch of root.
func (t *tree) addUse(root string, u *show.Use) {
	if u.Path == root {
		return // the package itself
	}
	if !slices.ContainsFunc(t.children[root], func(b branch) bool { return b.name == u.Path }) {
		t.children[root] = append(t.children[root], branch{u.Path, nil, ""})
	}
	kind := u.Kind
	if kind != "object" && kind != "soft" {
		kind = "call"
	}
	name := u.Path + "\x00" + u.Function // no node: packages may have functions of one name
	t.labels[name] = u.Function
	below := t.children[u.Path]
	for i := range below {
		if below[i].name == name {
			if !slices.Contains(below[i].kinds, kind) {
				below[i].kinds = append(below[i].kinds, kind)
			}
			return
		}
	}
	t.children[u.Path] = append(below, branch{name, []string{kind}, ""})
}

// print draws the tree of a root.
func (t *tree) print(root string) error {
	_, _ = fmt.Fprintln(t.out, terminal.Printable(root))
	t.draw(root, "")
	return t.out.Flush()
}

func (t *tree) add(near, far string, e show.Edge) {
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
		notes := slices.Clip(b.kinds)
		if b.state != "" {
			notes = append(notes, b.state)
		}
		again := t.drawn[b.name] && len(t.children[b.name]) > 0
		if again {
			notes = append(notes, "see above")
		}
		note := ""
		if len(notes) > 0 {
			note = " (" + strings.Join(notes, ", ") + ")"
		}
		_, _ = fmt.Fprintf(t.out, "%s%s%s%s\n", indent, corner, terminal.Printable(cmp.Or(t.labels[b.name], b.name)), note)
		if !again {
			t.draw(b.name, indent+next)
		}
	}
}

// printDot writes the walk for Graphviz.
func printDot(ctx context.Context, a *cli.App, g *show.Graph, start show.Node, o show.GraphOptions) error {
	w := bufio.NewWriter(a.Stdout)
	_, _ = fmt.Fprintf(w, "digraph pakdb {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\"];\n  %s [style=bold];\n", dotName(start.Name()))
	seen := map[string]bool{}
	err := g.Walk(ctx, start, o, func(e show.Edge) error {
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
