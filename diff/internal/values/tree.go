package values

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// objects are those of one side.
type objects struct {
	list   []*object
	byPath map[string]*object // by folded path
}

type object struct {
	path, class string
	root        node
}

// node is a field, an element, or an object as a whole.
type node struct {
	leaf     *Row
	children []child
	byStep   map[step]*node // by folded step
	sum      uint64         // of all below; 0: not computed yet
}

type child struct {
	step step
	*node
}

// step leads from a node to one below.
type step struct {
	name string
	kind kind
}

// kind is what a step leads to.
type kind uint8

const (
	field kind = iota
	index
	key
)

func (s step) isElement() bool { return s.kind != field }

// folded returns the step as steps are compared. Two cooks of one asset spell a name as
// each process met it first.
func (s step) folded() step { return step{Fold(s.name), s.kind} }

// Fold returns a name as the engine compares names: without case.
func Fold(name string) string { return strings.ToLower(name) }

// named are the types of values that are names, members of enums and paths of objects. All
// other texts are compared with their case.
var named = []string{"Name", "Enum", "Byte", "Object", "Class", "WeakObject", "LazyObject", "SoftObject", "SoftClass", "AssetObject",
	"AssetClass", "Interface", "Delegate", "MulticastDelegate", "MulticastInlineDelegate", "MulticastSparseDelegate", "FieldPath",
	"Struct<SoftObjectPath>", "Struct<SoftClassPath>", "Struct<StringAssetReference>", "Struct<StringClassReference>"}

// compared returns the value as values are compared.
func (r *Row) compared() string {
	kind, _, _ := strings.Cut(r.Type, "<")
	if slices.Contains(named, kind) || slices.Contains(named, r.Type) {
		return Fold(r.Value)
	}
	return r.Value
}

// path is where a node is, below an object.
type path struct {
	table bool // the rows of the object are said to be its elements
	steps []step
}

func (p path) with(s step) path {
	return path{p.table, append(p.steps[:len(p.steps):len(p.steps)], s)}
}

// text returns the path after the name of its object.
func (p path) text(object string) string {
	var b strings.Builder
	b.WriteString(object)
	steps := p.steps
	if p.table && len(steps) > 0 && steps[0] == (step{"Rows", field}) {
		steps = steps[1:]
	}
	for _, s := range steps {
		if s.isElement() {
			b.WriteString("[" + s.name + "]")
		} else {
			b.WriteString("." + s.name)
		}
	}
	return b.String()
}

func objectsOf(rows []Row) *objects {
	all := &objects{byPath: map[string]*object{}}
	for i := range rows {
		r := &rows[i]
		path := Fold(r.Object)
		o := all.byPath[path]
		if o == nil {
			o = &object{path: r.Object, class: r.Class}
			all.byPath[path] = o
			all.list = append(all.list, o)
		}
		at := &o.root
		for _, s := range stepsOf(r) {
			at = at.below(s)
		}
		at.leaf = r
	}
	return all
}

// at returns the node that a step leads to, nil for none.
func (n *node) at(s step) *node { return n.byStep[s.folded()] }

func (n *node) below(s step) *node {
	if below := n.at(s); below != nil {
		return below
	}
	if n.byStep == nil {
		n.byStep = map[step]*node{}
	}
	below := &node{}
	n.byStep[s.folded()] = below
	n.children = append(n.children, child{s, below})
	return below
}

// stepsOf takes a path apart. Names of fields have neither points nor brackets; keys of
// inner elements may have, and are then steps of their own kind.
func stepsOf(r *Row) (steps []step) {
	rest := r.Field
	for rest != "" {
		switch end := strings.IndexAny(rest, ".["); {
		case strings.HasPrefix(rest, "[]"):
			outer := step{r.Element, index}
			if r.Keyed {
				outer.kind = key
			}
			steps, rest = append(steps, outer), rest[2:]
		case rest[0] == '[':
			end = strings.IndexByte(rest, ']')
			if end < 0 {
				return append(steps, step{rest[1:], key})
			}
			inner := step{rest[1:end], key}
			if _, err := strconv.ParseUint(inner.name, 10, 31); err == nil {
				inner.kind = index
			}
			steps, rest = append(steps, inner), rest[end+1:]
		case rest[0] == '.':
			rest = rest[1:]
		case end < 0:
			return append(steps, step{rest, field})
		default:
			steps, rest = append(steps, step{rest[:end], field}), rest[end:]
		}
	}
	return steps
}

// seed keeps anybody from making values that differ and have one hash.
var seed = maphash.MakeSeed()

// hash is the same for nodes with the same values.
func (n *node) hash() uint64 {
	if n.sum != 0 {
		return n.sum
	}
	var h maphash.Hash
	h.SetSeed(seed)
	if n.leaf != nil {
		_, _ = h.WriteString(n.leaf.compared())
	}
	for _, c := range n.children {
		_, _ = h.WriteString("\x00" + Fold(c.step.name) + "\x01")
		sum := c.hash()
		for range 8 {
			_ = h.WriteByte(byte(sum))
			sum >>= 8
		}
	}
	n.sum = max(h.Sum64(), 1)
	return n.sum
}

// key is the same for objects of one class with the same values, "" for too few
// values.
func (o *object) key() string {
	if len(o.root.children) == 0 {
		return ""
	}
	h := o.root.hash()
	b := []byte(Fold(o.class) + "\x00")
	for range 8 {
		b, h = append(b, byte(h)), h>>8
	}
	return string(b)
}
