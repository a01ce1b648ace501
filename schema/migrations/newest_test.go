package migrations

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/schema/internal/conn"
)

var update = flag.Bool("update", false, "rewrite newest/schema.sql")

const newestFile = "newest/schema.sql"

// A new catalog has what an empty one gets that all scripts are run on.
func TestNewestSchemaIsWhatScriptsMake(t *testing.T) {
	ctx := context.Background()
	migrated := emptyDatabase(t)
	inTransaction(t, migrated, func(tx *sql.Tx) error { return runScripts(ctx, tx, 0) })
	for _, table := range tables(t, migrated) {
		var rows int
		if err := migrated.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil || rows > 0 {
			t.Errorf("scripts write %d rows into %s, which a new catalog lacks: %v", rows, table, err)
		}
	}
	want := dump(t, migrated)
	if *update {
		if err := os.WriteFile(newestFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	fresh := emptyDatabase(t)
	inTransaction(t, fresh, func(tx *sql.Tx) error {
		_, err := tx.Exec(newest)
		return err
	})
	if d := cmp.Diff(want, dump(t, fresh)); d != "" {
		t.Errorf("a new catalog differs from a migrated one (-migrated +new); go test ./schema/migrations -update\n%s", d)
	}
}

// A new catalog has the rows in sqlite_schema, and the marks, that SQLite would give it.
func TestFillIsRun(t *testing.T) {
	ctx := t.Context()
	by := func(do func(context.Context, *sql.DB) error) []string {
		db := emptyDatabase(t)
		if err := do(ctx, db); err != nil {
			t.Fatal(err)
		}
		return append(texts(t, db, "SELECT concat_ws(', ', rowid, type, name, tbl_name, rootpage, sql) FROM sqlite_schema ORDER BY rowid"),
			texts(t, db, "SELECT concat(user_version, ' ', application_id) FROM pragma_user_version, pragma_application_id")...)
	}
	if d := cmp.Diff(by(Run), by(Fill)); d != "" {
		t.Errorf("(-Run +Fill)\n%s", d)
	}
}

func emptyDatabase(t *testing.T) *sql.DB {
	t.Helper()
	db := conn.OpenNew()
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func inTransaction(t *testing.T, db *sql.DB, do func(*sql.Tx) error) {
	t.Helper()
	tx, err := db.Begin()
	if err == nil {
		err = do(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func tables(t *testing.T, db *sql.DB) []string {
	t.Helper()
	return texts(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
}

// dump returns the statements that made what a database has, in their order.
func dump(t *testing.T, db *sql.DB) string {
	t.Helper()
	return strings.Join(texts(t, db, "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"), "\n") + "\n"
}

func texts(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
