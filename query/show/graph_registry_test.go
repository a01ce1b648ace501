package show_test

import (
	"slices"
	"testing"

	"pakdb/codecs/unreal"
	"pakdb/internal/testkit/schematest"
	"pakdb/query/show"
	"pakdb/schema"
)

// TestWalkAlongRegistry: what an asset registry says of packages are edges between
// them, and none of the registry's own.
func TestWalkAlongRegistry(t *testing.T) {
	registry := &unreal.RegistryFacts{Texts: []string{"/Game/A", "/Game/B", "/Game/Gone", "Tag", "/Script/X"},
		Dependencies: []unreal.RegistryDependency{{From: 0, To: 1}, {From: 0, To: 2, Flags: 1}, {From: 0, To: 4, Flags: 1},
			{From: 0, To: 3, Kind: unreal.DependsOnName}, {From: 1, To: 0, Kind: unreal.Manages}, {From: 2, To: 0}}}
	g := open(t, func(b *schema.Build) {
		id := schematest.Start(t, b, schema.Archive{Format: "test"})
		for n, name := range []string{"A", "B", "AssetRegistry"} {
			e := &schema.Entry{Ordinal: int64(n), Name: "Dir/" + name + ".uasset", Method: "none", HasContent: true, Content: schema.Digest{byte(n + 1)},
				Facts: &schema.Facts{Inspector: "test/1", Kind: "test"}}
			if name == "AssetRegistry" {
				e.Facts.Family = registry.Batch()
			} else {
				long := "/Game/" + name
				e.PlaceSymbols = []schema.Symbol{{Space: "package", Key: schema.NameKey(long), Name: long}}
			}
			if err := b.Add(id, e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a"})
	})
	for _, tt := range []struct {
		from string
		o    show.GraphOptions
		want []string
	}{
		{"Dir/A.uasset", show.GraphOptions{}, []string{"Dir/A.uasset registry_hard package:/Game/Gone missing",
			"Dir/A.uasset registry_hard package:/Script/X native", "Dir/A.uasset registry_soft Dir/B.uasset resolved"}},
		{"Dir/A.uasset", show.GraphOptions{Reverse: true}, []string{"Dir/B.uasset registry_manage Dir/A.uasset resolved"}},
		{"Dir/B.uasset", show.GraphOptions{Reverse: true}, []string{"Dir/A.uasset registry_soft Dir/B.uasset resolved"}},
		{"Dir/B.uasset", show.GraphOptions{Reverse: true, Kinds: []string{"import"}}, nil},
		{"Dir/AssetRegistry.uasset", show.GraphOptions{}, nil},
	} {
		if got := walk(t, g, tt.from, tt.o); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got  %q\nwant %q", tt.from, got, tt.want)
		}
	}
}
