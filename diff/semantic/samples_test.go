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
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
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

// TestNamesHaveNoCase: two cooks of one asset spell the field Float differently, and no value
// changed. Statements find it in both.
func TestNamesHaveNoCase(t *testing.T) {
	ctx := context.Background()
	classes, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	path := schematest.Write(t, func(c *schema.Catalog) {
		for label, pak := range map[string]string{"old": "Legacy-Tagged-Zlib.pak", "new": "Legacy-Unversioned-Zlib.pak"} {
			_, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: all.Registry(), Label: label,
				Paths:    []string{codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", pak)},
				Mappings: []schema.Mapping{{Name: "Fixtures.usmap", Data: classes}}})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, line := range fieldsOf(t, path, false) {
		if strings.HasPrefix(line, "DA_AllProperties.") {
			t.Errorf("a value that did not change: %s", line)
		}
	}
	db := schematest.Open(t, path)
	for _, query := range []string{
		"SELECT count(DISTINCT build) FROM properties WHERE field = 'FLOAT'",
		"SELECT count(DISTINCT build) FROM properties WHERE name IN ('FLOAT')",
		"SELECT 2 * count(*) FROM properties o JOIN properties n USING (path, export, field) WHERE o.build = 'old' AND n.build = 'new' AND field = 'float'",
		"SELECT count(DISTINCT build) FROM exports WHERE object = 'da_allproperties'",
		"SELECT count(DISTINCT build) FROM properties_effective WHERE export = 'da_allproperties' AND field = 'float'",
	} {
		var n int
		if err := db.QueryRow(query).Scan(&n); err != nil || n != 2 {
			t.Errorf("%s: %d, %v, want 2", query, n, err)
		}
	}
}
