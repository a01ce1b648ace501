package schema_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// keyed pairs each table with the number of its rows that the key table of it
// should have, and has.
var keyed = map[string][2]string{
	"path": {"SELECT count(*) FROM x_path", `SELECT count(*) FROM x_path_key k JOIN x_path p USING (path_id) JOIN x_dir d USING (dir_id)
		WHERE key_of_path(d.prefix || p.name) = k.key`},
	"content": {"SELECT count(*) FROM x_content", "SELECT count(*) FROM x_content_key k JOIN x_content c USING (content_id) WHERE key_of_content(c.hash) = k.key"},
	"name":    {"SELECT count(*) FROM x_name", "SELECT count(*) FROM x_name_key k JOIN x_name n USING (name_id) WHERE key_of_name(n.name) = k.key"},
	"ref":     {"SELECT count(*) FROM (SELECT DISTINCT key, content_id FROM x_ref)", "SELECT count(*) FROM x_ref_key k WHERE EXISTS (SELECT 1 FROM x_ref r WHERE r.key = k.key AND r.content_id = k.content_id)"},
}

// keyDB opens a catalog with the functions that compute keys.
func keyDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	function := func(name string, key func(driver.Value) int64) schema.Function {
		return schema.Function{Name: name, Args: 1, Pure: true,
			Call: func(_ context.Context, args []driver.Value) (driver.Value, error) { return key(args[0]), nil }}
	}
	db, err := schema.OpenReadOnlyWith(context.Background(), path, []schema.Function{
		function("key_of_path", func(v driver.Value) int64 { return schema.PathKey(v.(string)) }),
		function("key_of_name", func(v driver.Value) int64 { return schema.NameKey(v.(string)) }),
		function("key_of_content", func(v driver.Value) int64 { return schema.ContentKey(v.([]byte)) })}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db.DB
}

// keysOf returns how many keys each table should have, and has.
func keysOf(t *testing.T, db *sql.DB) map[string][2]int {
	t.Helper()
	counts := map[string][2]int{}
	for table, q := range keyed {
		counts[table] = [2]int{scan[int](t, db, q[0]), scan[int](t, db, q[1])}
	}
	return counts
}

func referring(n int) *schema.Entry {
	e := entry(n)
	name := fmt.Sprintf("Name%d", n)
	e.Facts = &schema.Facts{Inspector: "i/1", Kind: "k", Refs: []schema.Ref{
		{Kind: "r", Space: "s", Key: int64(n) * 7},
		{Kind: "r", Space: "s", Key: schema.NameKey(name), Name: name},
		{Kind: "r", Space: "s", Key: schema.NameKey(name), Name: name}, // keys are without repeats
	}}
	return e
}

// Keys wait until a build is complete. A process that is killed before leaves
// rows without keys; the next build adds them.
func TestKeysAfterAKill(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	writeBuild(t, c, "before", []*schema.Entry{referring(0), referring(1)})
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, "killed")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Format: "test"})
	for n := range 8192 { // several batches
		if err := b.Add(id, referring(n)); err != nil {
			t.Fatal(err)
		}
	}
	for db := readDB(t, path); scan[int](t, db, "SELECT count(*) FROM x_path") <= 2; {
		time.Sleep(10 * time.Millisecond)
	}
	killed := filepath.Join(t.TempDir(), "killed.db") // what is committed is what a kill leaves
	if err := schema.Copy(ctx, path, killed); err != nil {
		t.Fatal(err)
	}
	if err := b.Abandon(); err != nil {
		t.Fatal(err)
	}

	ofCopy, err := schema.Open(ctx, killed)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ofCopy.Close() }()
	db := keyDB(t, killed)
	for table, n := range keysOf(t, db) {
		if n[0] <= n[1] {
			t.Errorf("%s: %d of %d have keys: the test shows nothing", table, n[1], n[0])
		}
	}
	next, err := schematest.Begin(ctx, ofCopy, "next")
	if err != nil {
		t.Fatal(err)
	}
	for table, n := range keysOf(t, db) {
		if n[0] != n[1] {
			t.Errorf("%s: %d of %d have keys", table, n[1], n[0])
		}
	}
	if err := next.Abandon(); err != nil {
		t.Fatal(err)
	}
}
