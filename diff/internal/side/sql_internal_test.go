package side

import (
	"strings"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// Rows come in the order of primary keys. A statement that sorts them takes twice
// the time and the memory, and gives the same.
func TestRowsAreNotSorted(t *testing.T) {
	db := schematest.Open(t, schematest.Write(t, func(*schema.Catalog) {}))
	for name, query := range map[string]string{"nameless": nameless, "ids": rowIDs} {
		rows, err := db.Query("EXPLAIN QUERY PLAN "+query, 1, "[0,1]")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}
