package schema_test

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"testing"

	"pakdb/internal/testkit/schematest"
	asks "pakdb/query"
	"pakdb/schema"
)

// TestColumnsCompareOneWay: SQLite compares a column of a view by one affinity and one collation,
// wherever its rows come from, and pakdb by the same ones. In a view of several SELECT with UNION
// ALL, SQLite may ask each of them by its own.
func TestColumnsCompareOneWay(t *testing.T) {
	path := schematest.Write(t, func(*schema.Catalog) {})
	db := schematest.Open(t, path)
	ours, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	virtual := func(text string) (all [][]any) {
		err := ours.Each(context.Background(), text, asks.Args{Positional: []sqldriver.Value{""}}, func([]string) error { return nil }, func(row []sqldriver.Value) error {
			var values []any
			for _, v := range row {
				values = append(values, v)
			}
			all = append(all, values)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return all
	}
	columns := query(t, db, "SELECT v.name, c.name FROM sqlite_schema v JOIN pragma_table_info(v.name) c WHERE v.type = 'view' AND v.name NOT GLOB 'x_*'")
	for _, c := range columns {
		text := fmt.Sprintf("EXPLAIN SELECT 1 FROM %q WHERE %q <> ?", c...)
		want, got := comparisons(query(t, db, text, "")), comparisons(virtual(text))
		if len(want) > 1 || len(got) != 1 || len(want) == 1 && want[0] != got[0] {
			t.Errorf("%s.%s: SQLite compares as %v, pakdb as %v", c[0], c[1], want, got)
		}
	}
	if len(columns) < 500 {
		t.Errorf("%d columns", len(columns))
	}
}

// comparisons returns how a program compares values with its parameter, but for NULL. The result
// is empty where a value is made by an aggregate.
func comparisons(program [][]any) (ways []string) {
	const code, p1, p2, p3, p4, p5 = 1, 2, 3, 4, 5, 6
	parameters, nulls := map[any]bool{}, map[any]bool{} // registers
	for _, s := range program {
		switch s[code] {
		case "Variable":
			parameters[s[p2]] = true
		case "Null":
			nulls[s[p2]] = true
		}
	}
	for _, s := range program {
		if s[code] == "Column" {
			delete(nulls, s[p3]) // of a LEFT JOIN
		}
	}
	for _, s := range program {
		if s[code] != "Ne" && s[code] != "Eq" || !parameters[s[p1]] && !parameters[s[p3]] || nulls[s[p1]] || nulls[s[p3]] {
			continue
		}
		switch s[p5].(int64) & 0x47 { // an affinity
		case 0x43, 0x44, 0x45, 0x46: // the last one of what several SELECT have CAST
			ways = append(ways, "numbers")
		case 0x42:
			ways = append(ways, fmt.Sprint("texts, ", s[p4]))
		default:
			ways = append(ways, fmt.Sprint("what they are, ", s[p4]))
		}
	}
	slices.Sort(ways)
	return slices.Compact(ways)
}
