package side

import (
	"database/sql"
	"strings"
	"testing"

	"pakdb/schema"
	"pakdb/schema/schematest"
)

// Rows come in the order of primary keys. A statement that sorts them takes twice
// the time and the memory, and gives the same.
func TestRowsAreNotSorted(t *testing.T) {
	db := schematest.Open(t, schematest.Write(t, func(*schema.Catalog) {}))
	for name, query := range map[string]string{"rows": "SELECT " + rowColumns + buildRows, "nameless": nameless, "ids": rowIDs} {
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

// lowerBound returns what a statement compares the second column of an index with to
// find the first row: the operation of SQLite's that fills that register, "" for none.
func lowerBound(t *testing.T, db *sql.DB, query string) (op string) {
	t.Helper()
	rows, err := db.Query("EXPLAIN "+query, 1, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	filled := map[int]string{} // by register
	for rows.Next() {
		var at, p1, p2, p3 int
		var code string
		var p4, p5, comment sql.NullString
		if err := rows.Scan(&at, &code, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(code, "Seek") && p4.String == "2": // two columns of the key
			op = filled[p3+1]
		case code == "Column" || code == "Rowid":
			filled[p3] = code
		default:
			filled[p2] = code
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return op
}

// TestEditionsReadWhatDiffers: the rows of two editions are found from the edition on
// that is compared, and not from the condition of the partial index, with which a
// comparison read what all editions had changed.
func TestEditionsReadWhatDiffers(t *testing.T) {
	db := schematest.Open(t, schematest.OfOne(t, schema.Entry{Name: "a"}))
	for name, tt := range map[string]struct{ query, condition string }{
		"until": {rowsNotLater, " AND e.until > 0"},
		"since": {rowsNotEarlier, " AND e.since > 0"},
	} {
		const columns = "SELECT e.row"
		op := lowerBound(t, db, columns+tt.query)
		if op == "" || op == "Integer" {
			t.Errorf("%s: rows are found from %q on", name, op)
		}
		// The same with the condition first must be told from it.
		first := "e.lineage_id = v.lineage_id" + tt.condition
		wrong := strings.Replace(strings.Replace(tt.query, tt.condition, "", 1), "e.lineage_id = v.lineage_id", first, 1)
		if op := lowerBound(t, db, columns+wrong); op != "Integer" {
			t.Errorf("%s: with the condition of the index first rows are found from %q on, not from 0", name, op)
		}
	}
}
