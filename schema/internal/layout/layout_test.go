package layout_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// TestColumns: columns are read from the script as SQLite reads it.
func TestColumns(t *testing.T) {
	db := conn.Open(filepath.Join(t.TempDir(), "new.db"), conn.ToMake)
	defer func() { _ = db.Close() }()
	if err := layout.Fill(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	var want []layout.Column
	err := conn.Each(t.Context(), db, func(rows *sql.Rows) error {
		var c layout.Column
		err := rows.Scan(&c.Table, &c.Name, &c.To)
		want = append(want, c)
		return err
	}, `SELECT m.name, c.name, coalesce(f."table", '')
		FROM sqlite_schema m
		JOIN pragma_table_info(m.name) c
		LEFT JOIN pragma_foreign_key_list(m.name) f ON f."from" = c.name
		WHERE m.type = 'table' AND m.name GLOB 'x_*'
		ORDER BY m.rowid, c.cid`)
	if err != nil {
		t.Fatal(err)
	}
	if got := layout.Columns(); len(got) < 400 || !slices.Equal(got, want) {
		t.Errorf("%d columns, SQLite has %d", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%+v, SQLite has %+v", got[i], want[i])
			}
		}
	}
}
