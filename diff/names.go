package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strings"
)

// names holds paths that someone will read. Folders are held once.
type names struct {
	ids   []int64 // path_id, sorted
	dirOf []int64
	base  []string
	dirs  map[int64]string // prefixes
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
	return lookUp(ctx, db, "SELECT d.dir_id, d.prefix FROM ", "dir d", "d.dir_id", dirs,
		func(id int64, v []driver.Value) { n.dirs[id] = str(v[1]) })
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

func (n *names) compare(a, b int64) int {
	if a == b {
		return 0
	}
	prefixA, baseA := n.split(a)
	prefixB, baseB := n.split(b)
	if c := strings.Compare(prefixA, prefixB); c != 0 {
		return c
	}
	return strings.Compare(baseA, baseB)
}
