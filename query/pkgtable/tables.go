// Package pkgtable makes rows of the summary and the tables of an Unreal package.
package pkgtable

import (
	"database/sql/driver"
	"fmt"

	"pakdb/codecs/unreal"
)

// Package is a package, and its path in the game as far as that is known.
type Package struct {
	*unreal.PackageFacts
	Path string
}

// Table is one result: its columns, and what calls a function with each row.
type Table struct {
	Columns []string
	Rows    func(*Package, func(...driver.Value) error) error
}

// Names are the tables that [Of] knows, in the order in which they are shown.
func Names() []string {
	return []string{"summary", "generations", "names", "imports", "exports", "depends"}
}

// Of returns the table of that name, which is one of [Names].
func Of(name string) Table {
	switch name {
	case "generations":
		return Table{[]string{"generation", "exports", "names", "net_objects"}, generations}
	case "names":
		return Table{[]string{"name_index", "name", "flags"}, names}
	case "imports":
		return Table{[]string{"import", "object", "class_package", "class", "path"}, imports}
	case "exports":
		return Table{[]string{"export", "object", "class", "super", "path", "flags", "offset", "size"}, exports}
	case "depends":
		return Table{[]string{"export", "path", "on", "kind", "needs"}, depends}
	}
	return Table{[]string{"field", "value"}, summary}
}

func generations(v *Package, write func(...driver.Value) error) error {
	for i, g := range v.Generations {
		if err := write(int64(i), int64(g.Exports), int64(g.Names), int64(g.NetObjects)); err != nil {
			return err
		}
	}
	return nil
}

func names(v *Package, write func(...driver.Value) error) error {
	for i, n := range v.Names {
		if err := write(int64(i), n.Text, fmt.Sprintf("0x%08x", n.Flags)); err != nil {
			return err
		}
	}
	return nil
}

func imports(v *Package, write func(...driver.Value) error) error {
	for i := range v.Imports {
		im, r := &v.Imports[i], unreal.ObjectRef(-i-1)
		if err := write(int64(r), v.NameOf(im.Name), v.NameOf(im.ClassPackage), v.NameOf(im.Class), v.pathOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func exports(v *Package, write func(...driver.Value) error) error {
	for i := range v.Exports {
		x, r := &v.Exports[i], unreal.ObjectRef(i+1)
		if err := write(int64(r), v.NameOf(x.Name), v.ClassOf(i), orNull(v.ObjectOf(x.Super)), v.pathOf(r),
			fmt.Sprintf("0x%08x", x.Flags), x.Offset, x.Size); err != nil {
			return err
		}
	}
	return nil
}

// preloadKinds are the lists of a [unreal.PreloadSpan], in their order.
var preloadKinds = []string{"serialize before serialize", "create before serialize", "serialize before create", "create before create"}

func depends(v *Package, write func(...driver.Value) error) error {
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

func (v *Package) pathOf(r unreal.ObjectRef) string {
	path, _ := v.PathOf(r)
	return path
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
