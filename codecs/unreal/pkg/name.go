package pkg

import (
	"path"
	"strings"

	"pakdb/codecs/unreal"
)

// NameOf returns the name under which other packages refer to the package at
// filePath, which must be the whole path in the game: mount point and entry
// name. "" means that the path names no package.
//
// In UE4 and UE5 (.uasset, .umap) it is a long name, made from the folder that
// holds the package's Content folder, as the engine mounts them:
//
//	../../../Game/Content/A/B.uasset                /Game/A/B
//	Engine/Content/A.uasset                         /Engine/A
//	Game/Plugins/Group/MyPlugin/Content/A.uasset    /MyPlugin/A
//
// In UE1 to UE3 it is the file's name without its extension, wherever it lies;
// there, case does not matter.
func NameOf(filePath string) string {
	ext := path.Ext(filePath)
	if !HasExt(filePath) {
		return ""
	}
	bare := strings.TrimSuffix(filePath, ext)
	if !strings.EqualFold(ext, ".uasset") && !strings.EqualFold(ext, ".umap") {
		return path.Base(bare)
	}
	for strings.HasPrefix(bare, "../") {
		bare = bare[len("../"):]
	}
	owner, rest, ok := strings.Cut("/"+strings.TrimPrefix(bare, "/"), "/Content/")
	if !ok {
		return ""
	}
	return mountName(owner) + "/" + rest
}

// mountName reports how the engine mounts the Content folder of a project, of
// the engine, or of a plugin.
func mountName(owner string) string {
	switch name := "/" + path.Base(owner); {
	case strings.Contains(owner, "/Plugins/"):
		return name
	case name == "/Engine":
		return name
	}
	return "/Game"
}

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
