package schema_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"pakdb/schema"
)

// A process that is killed while it makes a catalog leaves a database without
// tables. It is not in the way of the next one; a database of someone else is.
func TestOpenTakesWhatADeadProcessLeft(t *testing.T) {
	for statement, want := range map[string]error{
		"PRAGMA journal_mode = wal":      nil,
		"CREATE TABLE t (x)":             schema.ErrNotCatalog,
		"PRAGMA application_id = 123456": schema.ErrNotCatalog,
	} {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := schema.Open(context.Background(), path)
		if !errors.Is(err, want) {
			t.Errorf("after %s: %v, want %v", statement, err, want)
		}
		if err == nil {
			_ = c.Close()
		}
	}
}
