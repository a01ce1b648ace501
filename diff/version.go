package diff

import (
	"cmp"
	"slices"
	"strings"

	"pakdb/internal/asset"
)

// version is the files of an asset in a build, the file with its tables first; of what is
// no asset it is one file. It is empty where the build has none.
type version []*File

// lead returns the file that the version is named by, nil for none.
func (v version) lead() *File {
	if len(v) == 0 {
		return nil
	}
	return v[0]
}

func (v version) sort() {
	slices.SortFunc(v, func(a, b *File) int {
		return cmp.Or(cmp.Compare(assetPart(a), assetPart(b)), strings.Compare(a.Path, b.Path))
	})
}

func assetPart(f *File) asset.Part {
	_, _, part := asset.Split(f.Path)
	return part
}

// changesOf compares two versions, file by file. The change that names all of them comes
// first: of the file with the tables, and of one that both have.
func changesOf(old, new version) (changes []Change) {
	var gone []*File
	became := map[*File]bool{}
	for _, f := range old {
		i := slices.IndexFunc(new, func(n *File) bool { return asset.Same(f.Path, n.Path) })
		if i < 0 {
			gone = append(gone, f)
			continue
		}
		became[new[i]] = true
		if c := changeOf(f, new[i]); c.Kind != 0 {
			changes = append(changes, c)
		}
	}
	for _, f := range new {
		if !became[f] {
			changes = append(changes, Change{Kind: Added, New: f})
		}
	}
	for _, f := range gone {
		changes = append(changes, Change{Kind: Removed, Old: f})
	}
	rank := func(c Change) int {
		if c.Old == nil || c.New == nil {
			return 100 + int(assetPart(cmp.Or(c.Old, c.New)))
		}
		return int(assetPart(c.Old))
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name(), b.Name())) })
	return changes
}

// changeOf judges two entries of one file.
func changeOf(old, new *File) Change {
	c := Change{Old: old, New: new}
	what := Kind(0)
	switch {
	case old.Content != new.Content || old.Content == "" && old.Size != new.Size:
		what |= Modified
	case old.Method != new.Method || old.Stored != new.Stored || old.Flags&1 != new.Flags&1:
		what |= Restored
	}
	if old.Path != new.Path {
		what |= Renamed
		c.RenamedBy = "case"
	}
	if old.Archive != new.Archive {
		what |= Moved
	}
	if old.Copies != new.Copies {
		what |= Copies
	}
	c.Kind = what.First()
	c.Also = what &^ c.Kind
	return c
}
