package publish

import (
	"context"

	"pakdb/diff/store"
)

// earlierContents are those of an earlier build, by their names.
type earlierContents struct {
	files map[string]map[uint64]store.Named // by path
	any   map[uint64]store.Named            // whatever the file, of entries
	keys  map[store.Key]bool
	list  []store.Named // each once

	reader *store.StoreReader
	fine   *fineIndex // nil: not asked for yet
}

func newEarlierContents(s *store.StoreReader, b *store.Build) (*earlierContents, error) {
	e := &earlierContents{files: map[string]map[uint64]store.Named{}, any: map[uint64]store.Named{}, keys: map[store.Key]bool{}, reader: s}
	gaps := map[uint64]bool{store.NameOf(store.SkeletonName, 0): true, store.NameOf("\x00end", 0): true}
	for i := range 64 {
		gaps[store.NameOf("\x00gap", i)] = true
	}
	for _, f := range b.Files {
		names, err := store.ReadNames(s.From, f.Sum)
		if err != nil {
			return nil, err
		}
		m := make(map[uint64]store.Named, len(names))
		for _, n := range names {
			m[n.Name] = n
			if !e.keys[n.Key] {
				e.keys[n.Key] = true
				e.list = append(e.list, n)
			}
			if _, there := e.any[n.Name]; !there && !gaps[n.Name] {
				e.any[n.Name] = n
			}
		}
		e.files[f.Path] = m
	}
	return e, nil
}

// origin returns what a content of a file was in the earlier build: that of its
// name in the file of that path, else in any, else the most similar one; data
// gives it. There is none for a content that the earlier build has too.
func (e *earlierContents) origin(ctx context.Context, path string, n store.Named, data func() ([]byte, error)) (old store.Named, ok bool, err error) {
	if e == nil || e.keys[n.Key] || n.Size == 0 || n.Size > store.MaxCoded {
		return store.Named{}, false, nil
	}
	if old, ok = e.files[path][n.Name]; !ok {
		old, ok = e.any[n.Name]
	}
	if ok {
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
