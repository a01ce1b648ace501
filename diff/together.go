package diff

import (
	"pakdb/diff/internal/match"
	"pakdb/internal/asset"
)

// together returns the change of an asset, by the changes of its files. It is named by the
// first of them, and has the sizes of all. old and new are files that the asset is called by
// where it is in both builds, nil where it may not be: an asset that lost or got a file was
// modified.
func together(files []Change, old, new *File) Change {
	c := files[0]
	if len(files) > 1 {
		c = sum(files)
	}
	if old == nil || new == nil || files[0].Old != nil && files[0].New != nil {
		return c
	}
	c = named(c, old, new)
	what := (c.Kind|c.Also)&^(Added|Removed|Cosmetic) | Modified
	c.Kind = what.First()
	c.Also = what &^ c.Kind
	return c
}

// sum returns the change of several files.
func sum(files []Change) Change {
	c := files[0]
	var what []match.What
	c.Parts, c.Download = nil, 0
	kept, size := int64(0), int64(0)
	c.Old, c.New = sizesOf(c.Old), sizesOf(c.New)
	for i := range files {
		f := &files[i]
		part := partOf(f)
		c.Old, c.New = c.Old.plus(f.Old), c.New.plus(f.New)
		kept, size = kept+part.NewSize*int64(f.Similarity), size+part.NewSize
		c.Parts = append(c.Parts, part)
		c.Download += f.Download
		what = append(what, match.What(f.Kind|f.Also))
	}
	if size > 0 {
		c.Similarity = int(kept / size)
	}
	all := Kind(match.Together(what))
	c.Kind = all.First()
	c.Also = all &^ c.Kind
	return c
}

// partOf returns what a change of one file is to its asset.
func partOf(c *Change) Part {
	_, ext, _ := asset.Split(c.Name())
	part := Part{Ext: ext, Kind: c.Kind}
	if c.Old != nil {
		part.OldSize = c.Old.Size
	}
	if c.New != nil {
		part.NewSize = c.New.Size
	}
	return part
}

// named returns the change of an asset of which only files of one side changed, by the files
// that it is called by: those did not change, and the sizes remain those of the others.
func named(c Change, old, new *File) Change {
	if len(c.Parts) == 0 {
		c.Parts = []Part{partOf(&c)}
	}
	c.Old, c.New = sizesOf(old).plus(c.Old), sizesOf(new).plus(c.New)
	return c
}

// sizesOf returns a copy of a file with the size of nothing, nil for no file.
func sizesOf(f *File) *File {
	if f == nil {
		return nil
	}
	empty := *f
	empty.Size, empty.Stored = 0, 0
	return &empty
}

// plus returns a file with the sizes of another one added, and that one where it is nil.
func (f *File) plus(other *File) *File {
	switch {
	case other == nil:
		return f
	case f == nil:
		f = sizesOf(other)
	}
	f.Size, f.Stored = f.Size+other.Size, f.Stored+other.Stored
	return f
}
