package values

import (
	"slices"
	"strings"
	"sync"
)

// Compare lists what differs, in the order of the new rows, with what went behind what
// stayed.
func Compare(old, new Side) []Change {
	a, b := objectsOf(old.Rows), objectsOf(new.Rows)
	c := &comparer{shown: shownNames(a, b), old: sync.OnceValue(old.inherited), new: sync.OnceValue(new.inherited)}
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
	return c.changes
}

func (s *Side) inherited() *objects {
	if s.Inherited == nil {
		return &objects{}
	}
	return objectsOf(s.Inherited())
}

// List returns all values as ones that came, named as Compare names them.
func List(rows []Row) []Change {
	all := objectsOf(rows)
	c := &comparer{shown: shownNames(all)}
	for _, o := range all.list {
		at := path{table: isTable(o.class)}
		c.list(at, c.shown[o.path], &o.root)
	}
	return c.changes
}

// renamedObjects tells of objects of equal class and values that have another path. That
// others came or went is told by the tables of the package.
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
