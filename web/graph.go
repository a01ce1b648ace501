package web

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"pakdb/diff"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// graphs shows what a file refers to, and what refers to it.
type graphs struct {
	db      *sql.DB
	catalog *explore.Catalog
}

// mostNodes bounds a graph that is drawn.
const mostNodes = 300

// node is a file of a graph, or an id that means nothing in the build.
type node struct {
	Name  string `json:"name"`
	Path  string `json:"path"` // "" of what is not in the build
	Depth int    `json:"depth"`
	Class string `json:"class,omitempty"` // of the object in it
}

// edge refers to nodes by their place.
type edge struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Weak   bool   `json:"weak,omitempty"`
}

func (x *graphs) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	began := time.Now()
	if _, err := x.catalog.Build(r.Context(), a.build); err != nil {
		return err
	}
	depth, err := a.number("depth", 1, 1, 5)
	if err != nil {
		return err
	}
	g, err := show.OpenGraph(r.Context(), x.db, a.build)
	if err != nil {
		return err
	}
	start, err := g.Resolve(r.Context(), a.path)
	if err != nil {
		return err
	}
	if len(start) > 1 {
		return refuse(http.StatusBadRequest, "give the whole path", "%q may be any of %d files", a.path, len(start))
	}
	d := &drawing{at: map[string]int{}}
	d.node(start[0], 0)
	for _, reverse := range directions(a.query.Get("dir")) {
		if err := d.walk(r.Context(), g, start[0], show.GraphOptions{Reverse: reverse, Depth: int(depth), Kinds: a.query["kind"]}); err != nil {
			return err
		}
	}
	if err := x.classify(r.Context(), a.build, d.nodes); err != nil {
		return err
	}
	writeJSON(w, map[string]any{"path": a.path, "nodes": d.nodes, "edges": d.edges, "truncated": d.more, "ms": milliseconds(began)})
	return nil
}

// classify sets the classes of the nodes that are files.
func (x *graphs) classify(ctx context.Context, build string, nodes []node) error {
	files := make([]show.Placed, len(nodes))
	for i := range nodes {
		files[i] = show.Placed{Build: build, File: &diff.File{Path: nodes[i].Path}}
	}
	classes, err := show.ClassesOf(ctx, x.db, files)
	if err != nil {
		return schema.Classify(err)
	}
	for i := range nodes {
		nodes[i].Class = classes[i]
	}
	return nil
}

// directions are those of a name: what needs it, what it needs, or both.
func directions(name string) []bool {
	switch name {
	case "in":
		return []bool{true}
	case "out":
		return []bool{false}
	}
	return []bool{false, true}
}

// drawing is a graph that grows.
type drawing struct {
	nodes []node
	edges []edge
	at    map[string]int
	more  bool
}

func (d *drawing) node(n show.Node, depth int) (place int, ok bool) {
	name := n.Name()
	if i, known := d.at[name]; known {
		return i, true
	}
	if len(d.nodes) >= mostNodes {
		d.more = true
		return 0, false
	}
	d.at[name] = len(d.nodes)
	d.nodes = append(d.nodes, node{Name: name, Path: n.Path, Depth: depth})
	return len(d.nodes) - 1, true
}

var errFull = errors.New("there are enough edges")

func (d *drawing) walk(ctx context.Context, g *show.Graph, start show.Node, o show.GraphOptions) error {
	sign := 1
	if o.Reverse {
		sign = -1
	}
	err := g.Walk(ctx, start, o, func(e show.Edge) error {
		from, okFrom := d.node(e.From, sign*e.Depth)
		to, okTo := d.node(e.To, sign*e.Depth)
		if okFrom && okTo {
			d.edges = append(d.edges, edge{from, to, e.Kind, e.Status, e.Weak})
		}
		if len(d.edges) >= 20*mostNodes {
			d.more = true
			return errFull
		}
		return nil
	})
	if errors.Is(err, errFull) {
		return nil
	}
	return err
}
