package schema

import (
	"context"
	"database/sql/driver"
	"strings"
)

type pathRow struct {
	dir       int64
	name, ext string
}

// knownPath is a path that has its id.
type knownPath struct{ id int64 }

// wantedPath is a path that needs an id.
type wantedPath struct {
	name string
	hash halfHash
	id   *int64
}

// wantedPaths lists the paths of the batch in the order that decides their ids:
// those of entries, then those that facts name.
func wantedPaths(b *batch) []wantedPath {
	wanted := make([]wantedPath, 0, len(b.entries))
	for i := range b.entries {
		if e := &b.entries[i]; e.Name != "" {
			wanted = append(wanted, wantedPath{e.Name, e.path, &e.pathID})
		}
	}
	for _, e := range b.due {
		for i := range e.Facts.Symbols {
			if s := &e.Facts.Symbols[i]; s.Path != "" {
				wanted = append(wanted, wantedPath{s.Path, hashOf(s.Path), &s.path.id})
			}
		}
		if f := e.Facts; f.Family != nil {
			f.ids.paths = make([]int64, len(f.Family.Paths))
			for i, path := range f.Family.Paths {
				wanted = append(wanted, wantedPath{path, hashOf(path), &f.ids.paths[i]})
			}
		}
	}
	return wanted
}

// internPaths gives every path its id.
func (in *interner) internPaths(ctx context.Context, b *batch) error {
	wanted := wantedPaths(b)
	if err := in.findPaths(ctx, wanted); err != nil {
		return err
	}
	for _, p := range wanted {
		var fresh bool
		if *p.id, fresh = in.paths.id(p.hash); !fresh {
			continue
		}
		prefix, name := SplitPath(p.name)
		b.newPaths = append(b.newPaths, pathRow{in.dir(b, prefix), name, Ext(name)})
		in.keys.paths = append(in.keys.paths, keyRow{p.hash.key(), *p.id})
	}
	return nil
}

// dir returns the id of a folder; prefix is "" or ends in a slash.
func (in *interner) dir(b *batch, prefix string) int64 {
	id, ok := in.dirs[prefix]
	if !ok {
		id = in.nextDir
		in.nextDir++
		prefix = strings.Clone(prefix)
		in.dirs[prefix], in.prefixes[id] = id, prefix
		b.newDirs = append(b.newDirs, prefix)
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
		if in.paths.ids[p.hash] == 0 {
			keys = append(keys, p.hash.key())
		}
	}
	var path []byte
	return in.paths.find(ctx, in.finder, keys, func(id int64, columns []driver.Value) (halfHash, int64, bool) {
		dir, isNumber := columns[0].(int64)
		name, isText := columns[1].(string)
		prefix, known := in.prefixes[dir]
		path = append(append(path[:0], prefix...), name...)
		return hashOf(path), id, isNumber && isText && known
	})
}
