package show

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pakdb/schema"
)

// ErrSeveral means that several things go by the name given.
var ErrSeveral = errors.New("is not unique")

// ErrNoNode means that nothing in the build goes by the name given.
var ErrNoNode = errors.New("nothing by that name")

// Graph is the references of one build. It is safe for concurrent use.
type Graph struct {
	db    *sql.DB
	build int64
	label string
}

// OpenGraph returns the graph of a build; "" is the newest one.
func OpenGraph(ctx context.Context, db *sql.DB, build string) (*Graph, error) {
	g := &Graph{db: db}
	err := db.QueryRowContext(ctx, `SELECT build_id, build FROM builds
		WHERE ?1 = '' OR build = ?1 ORDER BY build_id DESC LIMIT 1`, build).Scan(&g.build, &g.label)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, build)
	}
	return g, err
}

// Node is an entry of the build, or an id or a name without a meaning in it.
type Node struct {
	Path  string // "" when the id means nothing in the build
	Space string // what kind of thing is referred to; "" for a node that was found by its path

	path int64  // path_id, 0 for none
	key  int64  // what it is referred to by
	text string // the same, where that is a name; else ""
}

// Target is what the node is referred to by: the name, or the id of what goes by none.
func (n Node) Target() string { return cmp.Or(n.text, fmt.Sprintf("%016x", uint64(n.key))) }

// Name returns the path, or of a node that has none the name or the id.
func (n Node) Name() string { return cmp.Or(n.Path, n.Space+":"+n.Target()) }

// Edge is one reference, seen from the node that it was reached from.
type Edge struct {
	From, To Node
	Kind     string
	Status   string // resolved, missing, native, ambiguous
	Weak     bool
	Depth    int // 1 for the edges of the first node
}

// GraphOptions of a walk. The zero value goes forward, one step, along every kind.
type GraphOptions struct {
	Reverse bool     // from what is referred to, to what refers to it
	Depth   int      // steps; 0 is 1, negative is no limit
	Kinds   []string // of references; nil for all
}

// Walk visits the edges that start at a node, breadth first, each node once.
// Edges of a node come in stored order. It ends at the first error of visit.
func (g *Graph) Walk(ctx context.Context, start Node, o GraphOptions, visit func(Edge) error) error {
	seen := map[Node]bool{start.id(): true}
	level := []Node{start}
	for depth := 1; len(level) > 0 && (o.Depth < 0 || depth <= max(o.Depth, 1)); depth++ {
		var next []Node
		for _, n := range level {
			edges, err := g.edges(ctx, n, o)
			if err != nil {
				return err
			}
			for _, e := range edges {
				e.Depth = depth
				if err := visit(e); err != nil {
					return err
				}
				far := e.To
				if o.Reverse {
					far = e.From
				}
				if !seen[far.id()] {
					seen[far.id()] = true
					next = append(next, far)
				}
			}
		}
		level = next
	}
	return nil
}

// id returns what nodes that are one have in common.
func (n Node) id() Node {
	if n.path != 0 {
		return Node{path: n.path}
	}
	return Node{key: n.key, Space: n.Space}
}

func (g *Graph) edges(ctx context.Context, n Node, o GraphOptions) ([]Edge, error) {
	query := needs
	if o.Reverse {
		query = neededBy
	} else if n.path == 0 {
		return nil, nil // nothing is known of it
	}
	all, err := schema.All(ctx, g.db, func(e *Edge) []any {
		return []any{&e.From.path, &e.From.Path, &e.Kind, &e.To.Space, &e.To.key, &e.To.path, &e.To.Path, &e.Status, &e.Weak, &e.To.text}
	}, query, g.build, n.path, n.key, n.Space)
	return slices.DeleteFunc(all, func(e Edge) bool { return o.Kinds != nil && !slices.Contains(o.Kinds, e.Kind) }), err
}

// Needs returns the paths that an entry refers to directly, weak references left out.
// Of a path that is not in the build it returns none.
func (g *Graph) Needs(ctx context.Context, name string) (paths []string, err error) {
	nodes, err := g.nodes(ctx, pathNodes, schema.PathKey(name), name)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	err = g.Walk(ctx, nodes[0], GraphOptions{}, func(e Edge) error {
		if e.To.Path != "" && !e.Weak {
			paths = append(paths, e.To.Path)
		}
		return nil
	})
	return paths, err
}

// needs lists the edges that start at path ?2 of build ?1.
var needs = edgesSQL(`x_entry e
		CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
		CROSS JOIN x_ref r ON r.content_id = e.content_id AND e.path_id = ?2`, "from_key")

// neededBy lists those that lead to path ?2, or where that is 0 to key ?3 in space ?4.
var neededBy = edgesSQL(`want
		CROSS JOIN x_ref_key rk ON rk.key = want.key
		CROSS JOIN x_ref r ON r.content_id = rk.content_id AND r.key = want.key AND r.space_id = want.space_id
		CROSS JOIN x_entry e ON e.content_id = rk.content_id
		CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1`, "to_key")

// edgesSQL makes a list of edges: those that refs finds, in stored order, and the dependencies
// that asset registries in archives of the build list, by a key that is wanted. It yields from
// path_id, from path, kind, space, key, to path_id, to path, status, weak, name.
func edgesSQL(refs, key string) string {
	return `WITH want(space_id, key) AS (
		SELECT space_id, key FROM x_build_symbol WHERE build_id = ?1 AND path_id = ?2
		UNION ALL
		SELECT word_id, ?3 FROM x_word WHERE ?2 = 0 AND word = ?4),
	edge(path_id, kind, space_id, key, flags, name_id, listed, ordinal, row, seq) AS (
		SELECT e.path_id, k.word, r.space_id, r.key, r.flags, r.name_id, 0, ba.ordinal, e.row, r.seq
		FROM ` + refs + `
		CROSS JOIN x_word k ON k.word_id = r.kind_id
		UNION ALL
		SELECT fs.path_id, CASE WHEN r.kind = 2 THEN 'registry_manage' WHEN r.flags & 1 THEN 'registry_hard' ELSE 'registry_soft' END,
			fs.space_id, r.to_key, 2 * (n.name GLOB '/Script/*'), r.to_id, 1, 0, 0, 0
		FROM want
		CROSS JOIN x_registry_dependency r ON r.` + key + ` = want.key AND r.kind <> 1
		CROSS JOIN x_entry e ON e.content_id = r.content_id
		CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
		CROSS JOIN x_build_symbol fs ON fs.build_id = ?1 AND fs.key = r.from_key AND fs.space_id = want.space_id
			AND fs.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
		CROSS JOIN x_name n ON n.name_id = r.to_id)
	SELECT DISTINCT e.path_id, d.prefix || p.name, e.kind, s.word, e.key, coalesce(bs.path_id, 0), coalesce(td.prefix || tp.name, ''),
		CASE WHEN e.flags & 2 THEN 'native' WHEN bs.present IS NOT 1 THEN 'missing'
		     WHEN bs.paths > 1 THEN 'ambiguous' ELSE 'resolved' END,
		e.flags & 1, coalesce(n.name, '')
	FROM edge e
	CROSS JOIN x_word s ON s.word_id = e.space_id
	CROSS JOIN x_path p ON p.path_id = e.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_name n ON n.name_id = e.name_id
	LEFT JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = e.space_id AND bs.key = e.key
	LEFT JOIN x_path tp ON tp.path_id = bs.path_id
	LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
	ORDER BY e.listed, 2, e.ordinal, e.row, e.seq, 3, 10`
}

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
	cycles := [][]string{}
	for _, group := range components(edges) {
		if len(group) == 1 && !slices.Contains(edges[group[0]], group[0]) {
			continue
		}
		list, err := json.Marshal(group)
		if err != nil {
			return nil, err
		}
		paths, err := schema.FirstTexts(ctx, g.db, `SELECT d.prefix || p.name
			FROM json_each(?1) j
			CROSS JOIN x_path p ON p.path_id = j.value
			CROSS JOIN x_dir d ON d.dir_id = p.dir_id
			ORDER BY 1`, string(list))
		if err != nil {
			return nil, err
		}
		cycles = append(cycles, paths)
	}
	slices.SortFunc(cycles, func(a, b []string) int {
		return cmp.Or(len(b)-len(a), slices.Compare(a, b))
	})
	return cycles, nil
}

// allEdges returns the targets of every path that refers to something present. A blueprint
// names its defaults, which name the blueprint that declares them: that is a circle by design.
func (g *Graph) allEdges(ctx context.Context, kinds []string) (map[int64][]int64, error) {
	edges := map[int64][]int64{}
	return edges, schema.EachRow(ctx, g.db, `SELECT DISTINCT e.path_id, bs.path_id
		FROM x_build_archive ba
		CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
		CROSS JOIN x_ref r ON r.content_id = e.content_id
		CROSS JOIN x_build_symbol bs ON bs.build_id = ba.build_id AND bs.space_id = r.space_id AND bs.key = r.key
		CROSS JOIN x_word k ON k.word_id = r.kind_id
		WHERE ba.build_id = ?1 AND bs.present = 1 AND e.path_id IS NOT NULL
			AND CASE ?2 WHEN '' THEN k.word NOT IN ('declared_by', 'default')
				ELSE instr(',' || ?2 || ',', ',' || k.word || ',') END`, []driver.Value{g.build, strings.Join(kinds, ",")}, func(v []driver.Value) {
		from, _ := v[0].(int64)
		to, _ := v[1].(int64)
		edges[from] = append(edges[from], to)
	})
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
