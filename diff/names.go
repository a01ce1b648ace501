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

// names holds paths that someone will read: the folders once each, and the names
// in one text, because two million texts of their own take twice the memory.
type names struct {
	ids    []int64 // path_id, sorted
	dirOf  []int32 // in dirs
	starts []int64 // of the names in text; one more than there are
	text   string

	dirs  []string // prefixes
	ranks []int32

	numbers *assetNumbers // nil: nobody asked yet
}

// load replaces what n holds by the paths of ids.
func (n *names) load(ctx context.Context, db *sql.DB, ids []int64) error {
	ids = sortedSet(slices.Clone(ids))
	*n = names{ids: make([]int64, 0, len(ids)), dirOf: make([]int32, 0, len(ids)), starts: make([]int64, 0, len(ids)+1)}
	known := map[int64]int32{}
	var text strings.Builder // its text is not copied in the end
	text.Grow(16 * len(ids))
	err := lookUp(ctx, db, pathsSQL, "path p", "p.path_id", ids, func(id int64, v []driver.Value) {
		dir, ok := known[integer(v[1])]
		if !ok {
			dir = int32(len(known))
			known[integer(v[1])] = dir
		}
		n.ids, n.dirOf, n.starts = append(n.ids, id), append(n.dirOf, dir), append(n.starts, int64(text.Len()))
		_, _ = text.WriteString(str(v[2]))
	})
	if err != nil {
		return err
	}
	n.starts = append(n.starts, int64(text.Len()))
	n.text = text.String()
	n.dirs = make([]string, len(known))
	err = lookUp(ctx, db, "SELECT d.dir_id, d.prefix FROM ", "dir d", "d.dir_id", slices.Sorted(maps.Keys(known)),
		func(id int64, v []driver.Value) { n.dirs[known[id]] = str(v[1]) })
	n.rankAll()
	return err
}

// base is the name at a place of ids.
func (n *names) base(i int) string { return n.text[n.starts[i]:n.starts[i+1]] }

// split returns the folder, with its slash, and the name of a path.
func (n *names) split(id int64) (prefix, base string) {
	i, ok := slices.BinarySearch(n.ids, id)
	if !ok {
		return "", ""
	}
	return n.dirs[n.dirOf[i]], n.base(i)
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
	dirs := make([]int32, len(n.dirs))
	for i := range dirs {
		dirs[i] = int32(i)
	}
	slices.SortFunc(dirs, func(a, b int32) int { return strings.Compare(n.dirs[a], n.dirs[b]) })
	rankOf := make([]int32, len(dirs))
	for rank, dir := range dirs {
		rankOf[dir] = int32(rank)
	}
	byName := make([]int32, len(n.ids))
	for i := range byName {
		byName[i] = int32(i)
	}
	slices.SortFunc(byName, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rankOf[n.dirOf[a]], rankOf[n.dirOf[b]]), strings.Compare(n.base(int(a)), n.base(int(b))))
	})
	n.ranks = make([]int32, len(byName))
	for rank, i := range byName {
		n.ranks[i] = int32(rank)
	}
}
