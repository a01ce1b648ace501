package publish

import (
	"context"

	"pakdb/diff/ship/store"
)

// pastContents are those of an earlier build, by their names. It is not safe for concurrent use; nil
// has none.
type pastContents struct {
	files  map[string]map[uint64]int32 // in list, by path
	any    map[uint64]int32            // whatever the file, of entries
	keys   map[store.Key]int32
	list   []store.Named // each once, by the first of its names
	reader *store.StoreReader
	fine   *fineIndex // nil: not asked for yet
}

// readPast reads the names of the contents of a build.
func readPast(s *store.StoreReader, b *store.Build) (*pastContents, error) {
	e := &pastContents{files: map[string]map[uint64]int32{}, any: map[uint64]int32{}, keys: map[store.Key]int32{}, reader: s}
	gaps := map[uint64]bool{store.NameOf(store.SkeletonName, 0): true, store.NameOf("\x00end", 0): true}
	for i := range 64 {
		gaps[store.NameOf("\x00gap", i)] = true
	}
	for _, f := range b.Files {
		names, err := store.ReadNames(s.From, f.Sum)
		if err != nil {
			return nil, err
		}
		m := make(map[uint64]int32, len(names))
		for _, n := range names {
			at, there := e.keys[n.Key]
			if !there {
				at = int32(len(e.list))
				e.keys[n.Key] = at
				e.list = append(e.list, n)
			}
			m[n.Name] = at
			if _, there := e.any[n.Name]; !there && !gaps[n.Name] {
				e.any[n.Name] = at
			}
		}
		e.files[f.Path] = m
	}
	return e, nil
}

// Origin returns what a content of a file was in the earlier build: that of its
// name in the file of that path, else in any, else the most similar one; data
// gives it. There is none for a content that the earlier build has too.
func (e *pastContents) Origin(ctx context.Context, path string, n store.Named, data func() ([]byte, error)) (old store.Named, ok bool, err error) {
	if e == nil || n.Size == 0 || n.Size > store.MaxCoded {
		return store.Named{}, false, nil
	}
	if _, has := e.keys[n.Key]; has {
		return store.Named{}, false, nil
	}
	at, ok := e.files[path][n.Name]
	if !ok {
		at, ok = e.any[n.Name]
	}
	if ok {
		old = e.list[at]
		return old, old.Size > 0 && old.Size <= store.MaxCoded, nil
	}
	b, err := data()
	if err != nil || b == nil {
		return store.Named{}, false, err
	}
	if e.fine == nil {
		if e.fine, err = newFineIndex(ctx, e.reader, e.list); err != nil {
			return store.Named{}, false, err
		}
	}
	old, ok = e.fine.origin(b)
	return old, ok, nil
}
