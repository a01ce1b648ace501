package pkg

import (
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// markNative flags imports that no archive can hold: UE4's and UE5's /Script
// packages, and classes of UE1 to UE3 that exist in the program only.
func (p checks) markNative() {
	f := p.facts
	for i := range f.Imports {
		root := f.RootOf(unreal.ObjectRef(-i - 1))
		if _, ok := root.Import(); !ok {
			continue
		}
		if nativeImport(f, i, f.ObjectOf(root)) {
			f.Imports[i].Flags |= unreal.ImportNative
		}
	}
}

func nativeImport(f *unreal.PackageFacts, i int, root string) bool {
	if f.LegacyVersion != 0 {
		return isScript(root)
	}
	e := &f.Imports[i]
	return e.Outer != 0 && f.NameOf(e.Class) == "Class" && intrinsic(root, f.NameOf(e.Name), f.Engine == "UE3")
}

// isScript reports a package of classes that are compiled into the game.
func isScript(name string) bool { return strings.HasPrefix(name, "/Script/") }

// intrinsic reports classes that the engine registers without a source in any
// package. The list is of those that are so in every public UE1 to UE3 game;
// a class that is missing here is shown as unresolved, not lost.
func intrinsic(pkg, class string, ue3 bool) bool {
	switch {
	case strings.EqualFold(pkg, "Core"):
		return intrinsicCore(class)
	case strings.EqualFold(pkg, "Engine"):
		return intrinsicEngine(class, ue3)
	}
	return false
}

func intrinsicCore(class string) bool {
	switch class {
	case "Package", "Class", "Field", "Struct", "ScriptStruct", "Function", "State", "Enum", "Const",
		"Property", "ByteProperty", "IntProperty", "BoolProperty", "FloatProperty", "ObjectProperty",
		"ComponentProperty", "ClassProperty", "InterfaceProperty", "NameProperty", "StrProperty", "StringProperty",
		"ArrayProperty", "FixedArrayProperty", "MapProperty", "StructProperty", "DelegateProperty", "PointerProperty",
		"TextBuffer", "Linker", "LinkerLoad", "LinkerSave", "ObjectRedirector", "MetaData", "PackageMap":
		return true
	}
	return false
}

func intrinsicEngine(class string, ue3 bool) bool {
	switch class {
	case "Level", "LevelBase", "Model", "Polys", "Channel":
		return true
	case "World", "ModelComponent":
		return ue3
	case "Font", "Palette", "Primitive", "Mesh", "LodMesh", "Animation", "MeshAnimation", "VertMesh", "NetDriver", "NetConnection":
		return !ue3
	}
	return false
}

// limitPaths refuses tables whose rendered paths would outgrow the file: a
// chain of long names under very many exports.
func (p checks) limitPaths() {
	f := p.facts
	if total, limit := f.PathBytes(), 64*p.sp.size+1<<20; total > limit {
		p.found.add(codecs.ErrLimit, "exports", p.sum.Exports.Offset, "%d bytes of paths > %d", total, limit)
		f.Imports, f.Exports = nil, nil
	}
}
