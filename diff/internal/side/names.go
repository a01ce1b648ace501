package side

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"strings"

	"pakdb/internal/asset"
)

// Names are paths of a catalog by their path_id: the folders once each, and the
// names in one text, because two million texts of their own take twice the memory.
// It is not safe for concurrent use.
type Names struct {
	Places         // of path_ids
	dirOf  []int32 // in dirs
	starts []int64 // of the names in text; one more than there are
	text   string

	dirs  []string // prefixes
	ranks []int32

	numbers *assetNumbers // nil: nobody asked yet
}

// Names reads the paths of ids, which are path_ids in any order; those that are
// not above 0, and repeats, are left out.
func (c *Catalog) Names(ctx context.Context, ids []int64) (*Names, error) {
	ids = Set(slices.Clone(ids))
	b := newNamesBuilder(len(ids))
	err := LookUp(ctx, c.DB, "SELECT p.path_id, p.dir_id, p.name FROM ", "x_path p", "p.path_id", ids,
		func(id int64, v []driver.Value) { b.add(id, Integer(v[1]), Text(v[2])) })
	if err != nil {
		return nil, err
	}
	dirs := make([]string, len(b.dirs))
	err = LookUp(ctx, c.DB, "SELECT d.dir_id, d.prefix FROM ", "x_dir d", "d.dir_id", slices.Sorted(maps.Keys(b.dirs)),
		func(id int64, v []driver.Value) { dirs[b.dirs[id]] = Text(v[1]) })
	return b.names(dirs), err
}

// namesBuilder makes Names of paths, which are added in the order of their ids.
type namesBuilder struct {
	Names
	dirs map[int64]int32 // places of folders by their ids
	text strings.Builder // its text is not copied in the end
}

func newNamesBuilder(n int) *namesBuilder {
	b := &namesBuilder{Names: Names{Places: Places{ids: make([]int64, 0, n)}, dirOf: make([]int32, 0, n), starts: make([]int64, 0, n+1)}, dirs: map[int64]int32{}}
	b.text.Grow(16 * n)
	return b
}

func (b *namesBuilder) add(id, dir int64, name string) {
	place, ok := b.dirs[dir]
	if !ok {
		place = int32(len(b.dirs))
		b.dirs[dir] = place
	}
	b.ids, b.dirOf, b.starts = append(b.ids, id), append(b.dirOf, place), append(b.starts, int64(b.text.Len()))
	_, _ = b.text.WriteString(name)
}

// names returns the names, given the prefixes of folders by their places.
func (b *namesBuilder) names(dirs []string) *Names {
	n := &b.Names
	n.starts = append(n.starts, int64(b.text.Len()))
	n.text, n.dirs = b.text.String(), dirs
	n.rankAll()
	n.Places = PlacesOf(n.ids)
	return n
}

// base is the name at a place of ids.
func (n *Names) base(i int) string { return n.text[n.starts[i]:n.starts[i+1]] }

// Split returns the folder, with its slash, and the name of a path; "" and "" for an
// id that was not loaded.
func (n *Names) Split(id int64) (prefix, base string) {
	i, ok := n.Find(id)
	if !ok {
		return "", ""
	}
	return n.dirs[n.dirOf[i]], n.base(i)
}

// Path returns a path, "" for an id that was not loaded.
func (n *Names) Path(id int64) string {
	prefix, base := n.Split(id)
	return prefix + base
}

// Rank is the place of a path among those that n holds, by folder, then by name.
// Without a path it is -1.
func (n *Names) Rank(id int64) int32 {
	i, ok := n.Find(id)
	if !ok {
		return -1
	}
	return n.ranks[i]
}

// rankAll sorts once, so that sorting by paths compares numbers.
func (n *Names) rankAll() {
	n.ranks = make([]int32, len(n.ids))
	for rank, i := range byPath(n.dirs, n.dirOf, func(i int32) string { return n.base(int(i)) }) {
		n.ranks[i] = int32(rank)
	}
}

// byPath returns the places of paths in the order of their folders, then of their names.
// dirOf has the folder of each path, in dirs.
func byPath(dirs []string, dirOf []int32, name func(path int32) string) []int32 {
	order := make([]int32, len(dirs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(dirs[a], dirs[b]) })
	// Paths are dealt to their folders, so that a name is only compared with few others.
	ends := make([]int32, len(dirs))
	for _, dir := range dirOf {
		ends[dir]++
	}
	end := int32(0)
	for _, dir := range order {
		ends[dir], end = end, end+ends[dir]
	}
	paths := make([]int32, len(dirOf))
	for i, dir := range dirOf {
		paths[ends[dir]] = int32(i)
		ends[dir]++
	}
	start := int32(0)
	for _, dir := range order {
		slices.SortFunc(paths[start:ends[dir]], func(a, b int32) int { return strings.Compare(name(a), name(b)) })
		start = ends[dir]
	}
	return paths
}

// PartOf returns the extension of a path and what the file is to its asset, which is
// asset.None for an id that was not loaded.
func (n *Names) PartOf(path int64) (ext string, part asset.Part) {
	i, ok := n.Find(path)
	if !ok {
		return "", asset.None
	}
	_, ext, part = asset.Split(n.base(i))
	return ext, part
}
