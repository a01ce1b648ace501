package unreal

import (
	"encoding/binary"
	"path"
	"strings"
)

// LongName returns the name under which other packages refer to the package at
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
func LongName(filePath string) string {
	ext := path.Ext(filePath)
	if !HasPackageExt(filePath) {
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

// HasPackageExt reports whether a file is called like a package, by its extension.
func HasPackageExt(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".u", ".utx", ".uax", ".umx", ".unr", ".ut2", ".ut3", ".usx", ".ukx", ".uvx", ".upk", ".xxx", ".upx", ".uasset", ".umap", ".udk", ".sfm", ".pcc":
		return true
	}
	return false
}

// PackageTag returns the bytes that packages of UE4 and UE5 start with, and end with after the data of
// the last export.
func PackageTag() []byte { return binary.LittleEndian.AppendUint32(nil, 0x9E2A83C1) }
