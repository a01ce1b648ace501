// Package meaning presents a content as a tree, for people and programs: whatever
// inspects it.
//
// [Of] begins with the [codecs.Facts] of one content. The names of what it refers to
// come from [Files], the other files of the game. A family of formats has its own
// file here, and one line in [details].
package meaning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unreal"
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

// Add appends a child with a value, and returns it. Values are of the types of
// Node.Value; a number that JSON does not have becomes text.
func (n *Node) Add(name string, value any) *Node {
	if f, ok := value.(float64); ok {
		value = finite(f)
	}
	child := &Node{Name: name, Value: value}
	n.Children = append(n.Children, child)
	return child
}

// addText appends a child, unless text is empty.
func (n *Node) addText(name, text string) {
	if text != "" {
		n.Add(name, text)
	}
}

// addCount appends a child, unless count is 0.
func (n *Node) addCount(name string, count int) {
	if count != 0 {
		n.Add(name, int64(count))
	}
}

// Files are the other files of the game that a content is read with. An
// implementation may be used by one goroutine at a time.
type Files interface {
	// Facts returns what the content of the file at path says, or an error of class
	// fs.ErrNotExist.
	Facts(ctx context.Context, path string) (*codecs.Facts, error)
	// Name returns what an id means that entries of archives bear themselves,
	// "" if that is not known.
	Name(space codecs.Space, id codecs.ID) string
}

// Of returns what a content means: its kind, and below it all that is known. files
// may be nil: then ids stay ids. It fails only if reading one of files fails; what is
// not there is left unresolved.
func Of(ctx context.Context, facts *codecs.Facts, files Files) (*Node, error) {
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

// details adds what the family of formats knows of a content.
func details(ctx context.Context, root *Node, facts *codecs.Facts, files Files) error {
	switch d := facts.Detail.(type) {
	case *calligraphy.Facts:
		return describeCalligraphy(ctx, root, d, files)
	case *unreal.PackageFacts:
		describePackage(root, d)
		return nil
	case *unreal.ContainerFacts:
		describeContainer(root, d)
		return nil
	case *family.PlainFacts:
		describeFigures(root, d)
		return nil
	case *unreal.ScriptObjectFacts:
		describeScripts(root, d)
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
func describeRefs(root *Node, facts *codecs.Facts, files Files) {
	if len(facts.Symbols) > 0 {
		defines := root.Add("defines", nil)
		for _, s := range facts.Symbols {
			defines.Add(string(s.Space), keyText(s.ID, s.Name)).Note = s.Path
		}
	}
	if len(facts.Refs) == 0 {
		return
	}
	retro, _ := facts.Detail.(*retropak.Facts)
	refs := root.Add("refers to", nil)
	for i, r := range facts.Refs {
		child := refs.Add(r.Kind, keyText(r.ID, r.Name))
		child.Note = files.Name(r.Space, r.ID)
		if retro != nil && i < len(retro.Types) {
			child.Name = retro.Types[i]
		}
	}
}

func keyText(id codecs.ID, name string) string {
	if id.IsZero() {
		return name
	}
	return id.String()
}

// none is no files.
type none struct{}

func (none) Facts(context.Context, string) (*codecs.Facts, error) { return nil, fs.ErrNotExist }

func (none) Name(codecs.Space, codecs.ID) string { return "" }

// absent reports whether a file is not there, or says nothing: what it is wanted for
// stays unresolved then.
func absent(err error) bool {
	var damaged *codecs.FormatError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &damaged)
}

func hexText(id uint64) string { return fmt.Sprintf("0x%016x", id) }
