package show

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"pakdb/schema"
)

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

// allEdges returns the targets of every path that refers to something present. A blueprint
// names its defaults, which name the blueprint that declares them: that is a circle by design.
func (g *Graph) allEdges(ctx context.Context, kinds []string) (map[int64][]int64, error) {
	list, err := json.Marshal(kinds)
	if err != nil {
		return nil, err
	}
	edges := map[int64][]int64{}
	return edges, schema.EachRow(ctx, g.db, `SELECT DISTINCT e.path_id, bs.path_id
		FROM x_build_archive ba
		CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
		CROSS JOIN x_ref r ON r.content_id = e.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ba.build_id AND bs.space_id = r.space_id AND bs.key = r.key
		CROSS JOIN x_word k ON k.word_id = r.kind_id
		WHERE ba.build_id = ?1 AND bs.present = 1 AND e.path_id IS NOT NULL
			AND CASE ?2 WHEN 'null' THEN k.word NOT IN ('declared_by', 'default')
				ELSE k.word IN (SELECT value FROM json_each(?2)) END`, []driver.Value{g.build, string(list)}, func(v []driver.Value) {
		from, _ := v[0].(int64)
		to, _ := v[1].(int64)
		edges[from] = append(edges[from], to)
	})
}

func (g *Graph) pathsOf(ctx context.Context, ids []int64) ([]string, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return schema.FirstTexts(ctx, g.db, `SELECT d.prefix || p.name
		FROM json_each(?1) j
		CROSS JOIN x_path p ON p.path_id = j.value
		CROSS JOIN x_dir d ON d.dir_id = p.dir_id
		ORDER BY 1`, string(list))
}

// components returns the strongly connected components, by Tarjan's algorithm
// without recursion: a chain of references may be as long as the build.
func components(edges map[int64][]int64) (found [][]int64) {
	type frame struct {
		node   int64
		next   int // of its edges
		number int
		at     int // in the stack
	}
	var frames []frame
	var stack []int64
	low := map[int64]int{} // the least number of the stack that a node leads to
	enter := func(n int64) {
		low[n] = len(low) + 1
		frames = append(frames, frame{node: n, number: low[n], at: len(stack)})
		stack = append(stack, n)
	}
	for _, start := range slices.Sorted(maps.Keys(edges)) {
		if low[start] == 0 {
			enter(start)
		}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			switch to := edges[f.node]; {
			case f.next < len(to) && low[to[f.next]] == 0:
				enter(to[f.next]) // f comes by again
				continue
			case f.next < len(to):
				low[f.node] = min(low[f.node], low[to[f.next]])
				f.next++
				continue
			case low[f.node] == f.number:
				group := slices.Clone(stack[f.at:])
				stack = stack[:f.at]
				for _, n := range group {
					low[n] = math.MaxInt // what leads to it is not part of it
				}
				found = append(found, group)
			}
			frames = frames[:len(frames)-1]
		}
	}
	return found
}
