package show_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/query/show"
	"pakdb/schema"
)

// catalog holds a build in which a refers to b twice, b to c, c to a, and a to
// an id that nothing stands for.
func catalog(t *testing.T) *show.Graph {
	t.Helper()
	return open(t, func(b *schema.Build) {
		id := schematest.Start(t, b, schema.Archive{Format: "test"})
		add := func(n int64, name string, refs ...schema.Ref) {
			facts := &schema.Facts{Inspector: "test/1", Kind: "test", Refs: refs,
				Symbols: []schema.Symbol{{Space: "thing", Key: -n}}}
			err := b.Add(id, &schema.Entry{Ordinal: n, Name: name, Method: "none", HasContent: true,
				Content: schema.Digest{byte(n)}, Facts: facts})
			if err != nil {
				t.Fatal(err)
			}
		}
		ref := func(kind string, n int64) schema.Ref { return schema.Ref{Kind: kind, Space: "thing", Key: -n} }
		add(1, "Dir/a.x", ref("uses", 2), ref("likes", 2), ref("uses", 99), schema.Ref{Kind: "text", Space: "elsewhere", Key: 7, Flags: 2})
		add(2, "Dir/b.x", ref("uses", 3))
		add(3, "Other/c.x", ref("uses", 1))
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a"})
	})
}

func walk(t *testing.T, g *show.Graph, from string, o show.GraphOptions) []string {
	t.Helper()
	nodes, err := g.Resolve(context.Background(), from)
	if err != nil || len(nodes) != 1 {
		t.Fatalf("resolve %q: %v, %v", from, nodes, err)
	}
	var got []string
	err = g.Walk(context.Background(), nodes[0], o, func(e show.Edge) error {
		got = append(got, e.From.Name()+" "+e.Kind+" "+e.To.Name()+" "+e.Status)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWalk(t *testing.T) {
	g := catalog(t)
	for _, tt := range []struct {
		name, from string
		o          show.GraphOptions
		want       []string
	}{
		{"forward", "Dir/a.x", show.GraphOptions{}, []string{
			"Dir/a.x uses Dir/b.x resolved", "Dir/a.x likes Dir/b.x resolved",
			"Dir/a.x uses thing:ffffffffffffff9d missing", "Dir/a.x text elsewhere:0000000000000007 native"}},
		{"kinds", "Dir/a.x", show.GraphOptions{Kinds: []string{"likes"}}, []string{"Dir/a.x likes Dir/b.x resolved"}},
		{"all", "Dir/b.x", show.GraphOptions{Depth: -1, Kinds: []string{"uses"}}, []string{
			"Dir/b.x uses Other/c.x resolved", "Other/c.x uses Dir/a.x resolved",
			"Dir/a.x uses Dir/b.x resolved", "Dir/a.x uses thing:ffffffffffffff9d missing"}},
		{"reverse", "Dir/b.x", show.GraphOptions{Reverse: true}, []string{
			"Dir/a.x uses Dir/b.x resolved", "Dir/a.x likes Dir/b.x resolved"}},
		{"two back", "Dir/b.x", show.GraphOptions{Reverse: true, Depth: 2, Kinds: []string{"uses"}}, []string{
			"Dir/a.x uses Dir/b.x resolved", "Other/c.x uses Dir/a.x resolved"}},
		{"dangling", "-99", show.GraphOptions{Reverse: true}, []string{"Dir/a.x uses thing:ffffffffffffff9d missing"}},
		{"by id", "0xfffffffffffffffe", show.GraphOptions{}, []string{"Dir/b.x uses Other/c.x resolved"}},
		{"by unsigned id", "18446744073709551614", show.GraphOptions{}, []string{"Dir/b.x uses Other/c.x resolved"}},
		{"by end, any case", "C.X", show.GraphOptions{}, []string{"Other/c.x uses Dir/a.x resolved"}},
		{"without extension", "other/C", show.GraphOptions{}, []string{"Other/c.x uses Dir/a.x resolved"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := walk(t, g, tt.from, tt.o); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	g := catalog(t)
	for name, want := range map[string][]string{
		"Dir/a.x": {"Dir/b.x", "Dir/b.x"}, // two kinds; what is missing or native has no path
		"Dir/b.x": {"Other/c.x"},
		"dir/b.x": nil, // another file
		"b.x":     nil,
		"nowhere": nil,
	} {
		if got, err := g.Needs(context.Background(), name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestResolveNothing(t *testing.T) {
	if _, err := catalog(t).Resolve(context.Background(), "nowhere"); !errors.Is(err, show.ErrNoNode) {
		t.Errorf("got %v, want ErrNoNode", err)
	}
}

func TestCycles(t *testing.T) {
	g := catalog(t)
	got, err := g.Cycles(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"Dir/a.x", "Dir/b.x", "Other/c.x"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, err := g.Cycles(context.Background(), []string{"likes"}); len(got) != 0 || err != nil {
		t.Errorf("along one kind: %q, %v", got, err)
	}
}

// Without an extension the file with an asset's tables is found, and no file whose
// name only begins so.
func TestResolveStems(t *testing.T) {
	g := open(t, func(b *schema.Build) {
		id := schematest.Start(t, b, schema.Archive{Format: "test"})
		for i, name := range []string{"A/Log.uasset", "A/Log.uexp", "A/Log.m.ubulk", "A/Log.old.txt", "A/Logs.uasset", "B/Map.umap", "C/Map.x", "D/Only.uexp"} {
			if err := b.Add(id, &schema.Entry{Ordinal: int64(i), Name: name, Method: "none"}); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a"})
	})
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Log", []string{"A/Log.uasset"}},
		{"a/LOG", []string{"A/Log.uasset"}},
		{"B/Log", nil},
		{"Lo", nil},
		{"Log.old", []string{"A/Log.old.txt"}},
		{"Map", []string{"B/Map.umap", "C/Map.x"}},
		{"Only", []string{"D/Only.uexp"}},
		{"A/", nil},
	} {
		nodes, err := g.Resolve(context.Background(), tt.text)
		var got []string
		for _, n := range nodes {
			got = append(got, n.Path)
		}
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%q: %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}
