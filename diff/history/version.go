package history

import (
	"cmp"
	"slices"
	"strings"

	"pakdb/diff"
	"pakdb/internal/asset"
)

// version is the files of an asset in a build, the file with its tables first; of what is
// no asset it is one file. It is empty where the build has none.
type version []*diff.File

// lead returns the file that the version is named by, nil for none.
func (v version) lead() *diff.File {
	if len(v) == 0 {
		return nil
	}
	return v[0]
}

func (v version) sort() {
	slices.SortFunc(v, func(a, b *diff.File) int {
		return cmp.Or(cmp.Compare(partOf(a), partOf(b)), strings.Compare(a.Path, b.Path))
	})
}

func partOf(f *diff.File) asset.Part {
	_, _, part := asset.Split(f.Path)
	return part
}

// changesOf compares two versions, file by file. The change that names all of them comes
// first: of the file with the tables, and of one that both have.
func changesOf(old, new version) (changes []diff.Change) {
	var gone []*diff.File
	became := map[*diff.File]bool{}
	for _, f := range old {
		i := slices.IndexFunc(new, func(n *diff.File) bool { return asset.Same(f.Path, n.Path) })
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
			changes = append(changes, diff.Change{Kind: diff.Added, New: f})
		}
	}
	for _, f := range gone {
		changes = append(changes, diff.Change{Kind: diff.Removed, Old: f})
	}
	rank := func(c diff.Change) int {
		if c.Old == nil || c.New == nil {
			return 100 + int(partOf(cmp.Or(c.Old, c.New)))
		}
		return int(partOf(c.Old))
	}
	slices.SortFunc(changes, func(a, b diff.Change) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name(), b.Name())) })
	return changes
}

// changeOf judges two entries of one file.
func changeOf(old, new *diff.File) diff.Change {
	c := diff.Change{Old: old, New: new}
	what := diff.Kind(0)
	switch {
	case old.Content != new.Content || old.Content == "" && old.Size != new.Size:
		what |= diff.Modified
	case old.Method != new.Method || old.Stored != new.Stored || old.Flags&1 != new.Flags&1:
		what |= diff.Restored
	}
	if old.Path != new.Path {
		what |= diff.Renamed
		c.RenamedBy = "case"
	}
	if old.Archive != new.Archive {
		what |= diff.Moved
	}
	if old.Copies != new.Copies {
		what |= diff.Copies
	}
	c.Kind = what.First()
	c.Also = what &^ c.Kind
	return c
}
