package schema_test

import (
	"slices"
	"testing"

	"pakdb/internal/search"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// notSearched are columns of names that say nothing which the columns of [search.Uses] do
// not say: where names are in a package, and what they are called by.
var notSearched = []string{
	"x_calligraphy_value.member_id", // ids
	"x_class_field.type_id",
	"x_entry_symbol.name_id",
	"x_localized_text.namespace_id",
	"x_package.name_id",
	"x_package_export.class_id", "x_package_export.outer_path_id", "x_package_export.super_id",
	"x_package_import.class_id", "x_package_import.class_package_id", "x_package_import.object_id", "x_package_import.outer_path_id",
	"x_plugin_descriptor.category_id", "x_plugin_descriptor.created_by_id", "x_plugin_descriptor.engine_id", "x_plugin_descriptor.version_name_id",
	"x_property.field_id", "x_property_text.key_id", "x_property_text.namespace_id",
	"x_registry_asset.class_id", "x_registry_dependency.from_id", "x_registry_dependency.to_id",
	"x_script.why_id", "x_script_text.key_id", "x_script_text.namespace_id", "x_script_use.event_id",
	"x_sound.why_id", "x_texture.why_id",
	"x_value_entry.name_id",
	"x_value_export.class_id", "x_value_export.object_id", "x_value_export.outer_path_id", "x_value_export.super_id", "x_value_export.why_id",
	"x_value_problem.cause_id", "x_value_problem.field_id",
	"x_value_set.missing_id",
}

// TestUsesAreComplete: a new column of names is searched, or somebody decided otherwise.
func TestUsesAreComplete(t *testing.T) {
	_, path := newCatalog(t)
	db := readDB(t, path)
	want := slices.Clone(notSearched)
	numbers := map[int]bool{}
	for _, u := range search.Uses {
		want = append(want, u.Table+"."+u.Column)
		if numbers[u.Number] {
			t.Errorf("number %d occurs twice", u.Number)
		}
		numbers[u.Number] = true
	}
	rows, err := db.Query(`SELECT m.name || '.' || f."from" FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND f."table" = 'x_name' AND m.name <> 'x_name_key'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(want, column) {
			t.Errorf("%s is not among search.Uses, nor among those that are not searched", column)
		}
		want = slices.DeleteFunc(want, func(c string) bool { return c == column })
	}
	if len(want) > 0 {
		t.Errorf("there is no %q", want)
	}
}

// TestStaleIndexIsMadeAnew: an index does not grow with builds that come and go.
func TestStaleIndexIsMadeAnew(t *testing.T) {
	c, path := newCatalog(t)
	db := readDB(t, path)
	rows := func() int64 {
		return scan[int64](t, db, "SELECT count(*) FROM x_search_part_data") + scan[int64](t, db, "SELECT done FROM x_search_state WHERE subject = 0")
	}
	of := func(build int) (entries []*schema.Entry) {
		for i := range 1000 {
			entries = append(entries, entry(100_000*build+i))
		}
		return entries
	}
	first := int64(0)
	for build := range testkit.Of(5, 20) {
		b, err := schematest.Begin(t.Context(), c, "a")
		if err != nil {
			t.Fatal(err)
		}
		b.Search = schema.SearchMade
		a := schematest.Start(t, b, schema.Archive{Format: "loose", Scan: "s", Size: int64(build)})
		for _, e := range of(build) {
			if err := b.Add(a, e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(a, nil)
		b.Mount(schema.Mount{Archive: a, Name: "a.pak"})
		if _, err := b.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if build == 0 {
			first = rows()
		}
		if err := c.Remove(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if n := rows(); n > 4*first {
		t.Errorf("%d rows and blocks, %d after the first build", n, first)
	}
}
