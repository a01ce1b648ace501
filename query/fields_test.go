package query_test

import (
	"strings"
	"testing"

	"pakdb/query"
)

// TestFields: the values of a field are the same whether its name is looked up for each
// value, or its id is.
func TestFields(t *testing.T) {
	db := openRetro(t, "../testdata/Calligraphy.sip")
	const by = "pakdb_m"
	rows := 0
	for _, text := range []string{
		"SELECT path, value, target FROM calligraphy_fields WHERE build = 'Calligraphy.sip' AND field = 'Powers' ORDER BY 1, 2",
		"SELECT path, ordinal FROM calligraphy_fields AS f WHERE f.field == 'Speed' AND f.value = 350 ORDER BY 1, 2",
		"SELECT field, count(*) FROM calligraphy_fields f WHERE field IN ('Powers', 'Stacks', 'none') AND f.owner IS NULL GROUP BY field ORDER BY 1",
		"SELECT field, value, path FROM calligraphy_fields WHERE field LIKE '%curve' ORDER BY 1, 2, 3 LIMIT 5",
		"SELECT count(*) FROM (SELECT 1 FROM calligraphy_fields WHERE field GLOB 'S*' AND type <> 'L')",
		"SELECT count(*) FROM calligraphy_fields WHERE field = 'it''s none' AND value > 3;",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || !strings.Contains(plan, by) {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
		got, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"})
		want, plainErr := run(t, db, strings.Replace(text, "FROM calligraphy_fields", "FROM (SELECT * FROM calligraphy_fields)", 1), query.Args{}, query.Output{Format: "csv"})
		if err != nil || plainErr != nil || got != want {
			t.Errorf("%s: %v %v\n%swant\n%s", text, err, plainErr, got, want)
		}
		rows += strings.Count(got, "\n")
	}
	if rows < 20 {
		t.Errorf("only %d rows", rows)
	}
	for _, text := range []string{ // they mean something else, or find few values otherwise
		"SELECT count(*) FROM calligraphy_fields WHERE field = 'Powers' OR ordinal = 0",
		"SELECT count(*) FROM calligraphy_fields WHERE NOT field = 'Powers'",
		"SELECT count(*) FROM calligraphy_fields WHERE field <> 'Powers'",
		"SELECT count(*) FROM calligraphy_fields WHERE field = value",
		"SELECT count(*) FROM calligraphy_fields WHERE field IN ('Powers', value)",
		"SELECT count(*) FROM calligraphy_fields WHERE field = 'powers' COLLATE NOCASE",
		"SELECT count(*) FROM calligraphy_fields WHERE field LIKE 'a!_%' ESCAPE '!'",
		"SELECT count(*) FROM calligraphy_fields WHERE path = 'a' AND field = 'Powers'",
		"SELECT count(*) FROM calligraphy_fields f JOIN builds b ON b.build = f.build WHERE field = 'Powers'",
		"WITH calligraphy_fields AS (SELECT 'Powers' AS field) SELECT count(*) FROM calligraphy_fields WHERE field = 'Powers'",
	} {
		plan, err := run(t, db, "EXPLAIN QUERY PLAN "+text, query.Args{}, query.Output{Format: "csv"})
		if err != nil || strings.Contains(plan, by) {
			t.Errorf("%s: %v\n%s", text, err, plan)
		}
	}
}
