package faulttest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"pakdb/internal/atomicfile"
)

// Unsynced returns what operations that ended well leave to the system, which may
// lose it with the power: files that got their names before they were on the disk,
// or were changed and are not, and folders whose names are not. lax, which may be
// nil, reports files that do not count.
func Unsynced(ops []atomicfile.Op, lax func(path string) bool) (list []string) {
	files, folders := map[string]bool{}, map[string]bool{}
	for _, op := range ops {
		if lax != nil && lax(op.Path) {
			continue
		}
		folder := filepath.Dir(op.Path)
		switch op.Kind {
		case atomicfile.OpWrite, atomicfile.OpTruncate:
			files[op.Path] = true
		case atomicfile.OpSync:
			delete(files, op.Path)
		case atomicfile.OpCreate, atomicfile.OpMkdir:
			folders[folder] = true
		case atomicfile.OpRemove:
			delete(files, op.Path)
			delete(folders, op.Path)
			folders[folder] = true
		case atomicfile.OpRename:
			if files[op.Path] {
				list = append(list, fmt.Sprintf("%s is renamed to %s before it is synced", op.Path, op.To))
			}
			delete(files, op.Path)
			folders[folder], folders[filepath.Dir(op.To)] = true, true
		case atomicfile.OpSyncDir:
			delete(folders, op.Path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, name+" is written to and not synced")
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		list = append(list, name+" is a folder that is not synced")
	}
	return list
}
