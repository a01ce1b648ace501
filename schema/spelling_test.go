package schema_test

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pakdb/schema"
	"pakdb/schema/views"
)

// spelled opens a catalog with its views in a spelling.
func spelled(t *testing.T, path string, s views.Spelling) *sql.DB {
	t.Helper()
	db, err := schema.OpenReadOnlyWith(context.Background(), path, nil, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db.DB
}

// TestSpellingsAgree: however the views are written, they yield the same.
func TestSpellingsAgree(t *testing.T) {
	path := fixtureFile(t)
	joined := readDB(t, path)
	for name, other := range map[string]*sql.DB{"keyed": spelled(t, path, views.Spelling{By: views.Keyed})} {
		views := query(t, other, "SELECT name FROM sqlite_temp_schema WHERE type = 'view' ORDER BY name")
		if len(views) < 2 {
			t.Fatalf("%s: %d views", name, len(views))
		}
		for _, v := range views {
			text := "SELECT * FROM " + v[0].(string)
			want, got := sortedRows(query(t, joined, text)), sortedRows(query(t, other, text))
			if !slices.Equal(want, got) {
				t.Errorf("%s %s: %d rows, want %d", name, v[0], len(got), len(want))
			}
			columns := "SELECT group_concat(name) FROM pragma_table_xinfo(?, ?)"
			if got, want := query(t, other, columns, v[0], "temp"), query(t, joined, columns, v[0], "main"); got[0][0] != want[0][0] {
				t.Errorf("%s %s: columns %v, want %v", name, v[0], got, want)
			}
		}
	}
}

// TestPrunedViewsAgree: what a statement uses of a view is the same when the rest of it
// is left out: each third column, on one connection, and one alone, on a new one.
func TestPrunedViewsAgree(t *testing.T) {
	path := fixtureFile(t)
	joined := readDB(t, path)
	again, err := schema.OpenReadOnlyWith(t.Context(), path, nil, nil, views.Spelling{By: views.Keyed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	const allColumns = "SELECT name FROM pragma_table_info(?)"
	for i, v := range query(t, joined, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name") {
		view := v[0].(string)
		columns := query(t, joined, allColumns, view)
		for third := range 4 {
			used := []string{view}
			for n, c := range columns {
				if third < 3 && n%3 == third || third == 3 && n == i%len(columns) {
					used = append(used, c[0].(string))
				}
			}
			text := "SELECT " + strings.Join(used[1:], ", ") + " FROM " + view
			by := [...]views.Texts{0, views.Keyed}[(i+third)%2]
			spelling := views.Spelling{By: by, Used: views.UsedWords(used)}
			other := again.DB
			if third == 3 {
				other = spelled(t, path, spelling)
			} else if err := again.Spell(t.Context(), spelling); err != nil {
				t.Fatal(err)
			}
			if want, got := sortedRows(query(t, joined, text)), sortedRows(query(t, other, text)); !slices.Equal(want, got) {
				t.Errorf("%s, by %d: %d rows, want %d", text, by, len(got), len(want))
			}
			if got := query(t, other, allColumns, view); !reflect.DeepEqual(got, columns) {
				t.Errorf("%s: columns %v", view, got)
			}
		}
	}
}

// TestSpelledAgain: a connection whose views are written anew, again and again, yields what
// a new one does, and is as restricted.
func TestSpelledAgain(t *testing.T) {
	path := fixtureFile(t)
	joined := readDB(t, path)
	db, err := schema.OpenReadOnlyWith(t.Context(), path, nil, nil, views.Spelling{By: views.Keyed})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for i, v := range query(t, joined, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name") {
		view := v[0].(string)
		text := "SELECT * FROM " + view
		want := sortedRows(query(t, joined, text))
		for _, s := range []views.Spelling{{}, {By: views.Keyed}, {Views: view}, {By: views.KeyedLike, Views: view}}[i%2:] {
			if err := db.Spell(t.Context(), s); err != nil {
				t.Fatalf("%s, %+v: %v", view, s, err)
			}
			if got := sortedRows(query(t, db.DB, text)); !slices.Equal(want, got) {
				t.Errorf("%s, %+v: %d rows, want %d", view, s, len(got), len(want))
			}
		}
		for _, bad := range []string{"ATTACH 'x' AS y", "DROP VIEW temp." + view, "PRAGMA query_only = 0", "CREATE TEMP TABLE x(y)", "DELETE FROM x_build"} {
			if _, err := db.ExecContext(t.Context(), bad); err == nil {
				t.Errorf("%s was done", bad)
			}
		}
	}
}

// TestPrunedJoins: tables that no column is of are left out of aggregates.
func TestPrunedJoins(t *testing.T) {
	path := fixtureFile(t)
	for text, want := range map[string]int{
		"SELECT sum(size) FROM entries": 0, "SELECT ext, count(*) FROM entries GROUP BY ext": 2,
		"SELECT count(*) FROM entries WHERE path LIKE '%x%'": 2, "SELECT sum(size) FROM files": 0,
		"SELECT count(path) FROM files": 5, "SELECT count(*) FROM packages WHERE engine = 'UE1'": 1,
	} {
		other := spelled(t, path, views.Spelling{Used: views.UsedWords(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" (),*", r) }))})
		if plan := planOf(t, other, text); strings.Count(plan, "LEFT-JOIN") != want {
			t.Errorf("%s: want %d LEFT JOINs\n%s", text, want, plan)
		}
	}
}

func sortedRows(rows [][]any) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = fmt.Sprintf("%q", r)
	}
	slices.Sort(texts)
	return texts
}

// TestKeyedLookups: each text finds what it finds in the views as they are stored,
// and by a key.
func TestKeyedLookups(t *testing.T) {
	path := fixtureFile(t)
	joined, keyed := readDB(t, path), spelled(t, path, views.Spelling{By: views.Keyed})
	for _, tt := range []struct{ view, column, order string }{
		{"entries", "path", "PRIMARY KEY"}, {"entries", "dir", "entry_path"}, {"entries", "content", "entry_content"},
		{"entries", "asset_id", "r USING PRIMARY KEY"},
		{"contents", "content", "c USING INTEGER PRIMARY KEY"}, {"imports", "path", "entry_path"}, {"packages", "path", "entry_path"},
		{"dependencies", "path", "entry_path"}, {"calligraphy_records", "guid", "calligraphy_record_guid"},
		{"calligraphy_records", "path", "calligraphy_record_path"}, {"calligraphy_assets", "id", "calligraphy_asset_id"},
		{"properties", "name", "property_name"}, {"properties", "path", "value_entry_path"}, {"data_table_rows", "name", "property_name"},
	} {
		values := query(t, joined, fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %[1]s IS NOT NULL ORDER BY 1", tt.column, tt.view))
		if len(values) == 0 {
			t.Errorf("%s.%s: no values", tt.view, tt.column)
			continue
		}
		for i := 0; i < len(values); i += max(len(values)/20, 1) {
			text := fmt.Sprintf("SELECT * FROM %s WHERE %s = ?", tt.view, tt.column)
			want, got := sortedRows(query(t, joined, text, values[i][0])), sortedRows(query(t, keyed, text, values[i][0]))
			if !slices.Equal(want, got) {
				t.Errorf("%s.%s = %q: %d rows, want %d", tt.view, tt.column, values[i][0], len(got), len(want))
			}
			if plan := planOf(t, keyed, text, values[i][0]); views.KeyedBy(plan) == 0 || !strings.Contains(plan, tt.order) {
				t.Errorf("%s.%s: want a key, then %s\n%s", tt.view, tt.column, tt.order, plan)
			}
		}
	}
}

func planOf(t *testing.T, db *sql.DB, text string, args ...any) string {
	t.Helper()
	var lines []string
	for _, r := range query(t, db, "EXPLAIN QUERY PLAN "+text, args...) {
		lines = append(lines, r[3].(string))
	}
	return strings.Join(lines, "\n")
}

// TestKeyedConditions compares conditions that are not a text's, or nearly.
func TestKeyedConditions(t *testing.T) {
	path := fixtureFile(t)
	joined, keyed := readDB(t, path), spelled(t, path, views.Spelling{By: views.Keyed})
	for _, where := range []string{
		"path IS NULL", "path = NULL", "path = 5", "path = x'00'", "path = ''", "path IN ('Calligraphy/Curve.directory', 'none')",
		"path GLOB 'Calligraphy/*'", "path GLOB 'Calligraphy/C*'", "path GLOB '*.curve'", "path GLOB 'Calligraphy/[BC]*'", "path GLOB ''", "path GLOB '*'",
		"path LIKE 'calligraphy/c%'", "path > 'Calligraphy/D' AND path < 'Calligraphy/E'", "dir = ''", "dir = 'Calligraphy/'", "dir = 'Calligraphy'",
		"dir = 'Calligraphy' AND path GLOB '*.directory'", "content = 'zz'", "content = ''", "content IS NULL", "asset_id IS NULL", "asset_id = 'G0000000'",
		"asset_id = '00'", "path = 'Calligraphy/Curve.directory' AND build = '1.1'", "NOT path = 'Calligraphy/Curve.directory'",
		"path = 'Calligraphy/Curve.directory' OR size > 1000", "path IS 'Calligraphy/Curve.directory'",
	} {
		text := "SELECT * FROM entries WHERE " + where
		if want, got := sortedRows(query(t, joined, text)), sortedRows(query(t, keyed, text)); !slices.Equal(want, got) {
			t.Errorf("%s: %d rows, want %d", where, len(got), len(want))
		}
	}
	join := "SELECT a.path, a.size, b.size FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = '1.0' AND b.build = '1.1'"
	if want, got := sortedRows(query(t, joined, join)), sortedRows(query(t, keyed, join)); !slices.Equal(want, got) || len(want) == 0 {
		t.Errorf("join: %d rows, want %d", len(got), len(want))
	}
}
