package iostore

import (
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// packageChunks returns what tells the chunks that a long package name stands for;
// nil for what is no such name.
func packageChunks(name string) func(*codecs.Entry) bool {
	if !strings.HasPrefix(name, "/") {
		return nil
	}
	typeName := TypeExportBundleData
	for _, t := range packageFiles() {
		if bare, ok := unreal.CutSuffixFold(name, t.ext); ok {
			name, typeName = bare, t.typeName
			break
		}
	}
	id := unreal.NameHash(name)
	return func(e *codecs.Entry) bool {
		pkg, ok := PackageOf(e.ID)
		return ok && pkg == id && e.Type == typeName
	}
}

// packageFile is a kind of file that a package consists of, and the type of its
// chunk.
type packageFile struct{ ext, typeName string }

// packageFiles lists longer extensions before those that they end in.
func packageFiles() []packageFile {
	return []packageFile{
		{".uasset", TypeExportBundleData}, {".umap", TypeExportBundleData},
		{".m.ubulk", TypeMemoryMapped}, {".ubulk", TypeBulkData}, {".uptnl", TypeOptionalBulkData},
	}
}
