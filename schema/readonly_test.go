package schema_test

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"os"
	"path/filepath"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestReadOnlyIsReadOnly tries every door one by one, and checks that neither
// the catalog nor any other file changed.
func TestReadOnlyIsReadOnly(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one", []*schema.Entry{entry(1)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before := sum(t, path)
	db := readDB(t, path)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, attack := range schematest.Attacks(other) {
		rows, err := db.Query(attack)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			_ = rows.Close()
		}
		if err == nil {
			t.Errorf("%s: no error", attack)
		}
	}
	if n := scan[int](t, db, "SELECT count(*) FROM entries"); n != 1 {
		t.Errorf("%d entries after the attacks, want 1", n)
	}
	_ = db.Close()
	if sum(t, path) != before {
		t.Error("the catalog changed")
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(files) != 1 {
		t.Errorf("files beside the catalog: %v", files)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("another database was made")
	}
}

func TestReadOnlyReads(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one", []*schema.Entry{entry(1)})
	_ = c.Close()
	db := readDB(t, path)
	for _, query := range []string{
		"SELECT * FROM entries",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT sum(i) FROM n",
		"PRAGMA table_info(entries)",
		"PRAGMA Table_XInfo('x_entry')",
		"PRAGMA integrity_check",
		"PRAGMA user_version",
		"PRAGMA application_id",
		"SELECT name FROM pragma_table_info('entries')",
		"SELECT name FROM sqlite_schema",
		"EXPLAIN QUERY PLAN SELECT * FROM entries",
		"SELECT json_extract('{\"a\":1}', '$.a'), lower(hex(randomblob(4))), date('now')",
		"SELECT row_number() OVER (ORDER BY ordinal) FROM entries",
		"VALUES (1), (2)",
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n == 0 {
			t.Errorf("%s: %d rows, %v", query, n, err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one", []*schema.Entry{entry(1)})
	_ = c.Close()
	dir := filepath.Dir(path)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o700) }()
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM entries"); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func TestFunctions(t *testing.T) {
	c, path := newCatalog(t)
	_ = c.Close()
	ctx := context.Background()
	twice := schema.Function{Name: "twice", Args: 1, Pure: true,
		Call: func(_ context.Context, args []driver.Value) (driver.Value, error) {
			n, _ := args[0].(int64)
			return 2 * n, nil
		}}
	db, err := schema.OpenReadOnlyWith(ctx, path, []schema.Function{twice}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if n := scan[int](t, db.DB, "SELECT twice(21)"); n != 42 {
		t.Errorf("twice(21) = %d", n)
	}
}

func sum(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}
