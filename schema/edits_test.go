package schema_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// Statements that record edits change neither the catalog nor another file.
func TestValueEditsAreReadOnly(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one's", []*schema.Entry{entry(1)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before := sum(t, path)
	for _, attack := range append(testkit.Some(schematest.Attacks(filepath.Join(t.TempDir(), "other.db")), 8),
		"DELETE FROM main.properties", "UPDATE properties SET field = 'x'", "DROP VIEW temp.properties", "DROP TRIGGER temp.edit_update",
		"INSERT INTO data_table_rows (path) VALUES ('x')", "SELECT pakdb_edit('update', 'a', 'b', 'c', 'd', 1, 2)", "PRAGMA query_only = 1") {
		if edits, err := schema.ValueEdits(t.Context(), path, "one's", attack); err == nil {
			t.Errorf("%s: no error, %v", attack, edits)
		}
	}
	if sum(t, path) != before {
		t.Error("the catalog changed")
	}
}

func TestValueEdits(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one's", []*schema.Entry{entry(1)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		values string
		want   schema.ValueEdit
		err    error
	}{
		{"(NULL, 'a.uasset', 'A', 'B', 1.5)", schema.ValueEdit{Op: "insert", Path: "a.uasset", Object: "A", Field: "B", Value: "1.5"}, nil},
		{"('one''s', 'a.uasset', 'A', 'B', 9223372036854775807)", schema.ValueEdit{Op: "insert", Path: "a.uasset", Object: "A", Field: "B", Value: "9223372036854775807"}, nil},
		{"(NULL, 'a.uasset', 'A', 'B', '')", schema.ValueEdit{Op: "insert", Path: "a.uasset", Object: "A", Field: "B"}, nil},
		{"('two', 'a.uasset', 'A', 'B', 1)", schema.ValueEdit{}, schema.ErrEdit},
		{"(NULL, 'a.uasset', 'A', 'B', NULL)", schema.ValueEdit{}, schema.ErrEdit},
		{"(NULL, 'a.uasset', 'A', 'B', x'00')", schema.ValueEdit{}, schema.ErrEdit},
		{"(NULL, NULL, 'A', 'B', 1)", schema.ValueEdit{}, schema.ErrEdit},
	} {
		edits, err := schema.ValueEdits(t.Context(), path, "one's", "INSERT INTO properties (build, path, export, field, value) VALUES "+tt.values)
		if !errors.Is(err, tt.err) || tt.err == nil && (len(edits) != 1 || edits[0] != tt.want) {
			t.Errorf("%s: %v, %v, want %v, %v", tt.values, edits, err, tt.want, tt.err)
		}
		if err != nil && (strings.Contains(err.Error(), ": : ") || !strings.Contains(err.Error(), ": B: ")) {
			t.Errorf("%s: %v", tt.values, err)
		}
	}
}
