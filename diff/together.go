package diff

import (
	"pakdb/diff/internal/match"
	"pakdb/internal/asset"
)

// Together returns the change of an asset, by the changes of its files. It is named by the
// first of them, and has the sizes of all.
func Together(files []Change) Change {
	c := files[0]
	if len(files) == 1 {
		return c
	}
	var what []match.What
	c.Parts, c.Download = nil, 0
	kept, size := int64(0), int64(0)
	c.Old, c.New = sizesOf(c.Old), sizesOf(c.New)
	for i := range files {
		f := &files[i]
		_, ext, _ := asset.Split(f.Name())
		part := Part{Ext: ext, Kind: f.Kind}
		if f.Old != nil {
			part.OldSize = f.Old.Size
			c.Old.add(f.Old)
		}
		if f.New != nil {
			part.NewSize = f.New.Size
			c.New.add(f.New)
		}
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

// Named returns the change of an asset of which only files of one side changed, by the files
// that it is called by: those did not change, and the sizes remain those of the others.
func Named(c Change, old, new *File) Change {
	if len(c.Parts) == 0 {
		_, ext, _ := asset.Split(c.Name())
		part := Part{Ext: ext, Kind: Added}
		if c.New == nil {
			part.Kind = Removed
		}
		s := c.Sizes()
		part.OldSize, part.NewSize = s.OldSize, s.NewSize
		c.Parts = []Part{part}
	}
	from, to := c.Old, c.New
	c.Old, c.New = sizesOf(old), sizesOf(new)
	if from != nil {
		c.Old.add(from)
	}
	if to != nil {
		c.New.add(to)
	}
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

// add adds the sizes of another file, unless there is none to add them to.
func (f *File) add(other *File) {
	if f != nil {
		f.Size, f.Stored = f.Size+other.Size, f.Stored+other.Stored
	}
}
