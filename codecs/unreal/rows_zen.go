package unreal

import "pakdb/internal/family"

// scriptRow is an object of a program by its path, a text.
type scriptRow struct {
	id   int64
	path int32
}

// containerPackageRow is a package that a container lists.
type containerPackageRow struct{ id, shaders, optional int64 }

// containerImportRow says that a container's package needs another.
type containerImportRow struct{ id, imported, soft int64 }

// Batch lists the objects of a program by path; those without one have no use.
func (f *ScriptObjectFacts) Batch() *family.Batch {
	b := &family.Batch{}
	rows := make([]scriptRow, 0, len(f.Objects))
	for i := range f.Objects {
		if path, ok := f.Path(f.Objects[i].ID); ok && path != "" {
			rows = append(rows, scriptRow{int64(f.Objects[i].ID), int32(len(b.Texts))})
			b.Texts = append(b.Texts, path)
		}
	}
	b.Rows = []family.Rows{scriptObjects.Rows(rows...)}
	return b
}

// Batch lists the packages of a container and what they import.
func (f *ContainerFacts) Batch() *family.Batch {
	var packages []containerPackageRow
	var imports []containerImportRow
	for optional, list := range [][]StoredPackage{f.Packages, f.Optional} {
		for _, p := range list {
			packages = append(packages, containerPackageRow{int64(p.ID), int64(len(p.Shaders)), int64(optional)})
			for soft, ids := range [][]uint64{p.Imports, p.Soft} {
				for _, id := range ids {
					imports = append(imports, containerImportRow{int64(p.ID), int64(id), int64(soft)})
				}
			}
		}
	}
	return &family.Batch{
		Words: []string{"package-id"}, // publication asks for the word
		Rows:  []family.Rows{containerPackages.Rows(packages...), containerImports.Rows(imports...)},
	}
}
