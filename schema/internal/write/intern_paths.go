package write

import (
	"context"
	"database/sql/driver"
	"strings"

	"pakdb/schema/internal/record"
)

// wantedPath is a path that needs an id.
type wantedPath struct {
	name string
	hash record.Half
	id   *int64
}

// wantedPaths lists the paths of the batch in the order that decides their ids:
// those of entries, then those that facts name.
func wantedPaths(b *Batch) []wantedPath {
	wanted := make([]wantedPath, 0, len(b.Rows))
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Name != "" {
			wanted = append(wanted, wantedPath{r.Name, r.NameHash, &r.PathID})
		}
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; r.ExportsOf != nil && r.ExportsOf.Path != "" && r.ExportsOf.Path != r.Name {
			wanted = append(wanted, wantedPath{r.ExportsOf.Path, record.HashOf(r.ExportsOf.Path), &r.Exports.Path})
		}
	}
	for _, r := range b.Due {
		f, ids := r.Facts, &r.FactIDs
		ids.SymbolPaths = make([]int64, len(f.Symbols))
		for i := range f.Symbols {
			if path := f.Symbols[i].Path; path != "" {
				wanted = append(wanted, wantedPath{path, record.HashOf(path), &ids.SymbolPaths[i]})
			}
		}
		if f.Family != nil {
			ids.Paths = make([]int64, len(f.Family.Paths))
			for i, path := range f.Family.Paths {
				wanted = append(wanted, wantedPath{path, record.HashOf(path), &ids.Paths[i]})
			}
		}
	}
	return wanted
}

// internPaths gives every path its id.
func (in *interner) internPaths(ctx context.Context, b *Batch) error {
	wanted := wantedPaths(b)
	if err := in.findPaths(ctx, wanted); err != nil {
		return err
	}
	for _, p := range wanted {
		var fresh bool
		if *p.id, fresh = in.paths.id(p.hash); !fresh {
			continue
		}
		prefix, name := record.SplitPath(p.name)
		b.NewPaths = append(b.NewPaths, Path{Dir: in.dir(b, prefix), Name: name, Ext: record.Ext(name)})
	}
	for i := range b.Rows { // most packages are the entry itself
		if r := &b.Rows[i]; r.ExportsOf != nil && r.ExportsOf.Path == r.Name {
			r.Exports.Path = r.PathID
		}
	}
	return nil
}

// dir returns the id of a folder; prefix is "" or ends in a slash.
func (in *interner) dir(b *Batch, prefix string) int64 {
	id, ok := in.dirs[prefix]
	if !ok {
		id = in.nextDir
		in.nextDir++
		prefix = strings.Clone(prefix)
		in.dirs[prefix] = id
		b.NewDirs = append(b.NewDirs, prefix)
	}
	return id
}

// findPaths looks up paths that may be in the catalog from before.
func (in *interner) findPaths(ctx context.Context, wanted []wantedPath) error {
	if in.paths.all {
		return nil
	}
	var keys []int64
	for _, p := range wanted {
		if !in.paths.has(p.hash) {
			keys = append(keys, p.hash.Key())
		}
	}
	var path []byte
	return in.paths.find(ctx, in.finder, keys, func(_ int64, columns []driver.Value) (record.Half, bool) {
		prefix, hasDir := columns[0].(string)
		name, hasName := columns[1].(string)
		path = append(append(path[:0], prefix...), name...)
		return record.HashOf(path), hasDir && hasName
	})
}
