package semantic_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
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
	for _, hashes := range []bool{false, true} {
		lines := fieldsOf(t, path, hashes)
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

// fieldsOf compares the builds old and new of a catalog and returns what differs inside:
// "name|old|new".
func fieldsOf(t *testing.T, path string, hashes bool) (lines []string) {
	t.Helper()
	ctx := context.Background()
	db := schematest.Open(t, path)
	r, err := diff.Compare(ctx, db, "old", "new", diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &semantic.Comparer{DB: db, OldBuild: "old", NewBuild: "new", Hashes: hashes}
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
	return lines
}

// TestTexturesOfSamples: a texture in another format is told so, and not by its bytes alone.
func TestTexturesOfSamples(t *testing.T) {
	ctx := context.Background()
	src := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "Legacy-Tagged-Zlib.pak"))
	files := codecstest.Contents(t, codecstest.Open(t, unrealpak.Format(), src, nil))
	path := schematest.Write(t, func(c *schema.Catalog) {
		for label, format := range map[string]string{"old": "PF_DXT1", "new": "PF_DXT5"} {
			dir := t.TempDir()
			for name, data := range files {
				if !strings.Contains(name, "T_Streaming") {
					continue
				}
				data = bytes.ReplaceAll(data, []byte("PF_DXT1"), []byte(format))
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{dir}, Label: label}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got, want := fieldsOf(t, path, false), "T_Streaming.Texture.Format|PF_DXT1|PF_DXT5"; !slices.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, strings.Join(got, "\n"))
	}
}
