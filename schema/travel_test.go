package schema_test

import (
	"testing"

	"pakdb/query/export"
)

// TestViewsTravel: of a catalog with facts of all kinds every view is exported with all rows
// that have a build.
func TestViewsTravel(t *testing.T) {
	db := fixtureCatalog(t)
	dir := t.TempDir()
	rows := map[string]int64{}
	for _, r := range query(t, db, "SELECT build FROM builds") {
		m, err := export.Build(t.Context(), db, dir, r[0].(string), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for view, files := range m.Views {
			for _, f := range files {
				rows[view] += f.Rows
			}
		}
	}
	filled := 0
	for _, v := range export.Views() {
		want := query(t, db, "SELECT count(*) FROM "+v.Name+" WHERE build IS NOT NULL")[0][0].(int64)
		if rows[v.Name] != want {
			t.Errorf("%s: %d rows, the catalog has %d", v.Name, rows[v.Name], want)
		}
		filled += int(min(want, 1))
	}
	if filled < 50 {
		t.Errorf("only %d views have rows", filled)
	}
}
