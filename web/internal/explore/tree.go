package explore

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/schema"
)

// ErrNoFolder means that a build has no folder of that name.
var ErrNoFolder = errors.New("no such folder in the build")

// Tree is the folders of a build, as the game's file system has them. It does not change,
// and is safe for concurrent use.
type Tree struct {
	Build Build
	Root  *Folder
	// Unnamed counts entries that have no path, and so lie in no folder.
	Unnamed int64
	// Words are the texts of types: "uasset".
	Words map[int64]string

	catalog  *Catalog
	newest   int64 // build_id of the newest build when the tree was made
	mounts   []mount
	roots    []string             // what mounts have in front of their paths
	moreDirs map[*Folder][]dirKey // of folders that have several
	hidden   [][2]int64           // mount and row of entries that others hide, sorted
	named    map[int64][]named    // by dir_id
	renamed  map[[2]int64]bool    // mount and row of these
}

// Folder is a folder of a build. Sums are of all files below it. There may be a million of
// them in memory, so that they have no more than that.
type Folder struct {
	Name                string
	Files, Size, Stored int64
	Folders             []*Folder // directly in it, by name

	largest int64 // size of the largest file below it
	dir     dirKey
	kind    int32 // word_id of the type of that file
	archive int32 // place in the build of the archive that most bytes are from
}

// dirKey is a folder of the tables, as mounts of one root have it; the zero value is none.
type dirKey struct {
	root, dir int32 // the place of the root in Tree.roots, and dir_id
}

// Own returns the sums of the files directly in the folder.
func (f *Folder) Own() (files, size, stored int64) {
	files, size, stored = f.Files, f.Size, f.Stored
	for _, below := range f.Folders {
		files -= below.Files
		size -= below.Size
		stored -= below.Stored
	}
	return files, size, stored
}

// Type returns the type of the largest file below a folder: "uasset".
func (t *Tree) Type(f *Folder) string { return t.Words[int64(f.kind)] }

// Archive returns the archive that most bytes of a folder are from.
func (t *Tree) Archive(f *Folder) string { return t.ArchiveName(int64(f.archive)) }

// dirs returns the folders of the tables that one is.
func (t *Tree) dirs(f *Folder) []dirKey {
	if f.dir == (dirKey{}) {
		return nil
	}
	return append([]dirKey{f.dir}, t.moreDirs[f]...)
}

// Folder returns the folder of that path, "" for the root.
func (t *Tree) Folder(path string) (*Folder, error) {
	f := t.Root
	for part := range strings.SplitSeq(path, "/") {
		if part == "" && path == "" {
			break
		}
		i, ok := slices.BinarySearchFunc(f.Folders, part, func(f *Folder, name string) int { return cmp.Compare(f.Name, name) })
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNoFolder, path)
		}
		f = f.Folders[i]
	}
	return f, nil
}

// ArchiveName returns the name of an archive of the build by its place.
func (t *Tree) ArchiveName(place int64) string {
	if m := t.mount(place); m != nil {
		return m.name
	}
	return ""
}

func (t *Tree) mount(place int64) *mount {
	i, ok := slices.BinarySearchFunc(t.mounts, place, func(m mount, at int64) int { return cmp.Compare(m.ordinal, at) })
	if !ok {
		return nil
	}
	return &t.mounts[i]
}

// hides reports whether an entry, by mount and row, is hidden by another.
func (t *Tree) hides(entry [2]int64) bool {
	_, ok := slices.BinarySearchFunc(t.hidden, entry, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return ok
}

// Tree returns the folders of a build. They are kept.
func (c *Catalog) Tree(ctx context.Context, label string) (*Tree, error) {
	builds, err := c.Builds(ctx)
	if err != nil {
		return nil, err
	}
	b, err := find(builds, label)
	if err != nil {
		return nil, err
	}
	return c.trees.Get(ctx, b.ID, func(ctx context.Context) (*Tree, int, error) {
		t, folders, err := c.loadTree(ctx, *b, builds[len(builds)-1].ID)
		return t, folders, schema.Classify(err)
	})
}

// loadTree returns the folders of a build, and how many there are.
func (c *Catalog) loadTree(ctx context.Context, b Build, newest int64) (t *Tree, folders int, err error) {
	t = &Tree{Build: b, catalog: c, newest: newest, Root: &Folder{}, Words: map[int64]string{}, moreDirs: map[*Folder][]dirKey{}}
	if t.mounts, err = loadMounts(ctx, c.db, b.ID); err != nil {
		return nil, 0, err
	}
	err = schema.EachRow(ctx, c.db, "SELECT word_id, word FROM x_word", nil, func(v []driver.Value) { t.Words[integer(v[0])] = text(v[1]) })
	if err != nil {
		return nil, 0, err
	}
	sums, err := loadSums(ctx, c.db, b.ID)
	if err != nil {
		return nil, 0, err
	}
	var more []sum
	if t.named, more, err = loadNamed(ctx, c.db, b.ID); err != nil {
		return nil, 0, err
	}
	t.renamed = map[[2]int64]bool{}
	for _, files := range t.named {
		for _, n := range files {
			t.renamed[[2]int64{n.mount, n.row}] = true
		}
	}
	err = schema.EachRow(ctx, c.db, "SELECT mount, row FROM x_build_shadow WHERE build_id = ? ORDER BY mount, row", []driver.Value{b.ID},
		func(v []driver.Value) { t.hidden = append(t.hidden, [2]int64{integer(v[0]), integer(v[1])}) })
	if err != nil {
		return nil, 0, err
	}
	g := newGrower(t)
	for _, s := range append(sums, more...) {
		g.add(&s)
	}
	g.at[""].finish(t.Words)
	return t, len(g.at), nil
}

// grower makes the folders of a tree of sums.
type grower struct {
	tree  *Tree
	roots map[int64]int32 // of a mount, by its place: the place in Tree.roots
	at    map[string]*growing
}

// growing is a folder to which sums are added.
type growing struct {
	*Folder
	below    []*growing
	archives map[int64]int64 // decoded bytes of each, by the ordinal of its mount
}

func newGrower(t *Tree) *grower {
	g := &grower{tree: t, roots: map[int64]int32{}, at: map[string]*growing{"": {Folder: t.Root}}}
	places := map[string]int32{}
	for i := range t.mounts {
		m := &t.mounts[i]
		if _, ok := places[m.root]; !ok {
			places[m.root], t.roots = int32(len(t.roots)), append(t.roots, m.root)
		}
		g.roots[m.ordinal] = places[m.root]
	}
	return g
}

func (g *grower) add(s *sum) {
	if s.dir == 0 {
		g.tree.Unnamed += s.files
		return
	}
	root := g.roots[s.mount]
	f := g.folder(strings.TrimRight(g.tree.roots[root]+s.prefix, "/"))
	f.Files += s.files
	f.Size += s.size
	f.Stored += s.stored
	f.enlarge(s.largest, s.ext, g.tree.Words)
	f.share(s.mount, s.size)
	key := dirKey{root, int32(s.dir)}
	if f.dir == (dirKey{}) {
		f.dir = key
	} else if more := g.tree.moreDirs[f.Folder]; f.dir != key && !slices.Contains(more, key) {
		g.tree.moreDirs[f.Folder] = append(more, key)
	}
}

// enlarge takes the type of a file, if that is larger than all before. Of equally large ones
// the type counts that comes first as a word: numbers of words differ between catalogs.
func (f *Folder) enlarge(size, ext int64, words map[int64]string) {
	if kind := int32(ext); size > f.largest || size == f.largest && kind != f.kind && (f.kind == 0 || words[ext] < words[int64(f.kind)]) {
		f.largest, f.kind = size, kind
	}
}

// share adds what a folder has of an archive, in decoded bytes.
func (f *growing) share(mount, size int64) {
	if f.archives == nil {
		f.archives = map[int64]int64{}
	}
	f.archives[mount] += size
}

func (g *grower) folder(path string) *growing {
	if f := g.at[path]; f != nil {
		return f
	}
	above, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		above, name = path[:i], path[i+1:]
	}
	f := &growing{Folder: &Folder{Name: strings.Clone(name)}}
	parent := g.folder(above)
	parent.below, g.at[path] = append(parent.below, f), f
	return f
}

// finish adds up what lies below a folder, and leaves out those that have nothing.
func (f *growing) finish(words map[int64]string) {
	for _, below := range f.below {
		below.finish(words)
		if below.Files == 0 {
			continue
		}
		f.Folders = append(f.Folders, below.Folder)
		f.Files += below.Files
		f.Size += below.Size
		f.Stored += below.Stored
		f.enlarge(below.largest, int64(below.kind), words)
		for mount, size := range below.archives {
			f.share(mount, size)
		}
	}
	f.Folders = slices.Clip(f.Folders)
	slices.SortFunc(f.Folders, func(a, b *Folder) int { return cmp.Compare(a.Name, b.Name) })
	f.archive = int32(largest(f.archives))
}

// largest returns the archive of the most bytes, the first of equal ones; 0 for none.
func largest(of map[int64]int64) (best int64) {
	most := int64(-1)
	for mount, size := range of {
		if size > most || size == most && mount < best {
			best, most = mount, size
		}
	}
	return best
}

// mostFolders bounds the folders of all trees that are kept, which take some 130 bytes each.
const mostFolders = 260_000
