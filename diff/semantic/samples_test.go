package semantic_test

import (
	"context"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/indexer"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// The pair of a real mod: what its values say, and no hash of what they tell.
func TestValuesOfSamples(t *testing.T) {
	ctx := context.Background()
	path := schematest.Write(t, func(c *schema.Catalog) {
		for _, label := range []string{"old", "new"} {
			pak := codecstest.Sample(t, "unreal-pak", "pairs", "sandboxutilities_"+label+"_P.pak")
			if _, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{pak}, Label: label}); err != nil {
				t.Fatal(err)
			}
		}
	})
	db := schematest.Open(t, path)
	r, err := diff.Compare(ctx, db, "old", "new", diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, hashes := range []bool{false, true} {
		s := &semantic.Comparer{DB: db, OldBuild: "old", NewBuild: "new", Hashes: hashes}
		var lines []string
		for c, err := range r.Changes(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			in, err := s.Compare(ctx, &c)
			if err != nil || in == nil {
				continue
			}
			for _, f := range in.Fields {
				line := f.Name
				for _, v := range []*string{f.Old, f.New} {
					if v != nil {
						line += "|" + *v
					}
				}
				lines = append(lines, line)
			}
		}
		all := "\n" + strings.Join(lines, "\n") + "\n"
		for _, want := range []string{
			`LOG_State.SavePath|default|"Mods/Logger"`,
			"SandboxUtilities_C.InputActionDelegateBinding_0.InputActionDelegateBindings|4 elements|in another place",
		} {
			if !strings.Contains(all, "\n"+want+"\n") {
				t.Errorf("no %s in\n%s", want, all)
			}
		}
		if got := strings.Contains(all, "\nexport Default__LOG_State_C bytes|"); got != hashes {
			t.Errorf("hashes of class defaults: %v, want %v", got, hashes)
		}
	}
}
