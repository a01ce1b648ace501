package schema_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/schema"
)

// A catalog whose triggers, tables, views or unique indexes another program changed is
// refused by name by everything that opens it. What a user may add stays, and stays as it
// is when builds are added and removed.
func TestForeignSchema(t *testing.T) {
	original := filepath.Join(t.TempDir(), "original.db")
	if err := addBuild("one", 0).do(original); err != nil {
		t.Fatal(err)
	}
	const endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
	rewrite := func(name, from, to string) string {
		return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '" + from + "', '" + to + "') WHERE name = '" + name + "'; PRAGMA writable_schema = RESET"
	}
	image, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	ways := []func(path string) error{
		func(path string) error { c, err := schema.Open(t.Context(), path); return closed(c, err) },
		func(path string) error { db, err := schema.OpenReadOnly(t.Context(), path); return closed(db, err) },
		func(path string) error { o, err := schema.OpenOther(t.Context(), path); return closed(o, err) },
		func(path string) error { return schema.Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy.db")) },
	}
	n := 0
	for statement, refusal := range testkit.SomeOf(map[string]string{
		"CREATE TRIGGER z AFTER INSERT ON x_build BEGIN SELECT (" + endless + "); END":                `trigger "z" on "x_build"`,
		"CREATE TRIGGER z AFTER INSERT ON x_build BEGIN DELETE FROM x_build WHERE label = 'one'; END": `trigger "z" on "x_build"`,
		"CREATE TRIGGER z INSTEAD OF INSERT ON builds BEGIN SELECT 1; END":                            `trigger "z" on "builds"`,
		"DROP VIEW entries": "view entries is missing",
		"DROP VIEW builds; CREATE VIEW builds AS " + endless:                                `view "builds" is not the one that pakdb makes`,
		"DROP TABLE x_seal; CREATE VIEW x_seal AS SELECT 1 AS file_time, 1 AS checked_time": `view "x_seal" is not the one that pakdb makes`,
		"DROP TABLE x_seal; CREATE TABLE X_SEAL (file_time, checked_time)":                  `table "X_SEAL" is not the one that pakdb makes`,
		"ALTER TABLE x_build ADD COLUMN note TEXT":                                          `table "x_build" is not the one that pakdb makes`,
		"DROP TRIGGER value_set_deleted":                                                    "trigger value_set_deleted is missing",
		"DROP INDEX build_label":                                                            "index build_label is missing",
		"DROP INDEX build_label; CREATE INDEX build_label ON x_build (label)":               `index "build_label" is not the one that pakdb makes`,
		"CREATE UNIQUE INDEX mine ON x_build (created_at)":                                  `unique index "mine" on "x_build"`,
		"CREATE TABLE x_search_word_data (x)":                                               `table "x_search_word_data" is not the one that pakdb makes`,
		rewrite("entries", "CREATE VIEW", "create view"):                                    `view "entries" is not the one that pakdb makes`,
		"PRAGMA user_version = -1":                                                          "layout -1",
		"PRAGMA user_version = 12":                                                          "written by an older pakdb: layout 12",
		"PRAGMA user_version = 1200":                                                        "written by a newer pakdb: layout 1200",

		"CREATE TABLE note (content_id INTEGER REFERENCES x_content, text); INSERT INTO note SELECT content_id, 'x' FROM x_content": "",
		"CREATE INDEX mine ON x_entry_row (size)":          "",
		"CREATE VIEW mine AS SELECT count(*) FROM entries": "",
		"ANALYZE": "",
	}, 11) {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		if err := errors.Join(os.WriteFile(path, image, 0o600), rawly(path, statement)); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		n++
		for i, open := range ways {
			if !testkit.Deep() && i != n%len(ways) { // by turns
				continue
			}
			err := open(path)
			if refusal == "" {
				if err != nil {
					t.Errorf("%s: way %d: %v", statement, i, err)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), refusal) || !errors.Is(err, schema.ErrForeign) && !errors.Is(err, schema.ErrNotCatalog) &&
				!errors.Is(err, schema.ErrTooOld) && !errors.Is(err, schema.ErrTooNew) {
				t.Errorf("%s: way %d: %v, want %q", statement, i, err, refusal)
			}
		}
		if refusal == "" {
			continue
		}
		if found, _ := findings(t, path); len(found) != 1 || !strings.Contains(found[0].Detail, refusal) {
			t.Errorf("%s: check: %v, want %q", statement, found, refusal)
		}
	}
}

// closed closes what was opened, if it was.
func closed[C io.Closer](c C, err error) error {
	if err != nil {
		return err
	}
	return c.Close()
}

// Tables, views and indexes that a user added are left alone by builds that come and go.
func TestAddedTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pakdb.db")
	err := errors.Join(addBuild("one", 0).do(path), addBuild("two", 100).do(path),
		rawly(path, "CREATE TABLE note (content_id INTEGER REFERENCES x_content, text); INSERT INTO note SELECT content_id, 'x' FROM x_content;"+
			"CREATE INDEX mine ON x_entry_row (size); CREATE VIEW noted AS SELECT count(*) AS n FROM note; ANALYZE"),
		removeBuilds("one").do(path), addBuild("three", 200).do(path))
	if err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	if n := scan[int](t, db, "SELECT n FROM noted"); n != 80 {
		t.Errorf("%d notes, want all 80", n)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM sqlite_schema WHERE name IN ('note', 'mine', 'noted', 'sqlite_stat1', 'entries')"); n != 5 {
		t.Errorf("%d of 5 are there", n)
	}
	if all, _ := findings(t, path); len(all) > 0 {
		t.Errorf("check: %v", all)
	}
}
