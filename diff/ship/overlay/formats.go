package overlay

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
)

// formats are those of a stack's archives which can be patched, the main one first.
type formats []*codecs.Format

// patchFormats are the formats of the old stack's archives which can be patched,
// the main one first. A format that another one mounts needs that as well.
func patchFormats(old *Stack, registry *codecs.Registry, main *codecs.Format) formats {
	all := formats{main}
	add := func(name string) {
		f, ok := registry.Format(name)
		if ok && f.Mounts().PatchName != nil && f.Create != nil && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, m := range old.Mounts {
		add(m.Format)
	}
	for _, f := range all {
		add(f.Mounts().By)
	}
	return all
}

// named returns the format of that name, nil if there is no patch in it.
func (fs formats) named(name string) *codecs.Format {
	for _, f := range fs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// patches reports whether what a mount holds can go into a patch.
func (fs formats) patches(m *Mount) bool { return fs.named(m.Format) != nil }

// of is the format of the archive that an item goes into.
func (fs formats) of(it *Item) *codecs.Format {
	if f := fs.named(it.either().Mount.Format); f != nil {
		return f
	}
	return fs[0] // a loose file
}

// chunkOf is the chunk of the game that an archive belongs to, -1 for none.
func (fs formats) chunkOf(m *Mount) int {
	if chunk := fs.named(m.Format).Mounts().Chunk; chunk != nil {
		if n, ok := chunk(m.Name); ok {
			return n
		}
	}
	return -1
}

// order is the mount order of a file that its name makes an archive of a patch, 0
// of any other.
func (fs formats) order(name string) int64 {
	for _, f := range fs {
		if f.Mounts().Order == nil || !slices.ContainsFunc(f.Exts, func(ext string) bool { return strings.EqualFold(ext, path.Ext(name)) }) {
			continue
		}
		if order := int64(f.Mounts().Order(name)); order >= firstPatchOrder {
			return order
		}
	}
	return 0
}

// canDelete reports whether the archives of a stack that are like m can hold delete
// records: by the version of the one that a patch imitates.
func (fs formats) canDelete(s *Stack, m *Mount) bool {
	f := fs.named(m.Format)
	can := f.Mounts().CanDelete
	if lead := fs.lead(s, f); lead != nil {
		m = lead
	}
	return can != nil && can(m.Version)
}

// lead is the model of a format in a stack for all chunks: that of the lowest.
func (fs formats) lead(s *Stack, f *codecs.Format) *Mount {
	return fs.modelIn(s, f, func(*Mount) bool { return true })
}

// modelIn is the archive of a stack whose kind and name a patch takes over: of those
// that takes admits one that is no patch, with the most entries.
func (fs formats) modelIn(s *Stack, f *codecs.Format, takes func(*Mount) bool) (best *Mount) {
	better := func(a, b *Mount) bool {
		return cmp.Or(cmp.Compare(boolInt(a.patches()), boolInt(b.patches())),
			cmp.Compare(max(fs.chunkOf(a), 0), max(fs.chunkOf(b), 0)), cmp.Compare(b.Entries, a.Entries),
			strings.Compare(a.Name, b.Name)) < 0
	}
	for _, m := range s.Mounts {
		if m.Format == f.Name && takes(m) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// holdsAssets reports whether archives of a format hold assets by their ids, each
// for its own loader.
func holdsAssets(f *codecs.Format) bool { return f.Mounts().Order == nil && f.EntrySpaces != nil }
