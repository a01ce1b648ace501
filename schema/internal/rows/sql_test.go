package rows_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/schema/internal/rows"
)

// lowerBounds returns what a statement compares the second column of indexes with to
// find their first rows: the operations of SQLite's that fill these registers.
func lowerBounds(t *testing.T, db *sql.DB, query string) (ops []string) {
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
			ops = append(ops, filled[p3+1])
		case code == "Column" || code == "Rowid":
			filled[p3] = code
		default:
			filled[p2] = code
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ops
}

// TestEditionsReadWhatDiffers: the rows of two editions are found from the edition on
// that is compared, and not from the condition of the partial index, with which a
// comparison read what all editions had changed.
func TestEditionsReadWhatDiffers(t *testing.T) {
	db := schematest.Open(t, schematest.OfOne(t, schema.Entry{Name: "a"}))
	for query, condition := range map[string]string{rows.EndedRows: " AND until > 0", rows.BroughtRows: " AND since > 0"} {
		if ops := lowerBounds(t, db, query); len(ops) < 1 || slices.Contains(ops, "Integer") {
			t.Errorf("rows are found from %q on", ops)
		}
		// The same with the condition first must be told from it.
		before, after, _ := strings.Cut(query, condition)
		at := strings.LastIndex(before, "lineage_id = ?1")
		if at < 0 {
			t.Fatalf("%q is not in the statement", condition)
		}
		at += len("lineage_id = ?1")
		wrong := before[:at] + condition + before[at:] + after
		if ops := lowerBounds(t, db, wrong); !slices.Contains(ops, "Integer") {
			t.Errorf("with%s first rows are found from %q on, not from 0", condition, ops)
		}
	}
}
