package schema_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
	asks "pakdb/query"
	"pakdb/schema"
	"pakdb/schema/schematest"
)

// joinedCatalog makes a catalog of two builds of n entries, of which a tenth differ.
func joinedCatalog(t testing.TB, n int) *asks.DB {
	t.Helper()
	path := schematest.Write(t, func(c *schema.Catalog) {
		for build := range 2 {
			schematest.Build(t, c, fmt.Sprint("b", build), func(b *schema.Build) {
				entries := make([]schema.Entry, n)
				for i := range entries {
					k := i
					if build == 1 && i%10 == 0 {
						k = i + n
					}
					entries[i] = schema.Entry{Name: fmt.Sprintf("Game/Folder%d/Asset_%07d.uasset", k/100, k), Method: "none", Size: int64(k), Stored: int64(k),
						HasContent: true, Content: schema.Digest{byte(k), byte(k >> 8), byte(k >> 16), 1, 2, 3, 4, 5}, ContentSize: int64(k)}
				}
				schematest.Mount(t, b, "a.tst", entries...)
			})
		}
	})
	db, err := asks.Open(t.Context(), path, asks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestJoins joins views with each other by columns of equal names and types. What a statement
// costs is counted by the steps of SQLite: eight times the rows cost at most twelve times as
// much, or the statement ends with an error that tells what to write.
func TestJoins(t *testing.T) {
	steps := schematest.CountSteps(t)
	sizes := [2]int{100, 800}
	var dbs [2]*asks.DB
	for i, n := range sizes {
		dbs[i] = joinedCatalog(t, n)
	}
	views := []string{"entries", "files", "contents"}
	columns := map[string][]viewColumn{}
	for _, view := range views {
		err := dbs[0].Each(t.Context(), "SELECT name, type FROM pragma_table_info(?, 'main')", asks.Args{Positional: []driver.Value{view}},
			func([]string) error { return nil }, func(v []driver.Value) error {
				columns[view] = append(columns[view], viewColumn{v[0].(string), v[1].(string)})
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	// Columns of few values join every row with many.
	few := map[string]bool{"build": true, "archive": true, "type": true, "ext": true, "method": true, "encrypted": true, "deleted": true, "kind": true,
		"archive_id": true, "build_id": true, "nested": true, "mtime": true, "asset_id": true, "path_hash": true, "asset_key": true, "path_hash_key": true,
		"mount": true, "mount_order": true, "mount_point": true, "shadowed_count": true, "known": true, "dir": true, "offset": true, "padded_content": true,
		"sum": true, "entry_count": true, "build_count": true, "copies": true, "wasted": true}
	ran, n := 0, 0
	for i, a := range views {
		for _, b := range views[i:] {
			for _, x := range columns[a] {
				for _, y := range columns[b] {
					if x.name != y.name || x.kind != y.kind || few[x.name] {
						continue
					}
					for _, form := range []string{
						"SELECT count(*) FROM %s a JOIN %s b ON a.%s = b.%s",
						"SELECT count(*) FROM %s a LEFT JOIN %s b ON a.%s = b.%s",
						"SELECT count(*) FROM %s a FULL JOIN %s b ON a.%s = b.%s",
						"SELECT count(*) FROM %s a WHERE NOT EXISTS (SELECT 1 FROM %s b WHERE a.%s = b.%s)",
						"SELECT count(*) FROM %[1]s WHERE %[3]s NOT IN (SELECT %[4]s FROM %[2]s)",
						"SELECT count(*) FROM %[1]s WHERE %[3]s IN (SELECT %[4]s FROM %[2]s)",
						"SELECT count(*) FROM %s a JOIN %s b ON lower(a.%s) = lower(b.%s)",
					} {
						if n++; n%testkit.Of(24, 4) != 0 {
							continue
						}
						ran++
						text := fmt.Sprintf(form, a, b, x.name, y.name)
						var took [2]int64
						failed := false
						for i, db := range dbs {
							ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
							steps.Take()
							err := db.Each(ctx, text, asks.Args{}, func([]string) error { return nil }, func([]driver.Value) error { return nil })
							cancel()
							for _, n := range steps.Take() {
								took[i] += n
							}
							if errors.Is(err, schema.ErrQuadratic) && strings.Contains(asks.Hint(err), "COLLATE NOCASE") {
								failed = true
							} else if err != nil {
								t.Errorf("%s: %v", text, err)
							}
						}
						if !failed && !strings.Contains(text, "lower") && took[1] > 12*took[0] {
							t.Errorf("%s: %d steps for %d rows, %d for %d", text, took[0], sizes[0], took[1], sizes[1])
						}
					}
				}
			}
		}
	}
	if ran < 6 {
		t.Errorf("only %d statements", ran)
	}
}
