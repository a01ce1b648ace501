package main

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"

	"pakdb/codecs/family/unreal"
)

// view is a package on its way to the screen.
type view struct {
	p    *unreal.PackageFacts
	path string
}

// packageTable is one result: its columns and its rows.
type packageTable struct {
	wanted  bool
	columns []string
	rows    func(*view, func(...driver.Value) error) error
}

func (opts pkgOptions) tables() []packageTable {
	summary := !opts.names && !opts.imports && !opts.exports && !opts.depends && !opts.generations
	return []packageTable{
		{summary, []string{"field", "value"}, (*view).summary},
		{opts.generations, []string{"generation", "exports", "names", "net_objects"}, (*view).generations},
		{opts.names, []string{"name_index", "name", "flags"}, (*view).names},
		{opts.imports, []string{"import", "object", "class_package", "class", "path"}, (*view).imports},
		{opts.exports, []string{"export", "object", "class", "super", "path", "flags", "offset", "size"}, (*view).exports},
		{opts.depends, []string{"export", "path", "on", "kind", "needs"}, (*view).depends},
	}
}

func printPackage(a *app, v *view, opts pkgOptions) error {
	for i, table := range slices.DeleteFunc(opts.tables(), func(t packageTable) bool { return !t.wanted }) {
		if i > 0 && opts.format != "json" && opts.format != "jsonl" {
			if _, err := fmt.Fprintln(a.stdout); err != nil {
				return err
			}
		}
		rows, err := a.rows(opts.format, table.columns...)
		if err != nil {
			return err
		}
		err = table.rows(v, func(values ...driver.Value) error { return rows.Write(values...) })
		if err = cmp.Or(err, rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) generations(write func(...driver.Value) error) error {
	for i, g := range v.p.Generations {
		if err := write(int64(i), int64(g.Exports), int64(g.Names), int64(g.NetObjects)); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) names(write func(...driver.Value) error) error {
	for i, n := range v.p.Names {
		if err := write(int64(i), n.Text, fmt.Sprintf("0x%08x", n.Flags)); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) imports(write func(...driver.Value) error) error {
	for i := range v.p.Imports {
		im, r := &v.p.Imports[i], unreal.ObjectRef(-i-1)
		if err := write(int64(r), v.p.NameOf(im.Name), v.p.NameOf(im.ClassPackage), v.p.NameOf(im.Class), v.pathOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) exports(write func(...driver.Value) error) error {
	for i := range v.p.Exports {
		x, r := &v.p.Exports[i], unreal.ObjectRef(i+1)
		if err := write(int64(r), v.p.NameOf(x.Name), v.p.ClassOf(i), textOrNull(v.p.ObjectOf(x.Super)), v.pathOf(r),
			fmt.Sprintf("0x%08x", x.Flags), x.Offset, x.Size); err != nil {
			return err
		}
	}
	return nil
}

// preloads are the lists of a [unreal.PreloadSpan], in their order.
var preloads = []string{"serialize before serialize", "create before serialize", "serialize before create", "create before create"}

func (v *view) depends(write func(...driver.Value) error) error {
	for i := range v.p.Exports {
		self := unreal.ObjectRef(i + 1)
		line := func(kind string, refs []unreal.ObjectRef) error {
			for _, r := range refs {
				if err := write(int64(self), v.pathOf(self), int64(r), kind, v.pathOf(r)); err != nil {
					return err
				}
			}
			return nil
		}
		if err := line("depends", v.p.Depends.At(i)); err != nil {
			return err
		}
		for k, refs := range v.preloads(i) {
			if err := line(preloads[k], refs); err != nil {
				return err
			}
		}
	}
	return nil
}

// preloads cuts the lists of export i out of the package's one list.
func (v *view) preloads(i int) (lists [4][]unreal.ObjectRef) {
	if i >= len(v.p.PreloadSpans) || v.p.PreloadSpans[i].First < 0 {
		return lists
	}
	rest := v.p.Preload[min(int(v.p.PreloadSpans[i].First), len(v.p.Preload)):]
	for k, n := range v.p.PreloadSpans[i].Counts {
		n := min(max(int(n), 0), len(rest))
		lists[k], rest = rest[:n], rest[n:]
	}
	return lists
}

func (v *view) pathOf(r unreal.ObjectRef) string {
	path, _ := v.p.PathOf(r)
	return path
}
