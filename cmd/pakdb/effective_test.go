package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
)

// TestEffectiveValuesAreThoseShown: calligraphy_effective has, of each prototype, the
// fields that pakdb show draws, from the same prototypes and with the same numbers.
func TestEffectiveValuesAreThoseShown(t *testing.T) {
	t.Parallel()
	catalog := filepath.Join(t.TempDir(), "catalog.db")
	pakdb(t, "--catalog", catalog, "index", "--build", "b", filepath.Join(codecstest.ModuleRoot(t), "testdata", "Calligraphy.sip"))
	read := func(into any, args ...string) {
		t.Helper()
		if err := json.Unmarshal([]byte(printed(t, catalog, args...)), into); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	}
	var rows []struct {
		Path, Field, Type, Origin string
		Value                     any
	}
	read(&rows, "query", "--format", "json", `SELECT path, field, type, CASE WHEN depth > 0 THEN origin_path ELSE '' END AS origin,
		CASE WHEN type IN ('D', 'L') AND position IS NULL THEN value END AS value
		FROM calligraphy_effective GROUP BY path, field, blueprint_id, copy, origin_path`)
	got, inherited := map[string]map[string]bool{}, 0
	for _, r := range rows {
		if got[r.Path] == nil {
			got[r.Path] = map[string]bool{}
		}
		got[r.Path][fmt.Sprint(r.Field, " ", r.Origin, " ", r.Value)] = true
		if r.Origin != "" {
			inherited++
		}
	}
	if len(got) < 10 || inherited < 10 {
		t.Errorf("%d prototypes with %d inherited values", len(got), inherited)
	}
	for path, fields := range testkit.SomeOf(got, 8) {
		var tree struct {
			Children []struct {
				Name, Note string
				Value      any
				Inherited  string `json:"inherited_from"`
			}
		}
		read(&tree, "show", "--format", "json", "b:"+path)
		want := map[string]bool{}
		for _, c := range tree.Children {
			if c.Name == "parent" {
				continue
			}
			if _, number := c.Value.(float64); !number {
				c.Value = nil
			}
			want[fmt.Sprint(c.Name, " ", c.Inherited, " ", c.Value)] = true
		}
		if !maps.Equal(fields, want) {
			t.Errorf("%s uses\n%q\nshown are\n%q", path, slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(want)))
		}
	}
}
