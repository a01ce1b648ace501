package pkg

import (
	"encoding/binary"

	"pakdb/codecs/unreal"
)

// ImpliedName is the own name that a name table implies.
func ImpliedName(f *unreal.PackageFacts) string { return impliedName(f) }

// GUIDMask is what zeroes GUIDs in exports of a generation.
func GUIDMask(engine string, names []unreal.PackageName) func([]byte) {
	four := engine != "UE3"
	return tagLayout{order: binary.LittleEndian, structGUID: four, hasGUID: four}.mask(names)
}

// NameEntry returns the entry of a name as Rewrite writes it.
func NameEntry(p *Package, name string) []byte { return p.versions.appendName(nil, name) }

// HashedNames reports entries of names that have hashes.
func HashedNames(p *Package) bool { return p.versions.ue4 >= ue4NameHashes }
