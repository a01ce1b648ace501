package schema_test

import (
	"fmt"
	"slices"
	"testing"

	"pakdb/query/portable"
)

// TestPortableViews: of a catalog with facts of all kinds each portable view has all rows,
// of the types and with the NULLs that it states.
func TestPortableViews(t *testing.T) {
	db := fixtureCatalog(t)
	var labels []string
	rows, err := db.Query("SELECT build FROM builds ORDER BY build_id")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var label string
		if err := rows.Scan(&label); err != nil {
			t.Fatal(err)
		}
		labels = append(labels, label)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, v := range portable.Views() {
		got := 0
		for _, label := range labels {
			var hot, said []string
			err := v.Each(t.Context(), db, label, func(row []portable.Cell) error {
				got++
				for i, c := range v.Columns {
					if row[i].Kind == portable.CellNull && !c.Null {
						t.Errorf("%s.%s is NULL", v.Name, c.Name)
					}
				}
				hot = append(hot, fmt.Sprint(portable.Values(row)))
				return nil
			})
			if err != nil {
				t.Errorf("%s of %s: %v", v.Name, label, err)
			}
			err = v.EachBySQL(t.Context(), db, label, portable.SortMemory, func(row []portable.Cell) error {
				said = append(said, fmt.Sprint(portable.Values(row)))
				return nil
			})
			if err != nil || !slices.Equal(hot, said) {
				t.Errorf("%s of %s: other rows than by SQL: %v", v.Name, label, err)
			}
		}
		want := "SELECT count(*) FROM " + v.Name
		if v.Name == "contents" {
			want = "SELECT sum(build_count) FROM contents"
		}
		var n int
		if err := db.QueryRow(want).Scan(&n); err != nil || n != got || n == 0 {
			t.Errorf("%s: %d rows, the catalog has %d: %v", v.Name, got, n, err)
		}
	}
}
