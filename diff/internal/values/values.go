package values

import (
	"slices"
	"strings"
	"sync"
)

// Compare lists what differs, in the order of the new rows, with what went after what
// stayed.
func Compare(old, new Side) []Change {
	a, b := objectsOf(old.Rows), objectsOf(new.Rows)
	c := &comparer{shown: shownNames(a, b), old: sync.OnceValue(old.inherited), new: sync.OnceValue(new.inherited)}
	c.objects(a, b)
	return c.changes
}

func (c *comparer) objects(a, b *objects) {
	var gone, came []*object
	for _, o := range b.list {
		if before := a.byPath[Fold(o.path)]; before != nil {
			c.object, c.prefix = o.path, c.shown[o.path]
			c.node(path{table: isTable(o.class)}, &before.root, &o.root)
			continue
		}
		came = append(came, o)
	}
	for _, o := range a.list {
		if b.byPath[Fold(o.path)] == nil {
			gone = append(gone, o)
		}
	}
	c.renamedObjects(gone, came)
}

func (s *Side) inherited() *objects {
	if s.Inherited == nil {
		return &objects{}
	}
	return objectsOf(s.Inherited())
}

// List returns all values as ones that came, named as Compare names them.
func List(rows []Row) (all []Change) {
	objectsOf(rows).each(func(name, value string, _ *node) { all = append(all, Change{Name: name, New: &value}) })
	return all
}

// each yields all values, named as Compare names them.
func (all *objects) each(yield func(name, value string, n *node)) {
	shown := shownNames(all)
	for _, o := range all.list {
		o.root.list(path{table: isTable(o.class)}, shown[o.path], yield)
	}
}

// renamedObjects reports objects of equal class and values that have another path. That
// others came or went is in the tables of the package.
func (c *comparer) renamedObjects(gone, came []*object) {
	byValue := map[string][]*object{}
	for _, o := range gone {
		if key := o.key(); key != "" {
			byValue[key] = append(byValue[key], o)
		}
	}
	for _, o := range came {
		key := o.key()
		if old := byValue[key]; len(old) > 0 {
			c.add("object", &old[0].path, &o.path, false)
			c.pair(&old[0].root, &o.root)
			byValue[key] = old[1:]
		}
	}
}

// shownNames returns what objects are called: class defaults as their class without
// what the engine adds, unless another object is called so.
func shownNames(sides ...*objects) map[string]string {
	taken, shown := map[string]bool{}, map[string]string{}
	for _, s := range sides {
		for _, o := range s.list {
			taken[o.path] = true
		}
	}
	for path := range taken {
		shown[path] = path
		if rest, ok := strings.CutPrefix(path, "Default__"); ok {
			if short := strings.TrimSuffix(rest, "_C"); !taken[short] {
				shown[path] = short
			}
		}
	}
	return shown
}

// tables are the classes whose rows are elements of the object itself.
var tables = []string{"datatable", "compositedatatable", "curvetable", "compositecurvetable"}

func isTable(class string) bool { return slices.Contains(tables, Fold(class)) }

// Row is a value of an object in a package.
type Row struct {
	Object string // path in the package: "Default__Rifle_C", "Gates_C.Box"
	Class  string
	// Field is the path of the field. The index or key of its outermost element is
	// Element, and [] is in its place: "Stats.Damage", "Rows[].Cost".
	Field   string
	Element string
	Keyed   bool   // Element is a key, not an index
	Type    string // as the view properties has it
	Value   string // as it is shown
}

// Change is a value that differs. Old or New is nil where there is none.
type Change struct {
	Name     string // "Rifle.Damage", "DT_Weapons[Rifle].Cost"
	Old, New *string
	Cosmetic bool // only order, or an id that each save makes anew
}

// Side is the values of a package on one side.
type Side struct {
	Rows []Row // in the order of the file
	// Inherited returns the values that its objects have from others. It is called once,
	// if a field is not there that the other side has. nil: nothing is known of them.
	Inherited func() []Row
}

// comparer collects changes.
type comparer struct {
	shown    map[string]string
	object   string          // the path of the one at hand
	prefix   string          // what it is called
	old, new func() *objects // what objects inherit
	changes  []Change
	paired   func(old, new *node) // hears of nodes that became each other; nil: nobody asks
}

// pair notes that one node became another.
func (c *comparer) pair(old, new *node) {
	if c.paired != nil {
		c.paired(old, new)
	}
}

func (c *comparer) add(name string, old, new *string, cosmetic bool) {
	c.changes = append(c.changes, Change{name, old, new, cosmetic})
}
