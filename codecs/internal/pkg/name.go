package pkg

import (
	"path"
	"strings"

	"pakdb/codecs/unreal"
)

// impliedName returns the package's own long name where only its name table
// shows: of the names that are paths the one whose last part is a top-level
// object of the package, as that of an asset is, and that names no package which
// is imported. "" where none or several are.
func impliedName(f *unreal.PackageFacts) (own string) {
	var objects, imported map[string]bool
	for i := range f.Names {
		name := f.Names[i].Text
		if longName(name) == "" || isScript(name) {
			continue
		}
		if objects == nil {
			objects, imported = topObjects(f), rootImports(f)
		}
		folded := strings.ToLower(name)
		if !objects[path.Base(folded)] || imported[folded] {
			continue
		}
		if own != "" {
			return ""
		}
		own = name
	}
	return own
}

// topObjects returns the names of exports without an outer, in lower case.
func topObjects(f *unreal.PackageFacts) map[string]bool {
	names := map[string]bool{}
	for i := range f.Exports {
		if x := &f.Exports[i]; x.Outer == 0 {
			names[strings.ToLower(f.NameOf(x.Name))] = true
		}
	}
	return names
}

// rootImports returns the names of imported packages, in lower case.
func rootImports(f *unreal.PackageFacts) map[string]bool {
	names := map[string]bool{}
	for i := range f.Imports {
		if im := &f.Imports[i]; im.Outer == 0 {
			names[strings.ToLower(f.NameOf(im.Name))] = true
		}
	}
	return names
}
