package codecs

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"pakdb/internal/family"
)

// Node is one thing that a content says, and what it consists of.
type Node struct {
	Name  string `json:"name,omitempty"`
	Value any    `json:"value,omitempty"` // string, int64, float64 or bool; nil: none
	Note  string `json:"note,omitempty"`  // what else there is to say, for people
	// Inherited is the file that the value comes from, where this one leaves it out.
	Inherited string  `json:"inherited_from,omitempty"`
	Children  []*Node `json:"children,omitempty"`
}

// Add appends a child with a value, and returns it.
func (n *Node) Add(name string, value any) *Node {
	child := &Node{Name: name}
	child.Set(value)
	n.Children = append(n.Children, child)
	return child
}

// Set sets the value, of one of the types of Node.Value; a number that JSON does not have
// becomes text.
func (n *Node) Set(value any) {
	if f, ok := value.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		value = fmt.Sprint(f)
	}
	n.Value = value
}

// AddText appends a child, unless text is empty.
func (n *Node) AddText(name, text string) {
	if text != "" {
		n.Add(name, text)
	}
}

// AddCount appends a child, unless count is 0.
func (n *Node) AddCount(name string, count int) {
	if count != 0 {
		n.Add(name, int64(count))
	}
}

// Files are the other files of the game that a content is read with. An
// implementation may be used by one goroutine at a time.
type Files interface {
	// Facts returns what the content of the file at path says, or an error of class
	// fs.ErrNotExist.
	Facts(ctx context.Context, path string) (*Facts, error)
	// Name returns what an id means that entries of archives bear themselves,
	// "" if that is not known.
	Name(space Space, id ID) string
}

// Meaning returns what a content means: its kind, and below it all that is known. files
// may be nil: then ids stay ids. It fails only if reading one of files fails; what is
// not there is left unresolved.
func Meaning(ctx context.Context, facts *Facts, files Files) (*Node, error) {
	root := &Node{Value: facts.Kind}
	if files == nil {
		files = none{}
	}
	if err := details(ctx, root, facts, files); err != nil {
		return nil, err
	}
	for _, p := range facts.Problems {
		root.Add("problem", p.Error())
	}
	return root, nil
}

// Describer is a [Facts.Detail] that adds its family's knowledge of a content.
type Describer interface {
	Describe(ctx context.Context, root *Node, files Files) error
}

func details(ctx context.Context, root *Node, facts *Facts, files Files) error {
	switch d := facts.Detail.(type) {
	case Describer:
		return d.Describe(ctx, root, files)
	case *family.PlainFacts:
		describeFigures(root, d)
		return nil
	}
	describeRefs(root, facts, files)
	return nil
}

// describeFigures adds what was counted, and the lines of a text.
func describeFigures(root *Node, d *family.PlainFacts) {
	for _, f := range d.Figures {
		root.Add(f.Name, f.Value)
	}
	if len(d.Blocks) == 0 {
		return
	}
	text := root.Add("text", nil)
	for _, b := range d.Blocks {
		for i, line := range strings.Split(d.Texts[b.Text], "\n") {
			if line != "" {
				text.Add(strconv.Itoa(int(b.Line)+i), line)
			}
		}
	}
}

// describeRefs adds what any content says: what it defines and refers to.
func describeRefs(root *Node, facts *Facts, files Files) {
	if symbols := facts.Defines(); len(symbols) > 0 {
		defines := root.Add("defines", nil)
		for _, s := range symbols {
			defines.Add(string(s.Space), keyText(s.ID, s.Name)).Note = s.Path
		}
	}
	if len(facts.Refs) == 0 {
		return
	}
	kinds, _ := facts.Detail.(interface{ RefType(i int) string })
	refs := root.Add("refers to", nil)
	for i, r := range facts.Refs {
		child := refs.Add(r.Kind, keyText(r.ID, r.Name))
		child.Note = files.Name(r.Space, r.ID)
		if kinds != nil {
			child.Name = cmp.Or(kinds.RefType(i), child.Name)
		}
	}
}

func keyText(id ID, name string) string {
	if id.IsZero() {
		return name
	}
	return id.String()
}

// none is no files.
type none struct{}

func (none) Facts(context.Context, string) (*Facts, error) { return nil, fs.ErrNotExist }

func (none) Name(Space, ID) string { return "" }
