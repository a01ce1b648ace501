package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// withoutCase are the columns of views that hold names of Unreal Engine, which has no case.
// All others keep it: files of other games may differ in case alone, and texts do.
var withoutCase = map[string]string{
	"dependencies": "target",
	"packages":     "package", "package_names": "name", "imports": "class_package class outer object full_name",
	"exports": "class super outer object full_name",
	"chunks":  "package", "script_objects": "object",
	"properties": "package export class field name type element column_path", "properties_effective": "export class field name type origin_export",
	"data_tables": "package data_table class row_struct", "data_table_rows": "package data_table row_name field name type",
	"curve_keys": "package export class curve row_name", "strings": "package export class field", "enums": "package enum name",
	"class_fields": "package class super name type", "property_coverage": "package missing_class",
	"assets": "package asset class", "asset_tags": "package asset tag", "asset_dependencies": "source target", "asset_packages": "package",
	"config": "section key", "gameplay_tags": "tag", "config_effective": "platform file section key",
	"textures": "texture class format lod_group compression", "texture_mips": "texture", "sounds": "sound class",
	"plugins": "plugin", "functions": "package function class", "calls": "package function event callee callee_name",
	"function_constants": "package function", "meshes": "package asset class",
}

// TestNamesHaveNoCase: a comparison with a name of Unreal Engine goes by NOCASE, which any
// SQLite has, and one with any other text by bytes.
func TestNamesHaveNoCase(t *testing.T) {
	db := schematest.Open(t, schematest.Write(t, func(*schema.Catalog) {}))
	strs := func(query string) (all []string) {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	// nocase counts the comparisons without case of a plan.
	nocase := func(query string) (n int) {
		rows, err := db.Query("EXPLAIN " + query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var p4 any
			var skip any
			if err := rows.Scan(&skip, &skip, &skip, &skip, &skip, &p4, &skip, &skip); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(fmt.Sprint(p4), "NOCASE") {
				n++
			}
		}
		return n
	}
	every := testkit.Of(5, 1)
	for i, view := range strs("SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT GLOB 'x_*' ORDER BY name") {
		if i%every != 0 {
			continue
		}
		want := strings.Fields(withoutCase[view])
		for _, column := range strs("SELECT name FROM pragma_table_xinfo('" + view + "')") {
			if column == "entry" || column == "by" {
				continue
			}
			query := fmt.Sprintf(`SELECT 1 FROM %s x WHERE x."%s" = 'a'`, view, column)
			got := nocase(query) > nocase(query+" COLLATE BINARY")
			if got != slices.Contains(want, column) {
				t.Errorf("%s.%s compares without case: %v", view, column, got)
			}
		}
	}
}
