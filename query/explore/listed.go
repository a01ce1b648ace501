package explore

import (
	"context"
	"strings"

	"pakdb/internal/recent"
)

// filesOf returns the files directly in a folder, in any order.
type filesOf func(ctx context.Context, path string) ([]File, error)

// Sum is what an archive has directly in a folder.
type Sum struct {
	Folder              string // path in the game's file system, "" for the root
	Archive             string
	Files, Size, Stored int64
	Largest             int64  // size of the largest file
	Type                string // of that file: "uasset"
}

// Listed is a file of a folder.
type Listed struct {
	Name         string
	Type         string
	Archive      string
	Ordinal      int64
	Size, Stored int64
	Encrypted    bool
}

// NewTree returns the folders of a build by sums that were made elsewhere. archives are those
// of the build, in its order; types those of its files; unnamed counts files without a path;
// list returns the files directly in a folder.
func NewTree(b *Build, archives, types []string, sums []Sum, unnamed int64, list func(ctx context.Context, path string) ([]Listed, error)) *Tree {
	t := &Tree{Build: *b, Root: &Folder{}, Words: map[int64]string{}, Unnamed: unnamed, moreDirs: map[*Folder][]dirKey{}}
	places := map[string]int64{}
	for i, name := range archives {
		t.mounts = append(t.mounts, mount{ordinal: int64(i), name: name})
		places[name] = int64(i)
	}
	words := map[string]int64{} // their numbers; 0 is none
	for i, word := range types {
		words[word] = int64(i + 1)
		t.Words[int64(i+1)] = word
	}
	g := newGrower(t)
	for i := range sums {
		s := &sums[i]
		g.add(&sum{mount: places[s.Archive], dir: int64(i + 1), prefix: s.Folder, files: s.Files, size: s.Size, stored: s.Stored, largest: s.Largest, ext: words[s.Type]})
	}
	g.finish()
	t.moreDirs = nil // they are for the tables
	t.files = func(ctx context.Context, path string) ([]File, error) {
		listed, err := list(ctx, path)
		if err != nil {
			return nil, err
		}
		files := make([]File, len(listed))
		for i := range listed {
			l := &listed[i]
			files[i] = File{Name: strings.Clone(l.Name), Size: l.Size, Stored: l.Stored, Type: words[l.Type], Archive: places[l.Archive], Encrypted: l.Encrypted, row: l.Ordinal}
		}
		return files, nil
	}
	return t
}

// Trees keeps trees that were asked for last. It is safe for concurrent use.
type Trees struct{ kept *recent.Cache[int64, *Tree] }

// NewTrees returns an empty Trees.
func NewTrees() *Trees { return &Trees{recent.New[int64, *Tree](mostFolders)} }

// Get returns the tree of a build, which load makes unless it is kept.
func (t *Trees) Get(ctx context.Context, b *Build, load func(context.Context) (*Tree, error)) (*Tree, error) {
	return t.kept.Get(ctx, b.ID, func(ctx context.Context) (*Tree, int64, error) {
		tree, err := load(ctx)
		if err != nil {
			return nil, 0, err
		}
		return tree, tree.Root.count(), nil
	})
}
