package rows

import (
	"database/sql/driver"
	"fmt"

	"pakdb/codecs/unreal"
)

// Table is one result: its columns, and what calls a function with each row.
type Table struct {
	Columns []string
	Rows    func(*Package, func(...driver.Value) error) error
}

// TableNames are the tables that [TableOf] knows, in the order in which they are shown.
func TableNames() []string {
	return []string{"summary", "generations", "names", "imports", "exports", "depends"}
}

// TableOf returns the table of that name, which is one of [TableNames].
func TableOf(name string) Table {
	switch name {
	case "generations":
		return Table{[]string{"generation", "exports", "names", "net_objects"}, showGenerations}
	case "names":
		return Table{[]string{"name_index", "name", "flags"}, showNames}
	case "imports":
		return Table{[]string{"import", "object", "class_package", "class", "path"}, showImports}
	case "exports":
		return Table{[]string{"export", "object", "class", "super", "path", "flags", "offset", "size"}, showExports}
	case "depends":
		return Table{[]string{"export", "path", "on", "kind", "needs"}, showDepends}
	}
	return Table{[]string{"field", "value"}, showSummary}
}

func showGenerations(v *Package, write func(...driver.Value) error) error {
	for i, g := range v.Generations {
		if err := write(int64(i), int64(g.Exports), int64(g.Names), int64(g.NetObjects)); err != nil {
			return err
		}
	}
	return nil
}

func showNames(v *Package, write func(...driver.Value) error) error {
	for i, n := range v.Names {
		if err := write(int64(i), n.Text, fmt.Sprintf("0x%08x", n.Flags)); err != nil {
			return err
		}
	}
	return nil
}

func showImports(v *Package, write func(...driver.Value) error) error {
	for i := range v.Imports {
		im, r := &v.Imports[i], unreal.ObjectRef(-i-1)
		if err := write(int64(r), v.NameOf(im.Name), v.NameOf(im.ClassPackage), v.NameOf(im.Class), v.pathOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func showExports(v *Package, write func(...driver.Value) error) error {
	for i := range v.Exports {
		x, r := &v.Exports[i], unreal.ObjectRef(i+1)
		if err := write(int64(r), v.NameOf(x.Name), v.ClassOf(i), nullIfEmpty(v.ObjectOf(x.Super)), v.pathOf(r),
			fmt.Sprintf("0x%08x", x.Flags), x.Offset, x.Size); err != nil {
			return err
		}
	}
	return nil
}

// preloadKinds are the lists of a [unreal.PreloadSpan], in their order.
var preloadKinds = []string{"serialize before serialize", "create before serialize", "serialize before create", "create before create"}

func showDepends(v *Package, write func(...driver.Value) error) error {
	for i := range v.Exports {
		self := unreal.ObjectRef(i + 1)
		line := func(kind string, refs []unreal.ObjectRef) error {
			for _, r := range refs {
				if err := write(int64(self), v.pathOf(self), int64(r), kind, v.pathOf(r)); err != nil {
					return err
				}
			}
			return nil
		}
		if err := line("depends", v.Depends.At(i)); err != nil {
			return err
		}
		for k, refs := range preloads(v, i) {
			if err := line(preloadKinds[k], refs); err != nil {
				return err
			}
		}
	}
	return nil
}

// preloads cuts the lists of export i out of the package's one list.
func preloads(v *Package, i int) (lists [4][]unreal.ObjectRef) {
	if i >= len(v.PreloadSpans) || v.PreloadSpans[i].First < 0 {
		return lists
	}
	rest := v.Preload[min(int(v.PreloadSpans[i].First), len(v.Preload)):]
	for k, n := range v.PreloadSpans[i].Counts {
		n := min(max(int(n), 0), len(rest))
		lists[k], rest = rest[:n], rest[n:]
	}
	return lists
}

func (p *Package) pathOf(r unreal.ObjectRef) string {
	path, _ := p.PathOf(r)
	return path
}

func nullIfEmpty(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
