package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"
	"strings"
)

// names holds paths that someone will read. Folders are held once.
type names struct {
	ids   []int64 // path_id, sorted
	dirOf []int64
	base  []string
	dirs  map[int64]string // prefixes
	ranks []int32
}

// load replaces what n holds by the paths of ids.
func (n *names) load(ctx context.Context, db *sql.DB, ids []int64) error {
	ids = sortedSet(slices.Clone(ids))
	n.ids = make([]int64, 0, len(ids))
	n.dirOf, n.base, n.dirs = make([]int64, 0, len(ids)), make([]string, 0, len(ids)), map[int64]string{}
	err := lookUp(ctx, db, pathsSQL, "path p", "p.path_id", ids, func(id int64, v []driver.Value) {
		n.ids, n.dirOf, n.base = append(n.ids, id), append(n.dirOf, integer(v[1])), append(n.base, str(v[2]))
	})
	if err != nil {
		return err
	}
	dirs := sortedSet(slices.Clone(n.dirOf))
	err = lookUp(ctx, db, "SELECT d.dir_id, d.prefix FROM ", "dir d", "d.dir_id", dirs,
		func(id int64, v []driver.Value) { n.dirs[id] = str(v[1]) })
	n.rankAll()
	return err
}

// split returns the folder, with its slash, and the name of a path.
func (n *names) split(id int64) (prefix, base string) {
	i, ok := slices.BinarySearch(n.ids, id)
	if !ok {
		return "", ""
	}
	return n.dirs[n.dirOf[i]], n.base[i]
}

func (n *names) path(id int64) string {
	prefix, base := n.split(id)
	return prefix + base
}

// rank is the place of a path among those that n holds, by folder, then by name.
// Without a path it is -1.
func (n *names) rank(id int64) int32 {
	i, ok := slices.BinarySearch(n.ids, id)
	if !ok {
		return -1
	}
	return n.ranks[i]
}

// rankAll sorts once, so that whoever sorts by paths compares numbers.
func (n *names) rankAll() {
	dirs := slices.SortedFunc(maps.Keys(n.dirs), func(a, b int64) int { return strings.Compare(n.dirs[a], n.dirs[b]) })
	rankOf := make(map[int64]int32, len(dirs))
	for i, dir := range dirs {
		rankOf[dir] = int32(i)
	}
	type item struct{ dir, index int32 }
	items := make([]item, len(n.ids))
	for i, dir := range n.dirOf {
		items[i] = item{rankOf[dir], int32(i)}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), strings.Compare(n.base[a.index], n.base[b.index]))
	})
	n.ranks = make([]int32, len(items))
	for rank, it := range items {
		n.ranks[it.index] = int32(rank)
	}
}
