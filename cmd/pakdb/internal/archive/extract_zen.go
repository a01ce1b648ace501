package archive

import (
	"bytes"
	"context"
	"strings"

	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal/zen"
)

// packageNames are the long names of packages by id, of chunks that have no path.
type packageNames map[uint64]zenName

type zenName struct {
	path  string // "Game/Maps/Arena"
	isMap bool
}

// flagContainsMap in the flags of a package of UE4 or UE5.
const flagContainsMap = 0x20000

// unnamedPackages reads the headers of the packages of ar that have no path: they
// hold their names. What cannot be read keeps its id.
func unnamedPackages(ctx context.Context, ar *operand.Archive) packageNames {
	names := packageNames{}
	for e, err := range ar.Entries() {
		if ctx.Err() != nil {
			return names
		}
		if err != nil || e.Flags&codecs.Unnamed == 0 || e.Type != iostore.TypeExportBundleData {
			continue
		}
		content, err := readEntry(ctx, ar, e)
		if err != nil {
			continue
		}
		if p, err := zen.Read(bytes.NewReader(content), int64(len(content))); err == nil {
			id, _ := iostore.PackageOf(e.ID)
			names[id] = zenName{strings.TrimPrefix(p.Name, "/"), p.Flags&flagContainsMap != 0}
		}
	}
	return names
}

// file returns what a chunk without a path is to be called by its package, ""
// where that is not known.
func (n packageNames) file(e *codecs.Entry) string {
	if e.Flags&codecs.Unnamed == 0 {
		return ""
	}
	id, ok := iostore.PackageOf(e.ID)
	name, known := n[id]
	if !ok || !known {
		return ""
	}
	switch e.Type {
	case iostore.TypeExportBundleData:
		if name.isMap {
			return name.path + ".umap"
		}
		return name.path + ".uasset"
	case iostore.TypeBulkData:
		return name.path + ".ubulk"
	case iostore.TypeOptionalBulkData:
		return name.path + ".uptnl"
	case iostore.TypeMemoryMapped:
		return name.path + ".m.ubulk"
	}
	return ""
}
