package schema_test

import (
	"strings"
	"testing"
)

// TestEmptyAssetList: an empty list has no value, not the id 0.
func TestEmptyAssetList(t *testing.T) {
	db := fixtureCatalog(t)
	rows := query(t, db, `SELECT f.path, f.value
		FROM calligraphy_value v
		JOIN calligraphy_fields f USING (content_id, ordinal)
		WHERE v.type = 'A' AND v.value IS NULL`)
	if len(rows) == 0 {
		t.Fatal("the fixtures have no empty list of assets")
	}
	for _, r := range rows {
		if r[1] != nil {
			t.Errorf("%s: %v, want NULL", r[0], r[1])
		}
	}
}

// TestPlans looks at how natural questions are answered: a condition on build
// must reach the table build, and a key its index; all rows are read in the order
// in which they lie. (Plans depend on statistics: the fixtures' are small.)
func TestPlans(t *testing.T) {
	db := fixtureCatalog(t)
	for _, tt := range []struct{ query, want string }{
		{"SELECT * FROM builds WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT * FROM archives WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT ext, count(*) FROM entries WHERE build = '1.0' GROUP BY ext", "INDEX build_label (label=?)"},
		{"SELECT * FROM duplicates WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT * FROM dependencies WHERE build = '1.0'", "INDEX build_label (label=?)"},
		{"SELECT path, method FROM entries", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT ext, count(*) FROM entries GROUP BY ext", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT path, full_name FROM exports WHERE build = 'ut'", "INDEX build_label (label=?)"},
		{"SELECT path, target_path FROM dependencies", "SEARCH r USING PRIMARY KEY (lineage_id=?)"},
		{"SELECT * FROM entries WHERE asset_key = 1", "SEARCH r USING INDEX entry_asset (id_lo=?)"},
		{"SELECT * FROM entries WHERE path_id = 1", "SEARCH r USING INDEX entry_path (path_id=?"},
		{"SELECT * FROM entries WHERE content_id = 1", "SEARCH r USING INDEX entry_content (content_id=?"},
		{"SELECT * FROM calligraphy_records WHERE guid_key = 1", "SEARCH r USING INDEX calligraphy_record_guid (guid=?)"},
		{"SELECT * FROM calligraphy_assets WHERE id_key = 1", "SEARCH a USING INDEX calligraphy_asset_id (id=?)"},
	} {
		var plan []string
		for _, r := range query(t, db, "EXPLAIN QUERY PLAN "+tt.query) {
			plan = append(plan, r[3].(string))
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %q in the plan\n%s", tt.query, tt.want, text)
		}
	}
}
