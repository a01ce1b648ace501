package graph

import (
	"context"
	"slices"
)

// naturalCycles are the kinds that lead in circles by design: a blueprint names
// its defaults, which name the blueprint that declares them.
var naturalCycles = []string{"declared_by", "default"}

// Cycles returns the groups of entries that refer to each other in circles:
// the strongly connected components of more than one entry, and entries that
// refer to themselves. Largest first, then by path; paths of a group are
// sorted. kinds limits the references that count; nil is all but those that
// lead in circles by design.
func (g *Graph) Cycles(ctx context.Context, kinds []string) ([][]string, error) {
	edges, err := g.allEdges(ctx, kinds)
	if err != nil {
		return nil, err
	}
	var cycles [][]string
	for _, group := range components(edges) {
		if len(group) == 1 && !slices.Contains(edges[group[0]], group[0]) {
			continue
		}
		paths, err := g.pathsOf(ctx, group)
		if err != nil {
			return nil, err
		}
		cycles = append(cycles, paths)
	}
	slices.SortFunc(cycles, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.Compare(a, b)
	})
	return cycles, nil
}

// allEdges returns the targets of every path that refers to something present.
func (g *Graph) allEdges(ctx context.Context, kinds []string) (map[int64][]int64, error) {
	rows, err := g.db.QueryContext(ctx, `SELECT DISTINCT e.path_id, bs.path_id, k.word
		FROM x_build_archive ba
		CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
		CROSS JOIN x_ref r ON r.content_id = e.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ba.build_id AND bs.space_id = r.space_id AND bs.key = r.key
		CROSS JOIN x_word k ON k.word_id = r.kind_id
		WHERE ba.build_id = ? AND bs.present = 1 AND e.path_id IS NOT NULL`, g.build)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	edges := map[int64][]int64{}
	for rows.Next() {
		var from, to int64
		var kind string
		if err := rows.Scan(&from, &to, &kind); err != nil {
			return nil, err
		}
		if counts(kind, kinds) {
			edges[from] = append(edges[from], to)
		}
	}
	return edges, rows.Err()
}

func counts(kind string, kinds []string) bool {
	if kinds == nil {
		return !slices.Contains(naturalCycles, kind)
	}
	return slices.Contains(kinds, kind)
}

func (g *Graph) pathsOf(ctx context.Context, ids []int64) ([]string, error) {
	paths := make([]string, len(ids))
	for i, id := range ids {
		err := g.db.QueryRowContext(ctx, "SELECT d.prefix || p.name FROM x_path p JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.path_id = ?", id).Scan(&paths[i])
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// components returns the strongly connected components, by Tarjan's algorithm
// without recursion: a chain of references may be as long as the build.
func components(edges map[int64][]int64) [][]int64 {
	t := tarjan{edges: edges, index: map[int64]int{}, low: map[int64]int{}, on: map[int64]bool{}}
	starts := make([]int64, 0, len(edges))
	for n := range edges {
		starts = append(starts, n)
	}
	slices.Sort(starts)
	for _, n := range starts {
		if _, seen := t.index[n]; !seen {
			t.visit(n)
		}
	}
	return t.found
}

type tarjan struct {
	edges map[int64][]int64
	index map[int64]int
	low   map[int64]int
	on    map[int64]bool // the stack
	stack []int64
	found [][]int64
}

// frame is a node whose edges are being followed.
type frame struct {
	node int64
	next int // of its edges
}

func (t *tarjan) visit(start int64) {
	t.enter(start)
	frames := []frame{{node: start}}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.next < len(t.edges[f.node]) {
			to := t.edges[f.node][f.next]
			f.next++
			if _, seen := t.index[to]; !seen {
				t.enter(to)
				frames = append(frames, frame{node: to})
			} else if t.on[to] {
				t.low[f.node] = min(t.low[f.node], t.index[to])
			}
			continue
		}
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].node
			t.low[up] = min(t.low[up], t.low[f.node])
		}
		t.leave(f.node)
	}
}

func (t *tarjan) enter(n int64) {
	t.index[n], t.low[n] = len(t.index), len(t.index)
	t.stack = append(t.stack, n)
	t.on[n] = true
}

// leave closes a component when n is its root.
func (t *tarjan) leave(n int64) {
	if t.low[n] != t.index[n] {
		return
	}
	at := lastIndex(t.stack, n)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, m := range group {
		t.on[m] = false
	}
	t.found = append(t.found, group)
}

// lastIndex searches from the end, where the root of a small component is.
func lastIndex(stack []int64, n int64) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i] == n {
			return i
		}
	}
	return -1
}
