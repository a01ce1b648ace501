package show_test

import (
	"context"
	"slices"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/query/show"
	"pakdb/schema"
)

// packages holds a build in which A refers to B and to two names that nothing
// goes by, one of them native.
func packages(t *testing.T) *show.Graph {
	t.Helper()
	return open(t, func(b *schema.Build) {
		id := schematest.Start(t, b, schema.Archive{Format: "test"})
		add := func(n int64, file, name string, refs ...schema.Ref) {
			for i := range refs {
				refs[i].Kind, refs[i].Space, refs[i].Key = "import", "package", schema.NameKey(refs[i].Name)
			}
			err := b.Add(id, &schema.Entry{Ordinal: n, Name: file, Method: "none", HasContent: true, Content: schema.Digest{byte(n)},
				PlaceSymbols: []schema.Symbol{{Space: "package", Key: schema.NameKey(name), Name: name}},
				Facts:        &schema.Facts{Inspector: "test/1", Kind: "test", Refs: refs}})
			if err != nil {
				t.Fatal(err)
			}
		}
		add(1, "Dir/a.uasset", "/Game/A", schema.Ref{Name: "/game/b"}, schema.Ref{Name: "/Game/Gone"}, schema.Ref{Name: "/Script/X", Flags: 2})
		add(2, "Dir/b.uasset", "/Game/B")
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a"})
	})
}

func TestWalkAlongNames(t *testing.T) {
	g := packages(t)
	for _, tt := range []struct {
		name, from string
		o          show.GraphOptions
		want       []string
	}{
		{"by name, any case", "/GAME/a", show.GraphOptions{Depth: -1}, []string{
			"Dir/a.uasset import Dir/b.uasset resolved", "Dir/a.uasset import package:/Game/Gone missing",
			"Dir/a.uasset import package:/Script/X native"}},
		{"back", "/Game/B", show.GraphOptions{Reverse: true}, []string{"Dir/a.uasset import Dir/b.uasset resolved"}},
		{"back by path", "b.uasset", show.GraphOptions{Reverse: true}, []string{"Dir/a.uasset import Dir/b.uasset resolved"}},
		{"back from what is missing", "/game/gone", show.GraphOptions{Reverse: true}, []string{
			"Dir/a.uasset import package:/Game/Gone missing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := walk(t, g, tt.from, tt.o); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	nodes, err := g.Resolve(context.Background(), "/GAME/GONE")
	if err != nil || len(nodes) != 1 || nodes[0].Name() != "package:/Game/Gone" {
		t.Errorf("a missing name: %+v, %v", nodes, err)
	}
}
